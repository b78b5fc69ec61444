"""Verdicts on real cases: each way of lying is caught, and its honest twin is not accused."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from harness import LabTest, MIB, facts


class Verdicts(LabTest):
    def measure(self, target, **options):
        options.setdefault("pattern", "randread")
        return self.run_block(target, check_code=False, **options)

    def drop(self, path):
        with open(path, "rb") as data:
            os.fsync(data.fileno())
            os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def verdict(self, finished, check):
        return next(verdict for verdict in finished.verdicts() if verdict["check"] == check)

    def test_reads_from_the_page_cache_are_invalid(self):
        path = self.data_file(64)
        path.read_bytes()
        finished = self.measure(path, direct="no", pattern="read", amount="256MiB", block_size="64KiB")
        self.assertEqual(finished.levels()["cache.client"], "invalid")
        self.assertEqual(finished.code, 5)
        self.assertIn("256", self.verdict(finished, "cache.client")["message"])

    def test_another_reader_does_not_hide_reads_from_the_page_cache(self):
        path, busy = self.data_file(4), self.data_file(64, "busy")
        path.read_bytes()
        reader = subprocess.Popen(
            ["sh", "-c", f"while :; do dd if={busy} of=/dev/null bs=4M iflag=direct 2>/dev/null; done"]
        )
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        finished = self.measure(path, engine="psync", direct="no", block_size="512B", measure="2s")
        self.assertEqual(finished.levels()["cache.client"], "invalid")

    def test_reads_from_the_device_are_not(self):
        finished = self.measure(self.data_file(64), direct="yes", pattern="read", block_size="64KiB")
        self.assertEqual(finished.levels()["cache.client"], "pass")

    def test_cold_buffered_reads_are_not(self):
        path = self.data_file(64)
        self.drop(path)
        finished = self.measure(path, direct="no", pattern="read", block_size="64KiB")
        self.assertEqual(finished.levels()["cache.client"], "pass")

    def test_a_sparse_file_is_invalid(self):
        path = self.dir / "sparse"
        with open(path, "wb") as out:
            out.truncate(64 * MIB)
        finished = self.measure(path, layout="never", amount="16MiB")
        self.assertEqual(finished.levels()["data.unwritten"], "invalid")
        self.assertEqual(finished.code, 5)

    def test_a_fallocated_file_is_invalid(self):
        path = self.dir / "allocated"
        with open(path, "wb") as out:
            os.posix_fallocate(out.fileno(), 0, 64 * MIB)
        self.assertGreater(os.stat(path).st_blocks, 0)
        finished = self.measure(path, layout="never", amount="16MiB")
        self.assertEqual(finished.levels()["data.unwritten"], "invalid")

    def test_a_written_file_is_not(self):
        self.assertEqual(self.measure(self.data_file(64), amount="16MiB").levels()["data.unwritten"], "pass")

    def test_depth_with_a_synchronous_engine_is_suspect(self):
        finished = self.measure(self.data_file(16), engine="psync", queue_depth=64, amount="16MiB", workers=2)
        self.assertEqual(finished.levels()["depth.inert"], "suspect")
        self.assertIn("2 in flight, not 128", self.verdict(finished, "depth.inert")["message"])

    def test_depth_with_buffered_libaio_is_suspect(self):
        path = self.data_file(16)
        finished = self.measure(path, engine="libaio", direct="no", queue_depth=32, amount="16MiB")
        self.assertEqual(finished.levels()["depth.inert"], "suspect")

    def test_depth_with_direct_libaio_and_io_uring_is_fine(self):
        path = self.data_file(16)
        for engine in ("libaio", "io_uring"):
            finished = self.measure(path, engine=engine, queue_depth=32, amount="16MiB")
            self.assertEqual(finished.levels().get("depth.inert", "pass"), "pass", engine)

    def test_a_short_phase_is_suspect(self):
        finished = self.measure(self.data_file(16), measure="1s")
        self.assertEqual(finished.levels()["phase.short"], "suspect")

    def test_strict_turns_suspect_into_an_exit_code(self):
        path = self.data_file(16)
        arguments = ["run", "block", "--quiet", "--target", path, "--pattern", "randread", "--measure", "1s"]
        self.assertEqual(self.assay(*arguments).code, 0)
        self.assertEqual(self.assay(*arguments, "--strict").code, 4)

    def test_littles_law_holds_for_every_engine_and_depth_on_a_loop_device(self):
        device = self.loop_device(64)
        for engine, depth, workers in (("psync", 1, 1), ("psync", 1, 4), ("libaio", 16, 1), ("io_uring", 1, 1),
                                       ("io_uring", 16, 2), ("io_uring", 64, 1)):  # fmt: skip
            with self.subTest(engine=engine, depth=depth, workers=workers):
                finished = self.measure(device, engine=engine, queue_depth=depth, workers=workers, measure="2s")
                self.assertIn(finished.levels()["little.law"], ("pass", "note"), self.verdict(finished, "little.law"))

    def test_tmpfs_cannot_be_reconciled_and_says_so(self):
        path = f"/dev/shm/assay-test-{os.getpid()}"
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        with open(path, "wb") as out:
            out.write(os.urandom(8 * MIB))
        if subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip() != "tmpfs":
            self.skipTest("/dev/shm is no tmpfs here")
        finished = self.measure(path, direct="no", amount="16MiB")
        self.assertEqual(finished.levels()["cache.client"], "unknown")

    def test_every_verdict_carries_evidence_arithmetic_and_remedy(self):
        finished = self.measure(self.data_file(16), engine="psync", queue_depth=8, measure="1s", direct="no")
        for verdict in finished.verdicts():
            if verdict["level"] in ("suspect", "invalid"):
                for key in ("message", "arithmetic", "threshold", "remedy"):
                    self.assertTrue(verdict[key], (verdict["check"], key))
                self.assertTrue(verdict["evidence"], verdict["check"])

    def test_two_jobs_on_one_device_are_reconciled_together(self):
        device = self.zram_device(64)
        plan = self.write_plan(
            f"""
stages:
  - jobs:
      a: {{workload: block, targets: [{device}], options: {{pattern: randread}}}}
      b: {{workload: block, targets: [{device}], options: {{pattern: randread, block_size: 16KiB}}}}
    time: {{measure: 2s}}
"""
        )
        finished = self.assay("run", plan, "--quiet")
        self.assertEqual(finished.levels()["cache.client"], "pass")


class HostVerdicts(LabTest):
    """What the machine around the load does to it."""

    def measure(self, target, **options):
        options.setdefault("pattern", "randread")
        return self.run_block(target, check_code=False, **options)

    def verdict(self, finished, check):
        self.assertIsNotNone(finished.result, finished.err)
        found = [verdict for verdict in finished.verdicts() if verdict["check"] == check]
        self.assertEqual(len(found), 1, f"{check}: {found}")
        return found[0]

    def evidence(self, verdict, name):
        return next(item["value"] for item in verdict["evidence"] if item["name"] == name)

    def beside(self, *command, **options):
        """A process that runs until the test ends."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ram_target(self):
        """A file in memory: no disk, hence no wait, hence nothing that others on this machine could disturb."""
        path = pathlib.Path(f"/dev/shm/assay-test-{os.getpid()}")
        self.addCleanup(path.unlink, missing_ok=True)
        path.write_bytes(os.urandom(8 * MIB))
        if subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip() != "tmpfs":
            self.skipTest("/dev/shm is no tmpfs here")
        return path

    def test_a_spinner_pinned_to_one_cpu_is_named(self):
        cpu = max(os.sched_getaffinity(0))
        self.beside(sys.executable, "-c", f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass")
        finished = self.measure(self.data_file(16), measure="4s")
        verdict = self.verdict(finished, "cpu.hot")
        self.assertEqual(verdict["level"], "suspect", verdict)
        if len(os.sched_getaffinity(0)) > 1 and self.evidence(verdict, "busiest_cpu") != cpu:
            # A machine that others load as well: then both are hot, and ours is listed.
            self.assertIn(f"So was CPU {cpu}.", verdict["message"])
        else:
            self.assertIn(f"CPU {cpu} was", verdict["message"])

    def test_the_busiest_cpu_is_as_busy_as_mpstat_says(self):
        if shutil.which("mpstat") is None:
            self.skipTest("mpstat is not installed")
        path = self.data_file(16)
        with subprocess.Popen(["mpstat", "-P", "ALL", "-o", "JSON", "4", "1"], stdout=subprocess.PIPE) as mpstat:
            verdict = self.verdict(self.measure(path, measure="4s"), "cpu.hot")
            seen = json.loads(mpstat.stdout.read())["sysstat"]["hosts"][0]["statistics"][0]["cpu-load"]
        load = next(one for one in seen if one["cpu"] == str(self.evidence(verdict, "busiest_cpu")))
        busy = sum(load[kind] for kind in ("usr", "nice", "sys", "irq", "soft", "guest", "gnice")) / 100
        self.assertAlmostEqual(self.evidence(verdict, "busy"), busy, delta=0.1, msg=(verdict, load))

    def test_steal_is_judged_from_what_the_kernel_counts(self):
        def stolen():
            lines = pathlib.Path("/proc/stat").read_text().splitlines()
            fields = [int(text) for text in lines[0].split()[1:9]]
            return fields[7], sum(fields)

        path = self.data_file(16)
        steal_before, all_before = stolen()
        verdict = self.verdict(self.measure(path, measure="3s"), "cpu.steal")
        steal_after, all_after = stolen()
        share = (steal_after - steal_before) / (all_after - all_before)
        if share < 0.01:
            self.assertEqual(verdict["level"], "pass", verdict)
        elif share > 0.04:
            self.assertEqual(verdict["level"], "suspect", verdict)

    def test_a_generator_on_a_device_of_memory_speed_is_the_limit(self):
        device = self.zram_device(64)

        def hurry():  # ahead of whatever else loads this machine, to get the CPU that it never stops asking for
            os.setsid()
            os.nice(-20)
            group = pathlib.Path("/proc/self/autogroup")  # the session's; a nice value counts inside of it only
            if group.exists():
                group.write_text("-20")

        arguments = ["--target", device, "--engine", "psync", "--pattern", "randread", "--measure", "3s"]
        finished = self.assay("run", "block", "--quiet", *arguments, preexec_fn=hurry)
        verdict = self.verdict(finished, "cpu.client")
        used = self.evidence(verdict, "user") + self.evidence(verdict, "system")
        self.assertGreater(used, 0.5, verdict)
        self.assertEqual(verdict["level"], "suspect" if used >= 0.95 else "pass", verdict)

    def test_a_generator_that_waits_for_its_device_is_not_the_limit(self):
        finished = self.measure(self.data_file(16), engine="psync", measure="2s")
        self.assertEqual(finished.levels()["cpu.client"], "pass", self.verdict(finished, "cpu.client"))

    def test_direct_io_that_tmpfs_drops_is_refused_or_invalid(self):
        finished = self.measure(self.ram_target(), direct="yes", measure="1s")
        if finished.result is None:  # before Linux 6.6 it cannot be opened so
            self.refused(finished, 2, "direct")
            return
        self.assertEqual(finished.levels()["odirect.dropped"], "invalid")
        self.assertEqual(finished.code, 5)

    def test_direct_io_that_a_journal_of_data_drops_is_refused_or_invalid(self):
        device = self.loop_device(64)
        subprocess.run(["mkfs.ext4", "-q", device], check=True, capture_output=True)
        directory = self.dir / "journal"
        directory.mkdir()
        mounted = subprocess.run(["mount", "-o", "data=journal", device, str(directory)], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no data=journal here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(directory)], capture_output=True)
        finished = self.measure(directory / "data", size="16MiB", direct="yes", measure="1s")
        if finished.result is None:  # found out by the workload before anything was measured
            self.refused(finished, 2, "direct")
            return
        self.assertEqual(finished.levels()["odirect.dropped"], "invalid", self.verdict(finished, "odirect.dropped"))

    def test_direct_io_that_holds_passes(self):
        directory, device = self.mounted()
        for target in (directory / "data", self.loop_device(16)):
            with self.subTest(target=target):
                finished = self.measure(target, size="8MiB", direct="yes", measure="1s")
                self.assertEqual(finished.levels()["odirect.dropped"], "pass", self.verdict(finished, "odirect.dropped"))

    def test_another_writer_on_the_device_is_noticed(self):
        device = self.loop_device(128)
        self.beside("sh", "-c", f"while :; do dd if=/dev/zero of={device} bs=1M seek=64 count=64 oflag=direct; done")
        finished = self.measure(device, size="32MiB", measure="3s")
        verdict = self.verdict(finished, "noise.background")
        self.assertEqual(verdict["level"], "suspect", verdict)
        self.assertGreater(self.evidence(verdict, "device_written"), MIB)

    def test_a_device_of_its_own_is_quiet_for_every_pattern(self):
        directory, _ = self.mounted(size_mib=128)
        for target in (self.loop_device(64), directory / "data"):
            for pattern, direct in (("randread", "yes"), ("randwrite", "yes"), ("write", "yes"), ("read", "no"),
                                    ("randrw", "yes")):  # fmt: skip
                with self.subTest(target=target, pattern=pattern, direct=direct):
                    options = {"destroy": target} if str(target).startswith("/dev/") else {}
                    finished = self.measure(
                        target, pattern=pattern, direct=direct, size="32MiB", measure="1s", queue_depth=8, **options
                    )
                    verdict = self.verdict(finished, "noise.background")
                    self.assertEqual(verdict["level"], "pass", verdict)

    def test_a_closed_loop_is_labelled(self):
        finished = self.measure(self.data_file(16), amount="16MiB")
        self.assertEqual(finished.levels()["closed.loop"], "note")

    # --- control groups -------------------------------------------------------------------------------------------

    def group(self, controller):
        """A cgroup of our own below the root: (directory, version)."""
        self.need_root()
        for parent, version in ((f"/sys/fs/cgroup/{controller}", 1), ("/sys/fs/cgroup", 2)):
            parent = pathlib.Path(parent)
            if version == 2:
                controllers = parent / "cgroup.controllers"
                name = {"blkio": "io"}.get(controller, controller)
                if not controllers.exists() or name not in controllers.read_text().split():
                    continue
                (parent / "cgroup.subtree_control").write_text(f"+{name}")
            elif not (parent / "cgroup.procs").exists():
                continue
            directory = parent / f"assay-test-{os.getpid()}"
            try:
                directory.mkdir()
            except OSError as error:
                self.skipTest(f"SKIPPED, no control group can be made: {error}")
            self.addCleanup(directory.rmdir)
            return directory, version
        self.skipTest(f"SKIPPED, this machine has no {controller} controller")

    def measure_in(self, group, target, **options):
        arguments = ["run", "block", "--quiet", "--target", target, "--pattern", "randread"]
        for key, value in options.items():
            arguments += ["--" + key.replace("_", "-"), value]
        return self.assay(*arguments, preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))

    def test_a_cpu_quota_that_stops_the_run_is_suspect(self):
        group, version = self.group("cpu")
        try:
            if version == 1:
                (group / "cpu.cfs_period_us").write_text("100000")
                (group / "cpu.cfs_quota_us").write_text("30000")
            else:
                (group / "cpu.max").write_text("30000 100000")
        except OSError as error:
            self.skipTest(f"SKIPPED, no CPU quota can be set: {error}")
        finished = self.measure_in(group, self.zram_device(64), engine="psync", measure="3s")
        verdict = self.verdict(finished, "cgroup.limit")
        self.assertEqual(verdict["level"], "suspect", verdict)
        self.assertIn("0.3 CPUs", verdict["message"])
        self.assertIn(group.name, verdict["message"])
        self.assertGreater(self.evidence(verdict, "throttled_time"), 0.3)

    def test_a_cpu_quota_that_is_not_reached_is_a_note(self):
        group, version = self.group("cpu")
        try:
            if version == 1:
                (group / "cpu.cfs_quota_us").write_text("1000000")
            else:
                (group / "cpu.max").write_text("1000000 100000")
        except OSError as error:
            self.skipTest(f"SKIPPED, no CPU quota can be set: {error}")
        finished = self.measure_in(group, self.data_file(16), measure="1s")
        self.assertEqual(finished.levels()["cgroup.limit"], "note", self.verdict(finished, "cgroup.limit"))

    def test_an_io_limit_that_is_the_rate_is_suspect(self):
        group, version = self.group("blkio")
        device = self.loop_device(64)
        number = pathlib.Path(f"/sys/class/block/{os.path.basename(device)}/dev").read_text().strip()
        try:
            if version == 1:
                (group / "blkio.throttle.read_bps_device").write_text(f"{number} {4 * MIB}")
            else:
                (group / "io.max").write_text(f"{number} rbps={4 * MIB}")
        except OSError as error:
            self.skipTest(f"SKIPPED, no I/O limit can be set: {error}")
        finished = self.measure_in(group, device, measure="3s")
        verdict = self.verdict(finished, "cgroup.limit")
        self.assertEqual(verdict["level"], "suspect", verdict)
        self.assertIn(f"{4 * MIB} on {number}", verdict["message"])


if __name__ == "__main__":
    unittest.main()
