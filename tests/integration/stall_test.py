"""No coordinated omission: a target that stands still for a second shows in the response times as arithmetic says."""

import subprocess
import threading
import time
import unittest

from harness import LabTest, measured, operation

SECONDS = 60
STALL_S = 1
RATE = 200


class Stall(LabTest):
    def test_a_second_without_an_answer_is_in_the_p99_of_a_minute(self):
        """A frozen file system takes no write. Of those due in that second, all wait until it thaws: evenly spread from
        1 s down to nothing. They are 1/60 of all, 1.67 %, so the 99th percentile lies where 1 % of all waited longer:
        (1 - x) / 60 = 0.01, x = 0.4 s; what had piled up takes a moment more."""
        directory, _ = self.mounted(size_mib=128)
        target = directory / "data"
        self.run_block(target, pattern="write", size="32MiB", block_size="1MiB", layout="always", check_code=False)
        frozen = []

        def freeze():
            time.sleep(20)
            start = time.monotonic()
            if subprocess.run(["fsfreeze", "--freeze", str(directory)]).returncode != 0:
                return
            time.sleep(STALL_S - (time.monotonic() - start))
            subprocess.run(["fsfreeze", "--unfreeze", str(directory)])
            frozen.append(time.monotonic() - start)

        self.addCleanup(
            subprocess.run, ["fsfreeze", "--unfreeze", str(directory)], capture_output=True
        )
        freezer = threading.Thread(target=freeze)
        freezer.start()
        finished = self.run_block(
            target, pattern="randwrite", block_size="4KiB", engine="psync", rate=f"{RATE}/s", measure=f"{SECONDS}s",
            size="32MiB", check_code=False,
        )
        freezer.join()
        if not frozen:
            self.skipTest("this file system cannot be frozen")
        job = finished.jobs()[0]
        write = operation(job, "write")
        latency, response = (
            next(one for one in write["histograms"] if one["name"] == name) for name in ("latency", "response")
        )
        stall_s = frozen[0]
        share = stall_s / SECONDS
        expected_s = stall_s * (1 - 0.01 / share)
        self.assertAlmostEqual(response["derived"]["p99_ns"] / 1e9, expected_s, delta=0.08)
        # In a closed loop one request would have seen it, and no percentile of 12,000 but the maximum.
        self.assertLess(latency["derived"]["p99_ns"] / 1e9, 0.1)
        for histogram in (latency, response):
            self.assertAlmostEqual(histogram["max_ns"] / 1e9, stall_s, delta=0.15)
        # Every start that was due happened, those of the stall late.
        arrival = measured(job)["arrival"]
        self.assertAlmostEqual(write["operations"], RATE * SECONDS, delta=RATE * SECONDS * 0.005)
        self.assertGreaterEqual(arrival["late_starts"], RATE * stall_s * 0.95)
        self.assertEqual(arrival["missed_starts"], 0)


if __name__ == "__main__":
    unittest.main()
