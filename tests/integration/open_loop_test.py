"""Open loops on real files: the rate that was offered, response times from the intended start, curves."""

import unittest

from harness import LabTest, facts, measured, operation


def response(job, name="read"):
    return next(one for one in operation(job, name)["histograms"] if one["name"] == "response")["derived"]


def service(job, name="read"):
    return operation(job, name)["histograms"][0]["derived"]


class OpenLoop(LabTest):
    def test_the_rate_is_what_was_offered(self):
        path = self.data_file(16)
        for engine in ("psync", "libaio", "io_uring"):
            for arrival in ("constant", "poisson"):
                with self.subTest(engine=engine, arrival=arrival):
                    finished = self.run_block(
                        path, engine=engine, rate="400/s", arrival=arrival, measure="4s", queue_depth="8", workers="2"
                    )
                    job = finished.jobs()[0]
                    phase = measured(job)
                    self.assertEqual(phase["arrival"]["process"], arrival)
                    self.assertEqual(phase["arrival"]["offered_operations_per_s"], 400)
                    # 1600 starts; a Poisson process has a standard deviation of 40, and five of them are 200.
                    allowed = 200 if arrival == "poisson" else 16
                    self.assertAlmostEqual(operation(job, "read")["operations"], 1600, delta=allowed)
                    self.assertGreaterEqual(response(job)["mean_ns"], service(job)["mean_ns"])
                    # The window's edge may cut through what a worker is just publishing: one request for each.
                    self.assertAlmostEqual(response(job)["count"], operation(job, "read")["operations"], delta=2)

    def test_what_cannot_keep_up_is_told(self):
        # One request at a time and each is followed by a flush: far below a million a second.
        finished = self.run_block(
            self.data_file(16), engine="psync", pattern="randwrite", rate="1M/s", measure="2s", check_code=False
        )
        job = finished.jobs()[0]
        phase = measured(job)
        window_s = (phase["window_end_ns"] - phase["window_start_ns"]) / 1e9
        done = operation(job, "write")["operations"]
        # Offered = completed + in flight (at most one) + missed.
        self.assertAlmostEqual(phase["arrival"]["missed_starts"] + done, 1e6 * window_s, delta=0.01 * 1e6 * window_s)
        self.assertEqual(finished.levels()["closed.loop"], "suspect")
        # The queue grows evenly: the last ones waited nearly the whole time, the median half of it.
        share = 1 - done / (1e6 * window_s)
        self.assertAlmostEqual(response(job, "write")["p50_ns"] / 1e9, window_s / 2 * share, delta=0.25 * window_s)

    def test_a_closed_loop_has_no_response_times(self):
        finished = self.run_block(self.data_file(16), measure="300ms")
        job = finished.jobs()[0]
        self.assertNotIn("arrival", measured(job))
        self.assertEqual([one["name"] for one in operation(job, "read")["histograms"]], ["latency"])
        self.assertEqual(finished.levels()["closed.loop"], "note")

    def test_a_curve_offers_shares_of_what_the_first_point_reached(self):
        finished = self.run_block(self.data_file(16), engine="psync", rate="curve", measure="500ms", check_code=False)
        points = finished.result["stages"][0]["points"]
        texts = [point["parameters"][0]["value"] for point in points]
        self.assertEqual(texts, ["max"] + [f"{share}%" for share in range(10, 101, 10)])
        first = measured(points[0]["repeats"][0]["jobs"][0])
        window_s = (first["window_end_ns"] - first["window_start_ns"]) / 1e9
        reached = sum(one["operations"] for one in first["operations"]) / window_s
        for share, point in zip(range(10, 101, 10), points[1:]):
            offered = measured(point["repeats"][0]["jobs"][0])["arrival"]["offered_operations_per_s"]
            self.assertAlmostEqual(offered, reached * share / 100, delta=1e-6 * reached)

    def test_the_summary_has_response_times(self):
        finished = self.run_block(self.data_file(16), rate="1k/s", measure="1s")
        self.assertIn("response", finished.out)
        self.assertIn("1.00k starts/s offered, constant", finished.out)

    def test_think_time_is_no_empty_queue(self):
        finished = self.run_block(self.data_file(16), think_time="5ms", measure="1s")
        self.assertTrue(facts(finished.jobs()[0])["pauses"])
        self.assertNotIn("little.law", finished.levels())
        # At most one request in 5 ms.
        self.assertLessEqual(operation(finished.jobs()[0], "read")["operations"], 201)

    def test_what_makes_no_sense_is_refused(self):
        path = self.data_file(1)
        run = lambda *more: self.assay("run", "block", "--target", path, "--quiet", *more)
        self.refused(run("--arrival", "poisson"), 2, "arrival", "rate")
        self.refused(run("--rate", "50%"), 2, "50%", "max")
        self.refused(run("--rate", "100"), 2, "100", "5000/s")
        self.refused(run("--rate", "1k/s", "--arrival", "pareto"), 2, "pareto", "constant")


if __name__ == "__main__":
    unittest.main()
