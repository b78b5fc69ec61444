#!/usr/bin/env python3
"""What sampling takes from the load: the same run with everything sampled every 100 ms, and with nothing sampled.

    tests/perf/sampling_cost.py --build build/release     # makes and frees a 4 GiB zram device; needs root

4 KiB random reads at depth 128 by one worker pinned to one CPU, of a device whose reads cost almost nothing, so that a
cost shows that a slow device would hide. Both run alternately, in an order that turns round each time. Printed are the
rates' ratio and what the sampler's thread used of one CPU. With --same-cpu everything shares the worker's CPU: the
worst case, a machine without an idle CPU.

Exit code: 0 both targets reached, 1 missed, 2 could not be measured.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

from peer_fio import Unmeasurable, Zram, run

RATE_COST_MOST = 0.01
CPU_SHARE_MOST = 0.02


def measure_once(assay, device, arguments, samplers, directory):
    bundle = directory / "bundle"
    cpus = str(arguments.cpu) if arguments.same_cpu else ",".join(map(str, sorted(os.sched_getaffinity(0))))
    command = ["taskset", "-c", cpus, assay, "run", "block", "--target", device, "--pattern", "randread"]
    command += ["--block-size", "4KiB", "--queue-depth", "128", "--engine", "libaio", "--cpus", arguments.cpu]
    command += ["--warmup", "500ms", "--measure", f"{arguments.seconds}s", "--quiet", "--output", bundle, "--replace"]
    command += ["--interval", "100ms", "--sampler", samplers]
    _, cpu_s = run(command)
    repeat = json.loads((bundle / "result.json").read_text())["stages"][0]["points"][0]["repeats"][0]
    phase = next(phase for phase in repeat["jobs"][0]["phases"] if phase["kind"] == "measured")
    window_s = (phase["window_end_ns"] - phase["window_start_ns"]) / 1e9
    worker_s = sum(worker["cpu_user_ns"] + worker["cpu_system_ns"] for worker in phase["workers"]) / 1e9
    rest_share = phase["process_cpu_ns"] / 1e9 / window_s - worker_s / window_s
    return phase["operations"][0]["operations"] / window_s, rest_share, len(repeat.get("samples", []))


def measure(arguments, assay, device, directory):
    ratios, shares, series = [], [], 0
    print(f"{arguments.rounds} rounds of {arguments.seconds} s, worker on CPU {arguments.cpu}, {os.uname().release}")
    for number in range(arguments.rounds):
        rates = {}
        for samplers in ("host", "none") if number % 2 else ("none", "host"):
            rate, share, count = measure_once(assay, device, arguments, samplers, directory)
            rates[samplers] = (rate, share)
            series = max(series, count)
        ratios.append(rates["host"][0] / rates["none"][0])
        shares.append(rates["host"][1] - rates["none"][1])
        print(f"  without {rates['none'][0]:9.0f} IOPS, with {rates['host'][0]:9.0f} IOPS: ratio {ratios[-1]:.4f}, "
              f"sampling {shares[-1] * 100:.2f} % of a CPU", flush=True)
    cost, share = 1 - statistics.median(ratios), statistics.median(shares)
    print(f"{series} series every 100 ms cost {cost * 100:.2f} % of the rate (at most {RATE_COST_MOST * 100:.0f} %) and "
          f"{share * 100:.2f} % of one CPU (at most {CPU_SHARE_MOST * 100:.0f} %)")
    return 0 if cost <= RATE_COST_MOST and share <= CPU_SHARE_MOST else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"), help="build directory")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=5, help="of each run")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="CPU of the worker")
    parser.add_argument("--same-cpu", action="store_true", help="keep the whole process on that CPU")
    arguments = parser.parse_args()
    assay = arguments.build / "bin" / "assay"
    try:
        if not assay.exists():
            raise Unmeasurable(f"{assay} does not exist: build first, or name another directory with --build")
        with Zram(4 << 30) as device, tempfile.TemporaryDirectory(prefix="assay-sampling-") as directory:
            return measure(arguments, assay, device, pathlib.Path(directory))
    except Unmeasurable as error:
        print(f"sampling_cost: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
