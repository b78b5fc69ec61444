#!/usr/bin/env python3
"""Cost of one I/O, side by side with fio: 4 KiB random reads of a device whose reads cost almost nothing.

    tests/perf/peer_fio.py --build build/release          # makes and frees a 4 GiB zram device; needs root
    tests/perf/peer_fio.py --build build/release --device /dev/zram3 --rounds 3 --seconds 3

Both generators run pinned to the same CPU, one after the other, in alternating rounds, so that what else the machine
does hits both. Counted is CPU time of the whole process, user and system, kernel workers and start-up included, as
wait4() reports it, divided by the I/Os that the generator itself reports. fio runs with default options plus what the
job needs. A ratio above 1 means that fio spends more CPU an I/O; the median over the rounds is what counts.

Exit code: 0 all targets reached, 1 missed, 2 could not be measured.
"""

import argparse
import errno
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ZRAM = pathlib.Path("/sys/class/zram-control")

# name, fio engine and depth, assay options, least ratio, least mean in flight
CASES = [
    ("io_uring, adaptive batch", "io_uring", 128, {"engine": "io_uring"}, 1.60, 115),
    ("io_uring, reap_batch 64", "io_uring", 128, {"engine": "io_uring", "reap_batch": 64}, 1.75, 0),
    ("libaio", "libaio", 128, {"engine": "libaio"}, 1.70, 0),
    ("psync", "psync", 1, {"engine": "psync"}, 1.30, 0),
]


class Unmeasurable(Exception):
    pass


class Zram:
    """A never-written zram device; freed when the block ends."""

    def __init__(self, size_bytes):
        self.size_bytes = size_bytes

    def __enter__(self):
        if os.geteuid() != 0 or not ZRAM.is_dir():
            raise Unmeasurable("making a zram device needs root and the zram driver; or name one with --device")
        self.number = (ZRAM / "hot_add").read_text().strip()
        (pathlib.Path("/sys/block") / f"zram{self.number}" / "disksize").write_text(str(self.size_bytes))
        return f"/dev/zram{self.number}"

    def __exit__(self, *_):
        for attempt in range(50):  # whoever looks at new devices may have it open for a moment
            try:
                (pathlib.Path("/sys/block") / f"zram{self.number}" / "reset").write_text("1")
                (ZRAM / "hot_remove").write_text(self.number)
                return
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                time.sleep(0.1)
        print(f"peer_fio: /dev/zram{self.number} stays busy and is left behind", file=sys.stderr)


def run(command):
    """Runs a command to its end; (stdout, CPU seconds of it and its children)."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode not in (0, 5):  # 5: a verdict on the result, which is not what is measured here
            raise Unmeasurable(f"{command[0]} ended with {process.returncode}: {err.read().strip()}")
        return out.read(), usage.ru_utime + usage.ru_stime


def run_fio(device, engine, depth, seconds, cpu):
    out, cpu_s = run(
        ["taskset", "-c", cpu, "fio", "--name=peer", f"--filename={device}", f"--ioengine={engine}"]
        + [f"--iodepth={depth}", "--rw=randread", "--bs=4k", "--direct=1", "--time_based", f"--runtime={seconds}"]
        + ["--output-format=json"]
    )
    job = json.loads(out[out.index("{") :])["jobs"][0]
    return {"ns": cpu_s / job["read"]["total_ios"] * 1e9}


def run_assay(assay, device, depth, options, seconds, cpu):
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as directory:
        bundle = pathlib.Path(directory) / "bundle"
        command = ["taskset", "-c", cpu, assay, "run", "block", "--target", device, "--pattern", "randread"]
        command += ["--block-size", "4KiB", "--queue-depth", depth, "--direct", "yes", "--warmup", "0s"]
        command += ["--measure", f"{seconds}s", "--quiet", "--output", bundle]
        for key, value in options.items():
            command += ["--" + key.replace("_", "-"), value]
        _, cpu_s = run(command)
        result = json.loads((bundle / "result.json").read_text())
    job = result["stages"][0]["points"][0]["repeats"][0]["jobs"][0]
    phase = next(phase for phase in job["phases"] if phase["kind"] == "measured")
    read = next(operation for operation in phase["operations"] if operation["name"] == "read")
    counted = sum(bucket[1] for bucket in read["histograms"][0]["buckets"])
    if abs(counted - read["operations"]) > 0.001 * counted:  # a snapshot of a live lane may cut a batch
        raise Unmeasurable(f"{counted} latencies for {read['operations']} reads: the histogram is not complete")
    return {"ns": cpu_s / read["operations"] * 1e9, "in_flight": phase["mean_in_flight_requests"]}


def measure(arguments, assay, device):
    print(f"{arguments.rounds} rounds of {arguments.seconds} s, CPU {arguments.cpu}, {device}, {os.uname().release}")
    print(f"{'':26} {'fio ns/IO':>10} {'assay ns/IO':>12} {'ratio (range)':>20} {'in flight':>10}  target")
    missed = False
    for name, engine, depth, options, least_ratio, least_in_flight in CASES:
        if arguments.only and arguments.only not in name:
            continue
        fio, ours = [], []
        for _ in range(arguments.rounds):
            fio.append(run_fio(device, engine, depth, arguments.seconds, arguments.cpu))
            ours.append(run_assay(assay, device, depth, options, arguments.seconds, arguments.cpu))
        ratios = [one["ns"] / other["ns"] for one, other in zip(fio, ours)]
        ratio = statistics.median(ratios)
        in_flight = statistics.median(one["in_flight"] for one in ours)
        reached = ratio >= least_ratio and in_flight >= least_in_flight
        missed |= not reached
        median_ns = lambda runs: statistics.median(one["ns"] for one in runs)
        span = f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
        print(
            f"{name:26} {median_ns(fio):10.0f} {median_ns(ours):12.0f} {span:>20} {in_flight:10.1f}  "
            f">= {least_ratio:.2f}{f', in flight >= {least_in_flight}' if least_in_flight else ''}"
            f"{'' if reached else '  MISSED'}",
            flush=True,
        )
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"), help="build directory")
    parser.add_argument("--device", help="an idle device to read; it is never written (default: a new zram device)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each run")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="CPU that both run on")
    parser.add_argument("--only", help="cases whose name contains this")
    arguments = parser.parse_args()
    assay = arguments.build / "bin" / "assay"
    try:
        if not assay.exists():
            raise Unmeasurable(f"{assay} does not exist: build first, or name another directory with --build")
        for tool in ("fio", "taskset"):
            if shutil.which(tool) is None:
                raise Unmeasurable(f"{tool} is not installed (apt-get install fio util-linux)")
        if arguments.device:
            return measure(arguments, assay, arguments.device)
        with Zram(4 << 30) as device:
            return measure(arguments, assay, device)
    except Unmeasurable as error:
        print(f"peer_fio: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
