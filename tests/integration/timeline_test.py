"""Load and counters on one timeline: what samplers saw is in the result and in series.csv, at the load's instants."""

import csv
import unittest

from harness import LabTest, measured


class Timeline(LabTest):
    def repeat(self, finished):
        return finished.result["stages"][0]["points"][0]["repeats"][0]

    def series(self, finished, metric, labels=""):
        found = [
            one for one in self.repeat(finished)["samples"] if one["metric"] == metric and one["labels"] == labels
        ]
        self.assertEqual(len(found), 1, f"{metric}{{{labels}}}")
        return found[0]

    @staticmethod
    def total(series, start_ns, end_ns):
        """Growth of a counter within [start_ns, end_ns], each point spread evenly over its time."""
        total = 0
        for point_start, point_end, value in series["points"]:
            overlap = min(end_ns, point_end) - max(start_ns, point_start)
            total += max(overlap, 0) / 1e9 * value
        return total

    def test_the_device_counts_what_the_load_counts(self):
        device = self.loop_device(64)
        finished = self.run_block(device, measure="3s", warmup="1s", interval="200ms", block_size="16KiB")
        phase = measured(finished.jobs()[0])
        read = next(operation for operation in phase["operations"] if operation["name"] == "read")
        series = self.series(finished, "disk.read", f"device={device.removeprefix('/dev/')}")
        self.assertEqual(series["unit"], "B/s")
        below = self.total(series, phase["window_start_ns"], phase["window_end_ns"])
        self.assertAlmostEqual(below / read["bytes"], 1, delta=0.03)

    def test_the_window_has_a_reading_at_either_edge_and_one_at_each_interval(self):
        finished = self.run_block(self.data_file(16), measure="2s", warmup="500ms", interval="200ms")
        phase = measured(finished.jobs()[0])
        instants = {end for one in self.repeat(finished)["samples"] for _, end, _ in one["points"]}
        near = lambda at, most_ns: min(abs(at - instant) for instant in instants) < most_ns
        self.assertTrue(near(phase["window_start_ns"], 60e6))
        self.assertTrue(near(phase["window_end_ns"], 60e6))
        window = [one for one in phase["series"] if not one["warmup"]]
        met = sum(near(interval["end_ns"], 40e6) for interval in window)
        self.assertGreaterEqual(met, len(window) - 2, "a reading for each interval of the load")

    def test_both_are_in_one_table(self):
        finished = self.run_block(self.data_file(16), measure="1500ms", interval="500ms")
        with open(finished.bundle / "series.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        load = [row for row in rows if row["sampler"] == ""]
        sampled = [row for row in rows if row["sampler"] == "host"]
        self.assertTrue(any(row["operation"] == "read" and int(row["operations"]) > 0 for row in load))
        kinds = {row["metric"].split(".")[0] for row in sampled}
        self.assertLessEqual({"cpu", "memory", "disk"}, kinds)
        points = sum(len(one["points"]) for one in self.repeat(finished)["samples"])
        self.assertEqual(len(sampled), points)
        for row in sampled:
            self.assertEqual((row["job"], row["operations"]), ("", ""))
            self.assertLessEqual(int(row["start_ns"]), int(row["end_ns"]))
            float(row["value"])

    def test_each_repeat_has_its_own(self):
        finished = self.run_block(self.data_file(16), measure="500ms", repeat="2")
        first, second = finished.result["stages"][0]["points"][0]["repeats"]
        cpu = lambda repeat: [point for one in repeat["samples"] if one["metric"] == "cpu.user" for point in one["points"]]
        starts = min(start for start, _, _ in cpu(second))
        self.assertGreater(starts, first["jobs"][0]["phases"][-1]["window_end_ns"])
        self.assertGreaterEqual(starts, max(end for _, end, _ in cpu(first)) - 100e6)

    def test_nothing_is_sampled_where_nothing_is_asked_for(self):
        path = self.data_file(16)
        finished = self.run_block(path, measure="300ms", sampler="none")
        self.assertEqual(self.repeat(finished)["samples"], [])
        plan = self.write_plan(
            f"samplers: none\nstages: [{{workload: block, targets: [{path}], time: {{measure: 300ms}}}}]\n"
        )
        finished = self.assay("run", plan, "--quiet")
        self.assertEqual(finished.code, 0, finished.err)
        self.assertEqual(self.repeat(finished)["samples"], [])

    def test_a_plan_chooses_and_narrows(self):
        path = self.data_file(16)
        plan = self.write_plan(
            'samplers: [{host: {groups: [cpu, memory], select: ["cpu.*{cpu=0}", memory.free]}}]\n'
            f"stages: [{{workload: block, targets: [{path}], time: {{measure: 500ms}}}}]\n"
        )
        finished = self.assay("run", plan, "--quiet")
        self.assertEqual(finished.code, 0, finished.err)
        names = {(one["metric"].split(".")[0], one["labels"]) for one in self.repeat(finished)["samples"]}
        self.assertEqual(names, {("cpu", "cpu=0"), ("memory", "")})
        self.assertIn("samplers:", finished.result["plan_yaml"])

    def test_what_is_no_sampler_is_refused(self):
        path = self.data_file(1)
        self.refused(self.assay("run", "block", "--target", path, "--sampler", "nothing"), 2, "nothing")
        self.refused(self.assay("run", "block", "--target", path, "--sampler", "block"), 2, "block", "sampler")
        plan = self.write_plan(
            'samplers: [{host: {select: ["gpu.*"]}}]\n'
            f"stages: [{{workload: block, targets: [{path}], time: {{measure: 300ms}}}}]\n"
        )
        self.refused(self.assay("run", plan), 2, "matches no series")


if __name__ == "__main__":
    unittest.main()
