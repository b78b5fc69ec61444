"""`assay sample`: its rates beside those of iostat, mpstat, sar and fio, and a command that notices nothing of it."""

import csv
import io
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from harness import ASSAY, LabTest

WINDOW_S = 5
BUSY = ("user", "nice", "system", "irq", "softirq")
PACED = 300  # requests a second of 64 KiB: constant, so that windows that begin a little apart see the same


class SampleTest(LabTest):
    def sample(self, *arguments, **options):
        """Runs `assay sample --output DIR ARGUMENTS`; the finished command and its samples.json."""
        directory = self.dir / f"samples-{time.monotonic_ns()}"
        finished = self.assay("sample", "--output", directory, *arguments, **options)
        path = directory / "samples.json"
        return finished, json.loads(path.read_text()) if path.exists() else None

    def series(self, samples, metric, **labels):
        found = [
            one
            for one in samples["series"]
            if one["metric"] == metric and all(one["labels"].get(key) == value for key, value in labels.items())
        ]
        self.assertEqual(len(found), 1, f"{metric} {labels}")
        return found[0]

    def need(self, *tools):
        for tool in tools:
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")

    def paced_reads(self, device, seconds):
        """fio that reads 64 KiB at a constant pace for so long, going already."""
        self.need("fio")
        fio = subprocess.Popen(
            ["fio", "--name=paced", f"--filename={device}", "--rw=randread", "--bs=64k", "--direct=1",
             f"--rate_iops={PACED}", "--time_based", f"--runtime={seconds}", "--output=/dev/null"],
            cwd=self.dir)
        self.addCleanup(fio.wait)
        self.addCleanup(fio.terminate)
        time.sleep(1)
        return fio

    def beside(self, command, *arguments):
        """The output of a peer tool and our samples, over the same window."""
        peer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"})
        finished, samples = self.sample("--quiet", "--interval", "1s", "--duration", f"{WINDOW_S}s", *arguments)
        out, _ = peer.communicate(timeout=60)
        self.assertEqual(finished.code, 0, finished.err)
        return out, samples


class PeersTest(SampleTest):
    def test_disk_rates_are_those_of_iostat(self):
        self.need("iostat")
        device = self.zram_device(64)
        self.fill(device)
        self.paced_reads(device, WINDOW_S + 3)
        name = device.removeprefix("/dev/")
        out, samples = self.beside(["iostat", "-x", "-y", "-o", "JSON", name, str(WINDOW_S), "1"])
        disk = json.loads(out)["sysstat"]["hosts"][0]["statistics"][0]["disk"][0]
        self.assertGreater(disk["r/s"], PACED * 0.8, "fio keeps its pace")
        ours = self.series(samples, "disk.reads", device=name)
        self.assertAlmostEqual(ours["mean"] / disk["r/s"], 1, delta=0.03)
        self.assertAlmostEqual(self.series(samples, "disk.read", device=name)["mean"] / 1024 / disk["rkB/s"], 1,
                               delta=0.03)
        self.assertEqual(len(ours["points"]), WINDOW_S)

    def test_cpu_shares_are_those_of_mpstat(self):
        self.need("mpstat")
        self.spinner(os.cpu_count() - 1, WINDOW_S + 2)
        out, samples = self.beside(["mpstat", "-P", "ALL", "-o", "JSON", str(WINDOW_S), "1"])
        for cpu in json.loads(out)["sysstat"]["hosts"][0]["statistics"][0]["cpu-load"]:
            if cpu["cpu"] == "all":
                continue
            busy = sum(self.series(samples, f"cpu.{kind}", cpu=cpu["cpu"])["mean"] for kind in BUSY)
            theirs = cpu["usr"] + cpu["nice"] + cpu["sys"] + cpu["irq"] + cpu["soft"]
            self.assertAlmostEqual(busy * 100, theirs, delta=3, msg=f"cpu{cpu['cpu']}")

    def test_network_rates_are_those_of_sar(self):
        self.need("sar")
        stop = threading.Event()
        target = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        target.bind(("127.0.0.1", 0))
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

        def send():  # 1,000 packets of 8 KiB a second
            due = time.monotonic()
            while not stop.is_set():
                sender.sendto(bytes(8192), target.getsockname())
                due += 0.001
                time.sleep(max(0, due - time.monotonic()))

        thread = threading.Thread(target=send)
        thread.start()
        self.addCleanup(lambda: (stop.set(), thread.join(), target.close(), sender.close()))
        out, samples = self.beside(["sar", "-n", "DEV", str(WINDOW_S), "1"])
        row = next(line.split() for line in out.splitlines() if line.startswith("Average:") and line.split()[1] == "lo")
        self.assertGreater(float(row[4]), 4_000, "kB a second on the loopback")
        self.assertAlmostEqual(self.series(samples, "nic.received", device="lo")["mean"] / 1024 / float(row[4]), 1,
                               delta=0.03)
        self.assertAlmostEqual(self.series(samples, "nic.sent_packets", device="lo")["mean"] / float(row[3]), 1,
                               delta=0.03)

    def test_bytes_around_fio_are_fios_own(self):
        self.need("fio")
        device = self.zram_device(64)
        self.fill(device)
        finished, samples = self.sample(
            "--interval", "100ms", "--", "fio", "--name=all", f"--filename={device}", "--rw=read", "--bs=128k",
            "--direct=1", "--loops=8", "--rate=64m", "--output-format=json")
        self.assertEqual(finished.code, 0, finished.err)
        read = json.loads(finished.out)["jobs"][0]["read"]
        total = self.series(samples, "disk.read", device=device.removeprefix("/dev/"))["total"]
        self.assertEqual(read["io_bytes"], 8 * 64 << 20)
        self.assertAlmostEqual(total / read["io_bytes"], 1, delta=0.01)
        self.assertIn("512 MiB (537 MB)", finished.err)

    def test_a_late_interval_has_the_right_rate(self):
        device = self.zram_device(64)
        self.fill(device)
        self.paced_reads(device, 7)
        directory = self.dir / "late"
        assay = subprocess.Popen([ASSAY, "sample", "--quiet", "--interval", "200ms", "--duration", "4s", "--output",
                                  str(directory)], stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        assay.send_signal(signal.SIGSTOP)
        time.sleep(1.1)
        assay.send_signal(signal.SIGCONT)
        self.assertEqual(assay.wait(timeout=30), 0)
        samples = json.loads((directory / "samples.json").read_text())
        self.assertGreaterEqual(samples["missed"], 4)
        reads = self.series(samples, "disk.reads", device=device.removeprefix("/dev/"))
        longest = max(reads["points"], key=lambda point: point[1] - point[0])
        self.assertGreater(longest[1] - longest[0], 1.0)
        self.assertAlmostEqual(longest[2] / PACED, 1, delta=0.1)

    def test_a_pinned_spinner_is_named_with_its_core(self):
        cpu = os.cpu_count() - 1
        self.spinner(cpu, 6)
        finished, samples = self.sample("--interval", "500ms", "--duration", "4s")
        self.assertRegex(finished.out, r"top hot-spinner\[\d+\] [3-9]\d|top hot-spinner\[\d+\] 10\d")
        busy = {
            str(each): sum(self.series(samples, f"cpu.{kind}", cpu=str(each))["mean"] for kind in BUSY)
            for each in range(os.cpu_count())
        }
        self.assertGreater(busy[str(cpu)], 0.95)
        summary = next(line for line in finished.out.splitlines() if line.startswith("CPU "))
        self.assertIn("Thread   hot-spinner[", finished.out)
        if any(share > 0.9 for name, share in busy.items() if name != str(cpu)):
            self.skipTest("another core is as busy with something else")
        self.assertIn(f"busiest core cpu{cpu}:", summary)
        self.assertIn(f"busiest cpu{cpu} ", finished.out)

    def fill(self, device):
        with open(device, "wb", buffering=0) as out:
            for _ in range(64):
                out.write(os.urandom(1 << 20))

    def spinner(self, cpu, seconds):
        """One thread called hot-spinner that keeps one CPU busy, whatever else wants it."""
        code = (f"import ctypes, os, time; os.sched_setaffinity(0, [{cpu}]); "
                "ctypes.CDLL(None).prctl(15, b'hot-spinner', 0, 0, 0)\n"
                f"end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass")
        nice = ["nice", "-n", "-15"] if os.geteuid() == 0 else []
        spinner = subprocess.Popen([*nice, sys.executable, "-c", code])
        self.addCleanup(spinner.wait)
        self.addCleanup(spinner.terminate)
        time.sleep(0.3)


class CommandTest(SampleTest):
    def test_its_exit_code_is_passed_on(self):
        self.assertEqual(self.assay("sample", "--", "sh", "-c", "exit 7").code, 7)
        self.assertEqual(self.assay("sample", "--", "true").code, 0)
        self.assertEqual(self.assay("sample", "--", "sh", "-c", "kill -KILL $$").code, 128 + 9)
        missing = self.assay("sample", "--output", self.dir / "none", "--", "no-such-command")
        self.refused(missing, 127, '"no-such-command"', "not found")
        self.assertEqual(os.listdir(self.dir / "none"), [])
        self.refused(self.assay("sample", "--", "/etc/passwd"), 126, '"/etc/passwd"', "Permission denied")

    def test_its_streams_are_untouched(self):
        data = os.urandom(1 << 20)
        made = subprocess.run([ASSAY, "sample", "--", "cat"], input=data, capture_output=True, timeout=60)
        self.assertEqual(made.returncode, 0)
        self.assertEqual(made.stdout, data)
        made = subprocess.run([ASSAY, "sample", "--", "sh", "-c", "echo to-err >&2"], capture_output=True, text=True)
        self.assertEqual(made.stdout, "")
        self.assertTrue(made.stderr.startswith("to-err\n"), made.stderr)
        self.assertIn("Sampled ", made.stderr)

    def test_it_finds_signals_as_assay_found_them(self):
        status = self.assay("sample", "--", "grep", "Sig[BI]", "/proc/self/status").out
        self.assertEqual(set(re.findall(r"Sig\w+:\s*(\w+)", status)), {"0" * 16}, status)

    def test_ctrl_c_on_a_terminal_is_the_commands_and_the_summary_comes_after(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(ASSAY, [ASSAY, "sample", "--quiet", "--", "sh", "-c",
                             "trap 'sleep 0.4; echo trapped; exit 3' INT; echo ready; while :; do sleep 0.1; done"])
        seen = b""
        pressed = False
        while True:
            try:
                got = os.read(terminal, 4096)
            except OSError:  # EIO: the other end is closed
                break
            if not got:
                break
            seen += got
            if b"ready" in seen and not pressed:
                pressed = True
                os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 3, seen)
        self.assertLess(seen.index(b"trapped"), seen.index(b"Sampled "), seen)

    def test_sigterm_is_handed_on(self):
        assay = subprocess.Popen([ASSAY, "sample", "--quiet", "--", "sleep", "60"], stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        assay.terminate()
        _, err = assay.communicate(timeout=20)
        self.assertEqual(assay.returncode, 128 + signal.SIGTERM)
        self.assertIn("Sampled ", err)

    def test_it_is_never_cut_short_by_the_duration(self):
        finished, samples = self.sample("--duration", "300ms", "--", "sh", "-c", "sleep 1.2; echo whole")
        self.assertEqual(finished.out, "whole\n")
        self.assertAlmostEqual(samples["duration_s"], 0.3, delta=0.2)


class FormsTest(SampleTest):
    def test_csv_and_json_agree(self):
        finished, samples = self.sample("--csv", "--interval", "200ms", "--duration", "1s", "--select", "cpu.*")
        rows = list(csv.DictReader(io.StringIO(finished.out)))
        self.assertEqual(set(rows[0]), {"time_s", "metric", "labels", "unit", "value"})
        user = self.series(samples, "cpu.user", cpu="0")
        ours = [row for row in rows if row["metric"] == "cpu.user" and row["labels"] == "cpu=0"]
        self.assertEqual([float(row["value"]) for row in ours], [point[2] for point in user["points"]])
        self.assertEqual({row["unit"] for row in ours}, {"s/s"})
        self.assertEqual(len(ours), 5)
        self.assertIn("cpu.user{cpu=0}", finished.err, "the summary is apart from the rows")

    def test_json_is_an_object_a_line(self):
        finished = self.assay("sample", "--json", "--interval=200ms", "--duration=600ms", "--select=disk.read*")
        lines = [json.loads(line) for line in finished.out.splitlines()]
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertAlmostEqual(line["interval_s"], 0.2, delta=0.15)
            self.assertTrue(all(value["metric"].startswith("disk.read") for value in line["values"]))

    def test_an_interrupt_ends_it_with_a_summary(self):
        assay = subprocess.Popen([ASSAY, "sample", "--interval", "100ms"], stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        assay.send_signal(signal.SIGINT)
        out, _ = assay.communicate(timeout=20)
        self.assertEqual(assay.returncode, 0)
        self.assertIn("Sampled ", out)
        self.assertGreaterEqual(sum(1 for line in out.splitlines() if " s  cpu " in line), 5)

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        made = subprocess.run(["bash", "-c", f"{ASSAY} sample --interval 100ms | head -1; exit ${{PIPESTATUS[0]}}"],
                              capture_output=True, text=True, timeout=20)
        self.assertEqual(made.returncode, 141)
        self.assertNotIn("assay:", made.stderr)

    def test_wrong_use_is_refused(self):
        self.refused(self.assay("sample", "--select", "nope.*"), 2, '"nope.*"', "cpu.*", "disk.*")
        self.refused(self.assay("sample", "--interval", "10ms"), 2, "10ms", "100ms to 10min")
        self.refused(self.assay("sample", "--plugin", "block"), 2, "block", "not a sampler")
        self.refused(self.assay("sample", "--intervall", "1s"), 2, "--intervall", "did you mean --interval")
        self.refused(self.assay("sample", "fio"), 2, "'fio'", "'--'")
        self.refused(self.assay("sample", "--"), 2, "no command")
        self.refused(self.assay("sample", "--set", "groups=nope"), 2, "groups", "nope")
        (self.dir / "used").mkdir()
        (self.dir / "used" / "samples.csv").write_text("mine")
        self.refused(self.assay("sample", "--output", self.dir / "used"), 2, "samples.csv exists", "--replace")
        self.assertEqual((self.dir / "used" / "samples.csv").read_text(), "mine")

    def test_what_it_costs(self):
        _, samples = self.sample("--quiet", "--interval", "100ms", "--duration", "5s")
        share = samples["sampling_cpu_s"] / samples["duration_s"]
        print(f"sampling everything at 100 ms: {share:.2%} of one CPU ({len(samples['series'])} series)")
        self.assertLess(share, 0.10)
