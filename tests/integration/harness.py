"""What every integration test needs: the built command, real devices, and results read back.

The build directory comes from ASSAY_BUILD (set by CTest). Devices are loop and zram devices that each test makes and
frees itself; where the machine does not allow that, the test is skipped by name with the reason.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ["ASSAY_BUILD"])
ASSAY = str(BUILD / "bin" / "assay")
MIB = 1 << 20


class Finished:
    """One finished command: exit code, both streams, and the bundle's result where there is one."""

    def __init__(self, process, bundle):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.bundle = bundle
        path = bundle / "result.json"
        self.result = json.loads(path.read_text()) if path.exists() else None

    def jobs(self):
        """Every job of every repeat of every point, in order."""
        return [
            job
            for stage in self.result["stages"]
            for point in stage["points"]
            for repeat in point["repeats"]
            for job in repeat["jobs"]
        ]

    def verdicts(self):
        return [
            verdict
            for stage in self.result["stages"]
            for point in stage["points"]
            for repeat in point["repeats"]
            for verdict in repeat["verdicts"]
        ]

    def levels(self):
        """check id -> worst level seen."""
        order = ["pass", "note", "unknown", "suspect", "invalid"]
        worst = {}
        for verdict in self.verdicts():
            seen = worst.get(verdict["check"], "pass")
            worst[verdict["check"]] = max(seen, verdict["level"], key=order.index)
        return worst


def measured(job):
    """The first measured phase of a job."""
    return next(phase for phase in job["phases"] if phase["kind"] == "measured")


def operation(job, name):
    return next(op for op in measured(job)["operations"] if op["name"] == name)


def facts(job):
    return {fact["key"]: fact["value"] for fact in job["facts"]}


class LabTest(unittest.TestCase):
    """A test with a scratch directory on a real file system, and devices on request."""

    maxDiff = None

    def setUp(self):
        # Not /tmp: it may be a tmpfs, where O_DIRECT and extents mean nothing.
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="assay-test-", dir=os.environ.get("TMPDIR", "/var/tmp")))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def assay(self, *arguments, timeout=120, env=None, cwd=None, **options):
        """Runs `assay ARGUMENTS`; for `run`, with a bundle in the scratch directory."""
        bundle = self.dir / f"bundle-{time.monotonic_ns()}"
        command = [ASSAY, *map(str, arguments)]
        if arguments[0] == "run" and "--output" not in arguments and "--help" not in arguments:
            command += ["--output", str(bundle)]
        environment = {**os.environ, **(env or {})}
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=environment, cwd=cwd or self.dir, **options
        )
        return Finished(process, bundle)

    def run_block(self, target, *, code=0, check_code=True, **options):
        """`assay run block` with options as keywords; fails the test unless the exit code is as expected."""
        targets = target if isinstance(target, (list, tuple)) else [target]
        arguments = ["run", "block", "--quiet"]
        for one in targets:
            arguments += ["--target", one]
        for key, value in options.items():
            arguments += ["--" + key.replace("_", "-"), value]
        finished = self.assay(*arguments)
        if check_code:
            self.assertEqual(finished.code, code, finished.err + finished.out)
        return finished

    def refused(self, finished, code, *words):
        """One clear message: the exit code, a single `assay:` line that holds every word, and no bundle."""
        lines = [line for line in finished.err.splitlines() if line.startswith("assay: ")]
        self.assertEqual(finished.code, code, finished.err + finished.out)
        self.assertEqual(len(lines), 1, finished.err)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertLess(len(lines[0]), 600, "a message a person can read")
        return lines[0]

    def write_plan(self, text, name="plan.yaml"):
        path = self.dir / name
        path.write_text(text)
        return path

    # --- real devices ---------------------------------------------------------------------------------------------

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make block devices")

    def loop_device(self, size_mib=64):
        """A loop device over a fresh file that holds data everywhere."""
        self.need_root()
        image = self.dir / f"loop-{time.monotonic_ns()}.img"
        with open(image, "wb") as out:
            for _ in range(size_mib):
                out.write(os.urandom(MIB))
        made = subprocess.run(
            ["losetup", "--find", "--show", "--direct-io=on", str(image)], capture_output=True, text=True
        )
        if made.returncode != 0:
            self.skipTest(f"no loop device to be had: {made.stderr.strip()}")
        device = made.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "--detach", device], capture_output=True)
        return device

    def zram_device(self, size_mib=256):
        """A fresh zram device, never written."""
        self.need_root()
        control = pathlib.Path("/sys/class/zram-control/hot_add")
        if not control.exists():
            subprocess.run(["modprobe", "zram"], capture_output=True)
        if not control.exists():
            self.skipTest("no zram in this kernel")
        number = int(control.read_text())
        self.addCleanup(self._remove_zram, number)
        pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(f"{size_mib}M")
        return f"/dev/zram{number}"

    @staticmethod
    def _remove_zram(number):
        for _ in range(50):  # the last close may lag
            try:
                pathlib.Path(f"/sys/block/zram{number}/reset").write_text("1")
                pathlib.Path("/sys/class/zram-control/hot_remove").write_text(str(number))
                return
            except OSError:
                time.sleep(0.1)

    def mounted(self, kind="ext4", size_mib=64):
        """A directory with a file system of its own on a loop device."""
        device = self.loop_device(size_mib)
        subprocess.run([f"mkfs.{kind}", "-q", device], check=True, capture_output=True)
        directory = self.dir / f"mount-{time.monotonic_ns()}"
        directory.mkdir()
        subprocess.run(["mount", device, str(directory)], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(directory)], capture_output=True)
        return directory, device

    def data_file(self, size_mib=16, name="data"):
        """A file that holds data everywhere, on disk."""
        path = self.dir / name
        with open(path, "wb") as out:
            for _ in range(size_mib):
                out.write(os.urandom(MIB))
            out.flush()
            os.fsync(out.fileno())
        return path
