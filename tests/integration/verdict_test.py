"""Verdicts on real cases: each way of lying is caught, and its honest twin is not accused."""

import os
import subprocess
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


if __name__ == "__main__":
    unittest.main()
