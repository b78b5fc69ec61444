"""A run as a user sees it: windows, several jobs, fixed work against fio, stops, trouble in the middle, the bundle."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from harness import ASSAY, LabTest, MIB, facts, measured, operation

SCHEMA = pathlib.Path(__file__).parents[2] / "core" / "result" / "io" / "result.schema.json"


class Bundle(LabTest):
    def test_the_result_validates_against_its_published_schema(self):
        import jsonschema

        finished = self.run_block(self.data_file(4), measure="1s", interval="200ms", check_code=False)
        jsonschema.validate(finished.result, json.loads(SCHEMA.read_text()))
        broken = dict(finished.result)
        del broken["stages"]
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(broken, json.loads(SCHEMA.read_text()))

    def test_the_series_sums_to_the_totals(self):
        finished = self.run_block(
            self.data_file(4), pattern="randread", amount="64MiB", interval="100ms", check_code=False
        )
        phase = measured(finished.jobs()[0])
        total = sum(point["operations"][0]["operations"] for point in phase["series"])
        self.assertEqual(total, 64 * MIB // 4096)
        rows = list(csv.DictReader((finished.bundle / "series.csv").read_text().splitlines()))
        column = next(name for name in rows[0] if name.startswith("operations"))
        kept = [row for row in rows if row["operation"] == "read" and "randread" in row.values()]
        self.assertEqual(sum(int(row[column]) for row in kept), 64 * MIB // 4096)

    def test_histogram_buckets_sum_to_operations(self):
        # Fixed work: a window bounded by time may cut through a batch that is counted but not yet published.
        finished = self.run_block(self.data_file(4), amount="64MiB", workers=2, queue_depth=8, check_code=False)
        read = operation(finished.jobs()[0], "read")
        latency = read["histograms"][0]
        self.assertEqual(sum(count for _, count in latency["buckets"]), read["operations"])

    def test_context_names_machine_kernel_and_device(self):
        finished = self.run_block(self.data_file(1), pattern="read", check_code=False)
        context = {fact["key"]: fact["value"] for fact in finished.result["context"]}
        self.assertIn(os.uname().release, context["kernel"])
        self.assertEqual(context["cpu_count"], os.cpu_count())
        target = finished.jobs()[0]["targets"][0]
        self.assertTrue(target["devices"], target)

    def test_the_plugin_is_on_record_with_its_hash(self):
        import hashlib

        finished = self.run_block(self.data_file(1), pattern="read", check_code=False)
        plugin = finished.result["plugins"][0]
        self.assertEqual(plugin["sha256"], hashlib.sha256(pathlib.Path(plugin["path"]).read_bytes()).hexdigest())

    def test_without_output_the_bundle_goes_under_assay_results(self):
        path = self.data_file(1)
        process = subprocess.run(
            [ASSAY, "run", "block", "--target", path, "--pattern", "read", "--quiet"], cwd=self.dir, capture_output=True
        )
        self.assertIn(process.returncode, (0, 5))
        self.assertEqual(len(list((self.dir / "assay-results").glob("block-*/result.json"))), 1)


class Work(LabTest):
    """A fixed amount of work moves exactly the bytes that fio moves for the same parameters."""

    def fio(self, path, **options):
        if shutil.which("fio") is None:
            self.skipTest("needs fio")
        command = ["fio", "--name=x", f"--filename={path}", "--output-format=json"]
        command += [f"--{key}={value}" for key, value in options.items()]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        jobs = json.loads(finished.stdout[finished.stdout.index("{") :])["jobs"]  # fio puts notes in front
        return tuple(sum(job[side][key] for job in jobs) for side in ("read", "write") for key in ("io_bytes", "total_ios"))

    def ours(self, path, **options):
        job = self.run_block(path, check_code=False, **options).jobs()[0]
        return tuple(operation(job, side)[key] for side in ("read", "write") for key in ("bytes", "operations"))

    def test_a_pass_over_a_region_in_every_engine(self):
        path = self.data_file(16)
        for engine, peer in (("psync", "psync"), ("libaio", "libaio"), ("io_uring", "io_uring")):
            for pattern in ("read", "write", "randread", "randwrite"):
                with self.subTest(engine=engine, pattern=pattern):
                    theirs = self.fio(path, ioengine=peer, rw=pattern, bs="16k", size="10m", iodepth=8, direct=1)
                    mine = self.ours(path, engine=engine, pattern=pattern, block_size="16KiB", size="10MiB", queue_depth=8)
                    self.assertEqual(mine, theirs)

    def test_a_size_that_is_no_multiple_of_the_block(self):
        # A file of just that size: in a larger one fio's sequential patterns step over the end of the region.
        path = self.dir / "odd"
        path.write_bytes(os.urandom(1000 * 1024))
        for pattern in ("read", "randread", "write"):
            with self.subTest(pattern=pattern):
                theirs = self.fio(path, ioengine="psync", rw=pattern, bs="64k", size="1000k", direct=1)
                mine = self.ours(path, engine="psync", pattern=pattern, block_size="64KiB", size="1000KiB")
                self.assertEqual(mine, theirs)

    def test_several_workers_each_over_the_whole_file(self):
        path = self.data_file(8)
        theirs = self.fio(path, ioengine="libaio", rw="randread", bs="4k", size="8m", iodepth=4, direct=1, numjobs=3)
        mine = self.ours(path, engine="libaio", pattern="randread", size="8MiB", queue_depth=4, workers=3, share="shared")
        self.assertEqual(mine, theirs)

    def test_more_than_one_pass(self):
        path = self.data_file(4)
        theirs = self.fio(path, ioengine="psync", rw="randread", bs="4k", size="4m", io_size="10m", direct=1)
        mine = self.ours(path, engine="psync", pattern="randread", size="4MiB", amount="10MiB")
        self.assertEqual(mine, theirs)

    def test_a_file_that_both_lay_out(self):
        theirs = self.fio(self.dir / "f", ioengine="psync", rw="read", bs="128k", size="6m", direct=1)
        mine = self.ours(self.dir / "a", engine="psync", pattern="read", block_size="128KiB", size="6MiB")
        self.assertEqual(mine, theirs)
        self.assertEqual(os.path.getsize(self.dir / "a"), os.path.getsize(self.dir / "f"))


class Windows(LabTest):
    def test_warmup_is_cut_out_and_the_window_is_as_long_as_asked(self):
        finished = self.run_block(self.data_file(4), pattern="randread", warmup="1s", measure="2s", check_code=False)
        phase = measured(finished.jobs()[0])
        window_s = (phase["window_end_ns"] - phase["window_start_ns"]) / 1e9
        self.assertAlmostEqual(window_s, 2.0, delta=0.1)
        self.assertAlmostEqual(phase["warmup_ns"] / 1e9, 1.0, delta=0.1)
        self.assertEqual(phase["end"], "time")
        rate = phase["operations"][0]["operations"] / window_s
        self.assertAlmostEqual(phase["operations"][0]["derived"]["iops"], rate, delta=rate * 1e-6)

    def test_repeats_and_sweeps_give_every_combination(self):
        finished = self.assay(
            "run", "block", "--quiet", "--target", self.data_file(4), "--pattern", "randread", "--amount", "1MiB",
            "--sweep", "block_size=4KiB,16KiB", "--sweep", "queue_depth=1,2,4", "--repeat", "2",
        )  # fmt: skip
        points = finished.result["stages"][0]["points"]
        wanted = [(size, depth) for size in ("4KiB", "16KiB") for depth in ("1", "2", "4")]
        self.assertEqual([tuple(parameter["value"] for parameter in point["parameters"]) for point in points], wanted)
        self.assertEqual([len(point["repeats"]) for point in points], [2] * 6)
        for point, (size, _) in zip(points, wanted):
            read = operation(point["repeats"][0]["jobs"][0], "read")
            self.assertEqual(read["bytes"], MIB)
            self.assertEqual(read["operations"], MIB // (4096 if size == "4KiB" else 16384))


class SeveralJobs(LabTest):
    def test_a_reader_and_a_writer_run_at_the_same_time_with_different_engines(self):
        plan = self.write_plan(
            f"""
name: two-jobs
stages:
  - jobs:
      reader:
        workload: block
        targets: [{self.zram_device()}]
        options: {{engine: io_uring, pattern: randread, queue_depth: 16}}
        workers: 2
      writer:
        workload: block
        targets: [{self.loop_device()}]
        options: {{engine: libaio, pattern: randwrite, queue_depth: 4, block_size: 16KiB}}
        start_after: 500ms
    time: {{warmup: 500ms, measure: 2s}}
"""
        )
        finished = self.assay("run", plan, "--quiet")
        self.assertIn(finished.code, (0, 5), finished.err)
        jobs = {job["name"]: job for job in finished.jobs()}
        self.assertGreater(operation(jobs["reader"], "read")["operations"], 1000)
        self.assertEqual(operation(jobs["reader"], "write")["operations"], 0)
        self.assertGreater(operation(jobs["writer"], "write")["operations"], 100)
        self.assertEqual(facts(jobs["reader"])["engine"], "io_uring")
        self.assertEqual(facts(jobs["writer"])["engine"], "libaio")
        windows = [(measured(job)["window_start_ns"], measured(job)["window_end_ns"]) for job in jobs.values()]
        overlap_s = (min(end for _, end in windows) - max(start for start, _ in windows)) / 1e9
        self.assertAlmostEqual(overlap_s, 1.5, delta=0.2)

    def test_set_overrides_every_job(self):
        plan = self.write_plan(
            f"""
stages:
  - jobs:
      a: {{workload: block, targets: [{self.data_file(1, "a")}], options: {{pattern: read}}}}
      b: {{workload: block, targets: [{self.data_file(1, "b")}], options: {{pattern: read}}}}
"""
        )
        finished = self.assay("run", plan, "--quiet", "--set", "block_size=256KiB")
        self.assertEqual([operation(job, "read")["operations"] for job in finished.jobs()], [4, 4])
        finished = self.assay("run", plan, "--quiet", "--set", "stages.0.jobs.b.options.block_size=512KiB")
        self.assertEqual([operation(job, "read")["operations"] for job in finished.jobs()], [256, 2])


class Stops(LabTest):
    def start(self, *arguments):
        bundle = self.dir / "bundle"
        process = subprocess.Popen(
            [ASSAY, "run", "block", "--output", bundle, *map(str, arguments)],
            cwd=self.dir,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        return process, bundle

    def test_ctrl_c_writes_what_was_measured_and_marks_it(self):
        process, bundle = self.start("--target", self.data_file(4), "--pattern", "randread", "--measure", "60s")
        time.sleep(2.5)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(process.returncode, 130, err)
        result = json.loads((bundle / "result.json").read_text())
        self.assertTrue(result["cut_short"])
        phase = measured(result["stages"][0]["points"][0]["repeats"][0]["jobs"][0])
        self.assertEqual(phase["end"], "stopped")
        self.assertGreater(phase["operations"][0]["operations"], 0)
        self.assertIn("cut short", out.lower())
        self.assertGreaterEqual(len(err.splitlines()), 2, "plain progress lines when not on a terminal")

    def test_sigterm_during_layout_leaves_no_half_file(self):
        path = self.dir / "big"
        process, _ = self.start("--target", path, "--size", "20GiB", "--pattern", "read")
        deadline = time.monotonic() + 20
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)
        self.assertFalse(path.exists())

    def test_kill_nine_leaves_no_result_that_looks_whole(self):
        process, bundle = self.start("--target", self.data_file(4), "--pattern", "randread", "--measure", "60s")
        time.sleep(1.5)
        process.kill()
        process.wait()
        self.assertFalse((bundle / "result.json").exists())


class Trouble(LabTest):
    def test_a_device_that_disappears_ends_the_run_with_its_name(self):
        self.need_root()
        for engine in ("io_uring", "libaio", "psync"):
            with self.subTest(engine=engine):
                image = self.dir / f"image-{engine}"
                image.write_bytes(os.urandom(16 * MIB))
                device = subprocess.run(
                    ["losetup", "-f", "--show", str(image)], capture_output=True, text=True, check=True
                ).stdout.strip()
                self.addCleanup(subprocess.run, ["losetup", "-d", device], capture_output=True)
                process = subprocess.Popen(
                    [ASSAY, "run", "block", "--no-bundle", "--quiet", "--target", device, "--engine", engine]
                    + ["--pattern", "randread", "--queue-depth", "4", "--measure", "30s"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                self.addCleanup(process.kill)
                time.sleep(1)
                # The backing store goes away under the open device: every request fails from here on.
                os.truncate(image, 0)
                started = time.monotonic()
                out, err = process.communicate(timeout=60)
                self.assertLess(time.monotonic() - started, 20)
                self.assertEqual(process.returncode, 3, err)
                self.assertIn(device, err)
                subprocess.run(["losetup", "-d", device], capture_output=True)

    def test_the_summary_goes_to_stdout_and_progress_to_stderr(self):
        finished = self.assay("run", "block", "--target", self.data_file(4), "--pattern", "randread", "--measure", "2s")
        self.assertIn("IOPS", finished.out)
        self.assertNotIn("\033", finished.out + finished.err)

    def test_a_closed_stdout_does_not_kill_the_bundle(self):
        bundle = self.dir / "bundle"
        process = subprocess.Popen(
            [ASSAY, "run", "block", "--target", self.data_file(1), "--pattern", "read", "--output", bundle],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        process.stdout.close()
        process.wait(timeout=30)
        self.assertTrue((bundle / "result.json").exists())


class Lists(LabTest):
    def test_show_needs_no_instance_and_lists_every_option(self):
        shown = json.loads(self.assay("plugins", "show", "block", "--json").out)
        keys = {option["key"] for option in shown["options"]}
        self.assertLessEqual({"engine", "direct", "pattern", "block_size", "queue_depth", "size"}, keys)
        self.assertTrue(all(option["help"] for option in shown["options"]))
        text = self.assay("plugins", "show", "block").out
        for key in keys:
            self.assertIn(key, text)

    def test_list_names_block(self):
        self.assertIn("block", self.assay("plugins", "list").out)
        listed = json.loads(self.assay("plugins", "list", "--json").out)
        self.assertIn("block", [plugin["name"] for plugin in listed["plugins"]])

    def test_completion_offers_flags_and_enum_values(self):
        flags = self.assay("completion", "words", "3", "assay", "run", "block", "--").out.split()
        self.assertIn("--queue-depth", flags)
        self.assertIn("--target", flags)
        values = self.assay("completion", "words", "4", "assay", "run", "block", "--engine", "").out.split()
        self.assertEqual(set(values), {"psync", "libaio", "io_uring"})

    def test_help_of_a_workload_shows_its_options_and_an_example(self):
        text = self.assay("run", "block", "--help").out
        self.assertIn("queue", text)
        self.assertIn("Example", text)


if __name__ == "__main__":
    unittest.main()
