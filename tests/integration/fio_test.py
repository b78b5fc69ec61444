"""`assay fio`: the guides' command lines run as they are written, and jobs of fixed work move what Debian's fio moves."""

import json
import os
import pathlib
import shutil
import subprocess

from harness import ASSAY, LabTest, MIB, measured
from options_test import Traced

FIO = shutil.which("fio")


class FioTest(LabTest):
    def fio(self, *arguments, code=0):
        """Runs `assay fio ARGUMENTS` in the scratch directory with a bundle; fails the test on another exit code."""
        bundle = self.dir / f"bundle-{len(list(self.dir.glob('bundle-*')))}"
        finished = self.assay("fio", *arguments, f"--assay-output={bundle}", "--verdict-exit=off")
        finished.result = json.loads((bundle / "result.json").read_text()) if (bundle / "result.json").exists() else None
        self.assertEqual(finished.code, code, finished.err + finished.out)
        return finished

    def moved(self, finished):
        """[(read bytes, read requests, written bytes, write requests)] of each job, over its clones."""
        found = []
        for job in finished.jobs():
            sides = {op["name"]: op for op in measured(job)["operations"]}
            found.append(tuple(sides[side][key] for side in ("read", "write") for key in ("bytes", "operations")))
        return found

    def file_sizes(self, directory):
        return {path.name: path.stat().st_size for path in pathlib.Path(directory).iterdir()}


class Guides(FioTest):
    """Paths local, sizes and times cut down, everything else as the guides have it."""

    def test_the_framework_guides_write_commands(self):
        for rw in ("write", "randwrite"):
            with self.subTest(rw):
                finished = self.fio(
                    f"--filename={self.dir}/fiotest", "--ioengine=libaio", "--time_based", "--group_reporting",
                    "--refill_buffers", "--norandommap", "--randrepeat=0", "--unlink=1", "--name=write-random-write",
                    "--nrfiles=1", "--direct=1", "--iodepth=64", "--runtime=1", "--numjobs=8", f"--rw={rw}", "--bs=4K",
                    "--size=32M", "--startdelay=1", "--output-format=json",
                )  # fmt: skip
                (job,) = finished.jobs()
                self.assertEqual(len(measured(job)["workers"]), 8)
                self.assertEqual(job["targets"][0]["length_bytes"], 32 * MIB, "each clone covers all of the file")
                self.assertTrue(job["targets"][0]["direct"])
                self.assertGreater(self.moved(finished)[0][3], 0)
                self.assertFalse((self.dir / "fiotest").exists(), "unlink")

    def test_the_framework_guides_iops_and_throughput_commands(self):
        for block, depth, clones in (("4k", 128, 12), ("1m", 32, 4)):
            for rw in ("read", "randread", "write", "randwrite"):
                with self.subTest(bs=block, rw=rw):
                    finished = self.fio(
                        f"--rw={rw}", "--refill_buffers", "--norandommap", "--randrepeat=0", "--ioengine=io_uring",
                        f"--bs={block}", f"--iodepth={depth}", f"--numjobs={clones}", "--size=64m", "--time_based",
                        "--runtime=500ms", "--group_reporting", f"--filename={self.dir}/fio-test",
                        "--name=jobs-test-job", "--direct=1", "--cpus_allowed_policy=split",
                    )  # fmt: skip
                    (job,) = finished.jobs()
                    self.assertEqual(len(measured(job)["workers"]), clones)
                    read_bytes, reads, written_bytes, writes = self.moved(finished)[0]
                    size = 4096 if block == "4k" else MIB
                    self.assertEqual((read_bytes, written_bytes), (reads * size, writes * size))
                    self.assertGreater(reads if "read" in rw else writes, 0)

    def test_the_sweep_that_writes_a_file_for_each_node(self):
        output = self.dir / "sweep-2.json"
        finished = self.fio(
            "--name=r", f"--filename={self.dir}/f", "--rw=read", "--bs=1m", "--direct=1", "--ioengine=libaio",
            "--iodepth=32", "--numjobs=2", "--size=64m", "--runtime=1", "--time_based", "--group_reporting",
            "--output-format=json", f"--output={output}",
        )  # fmt: skip
        self.assertEqual(finished.out, "", "the result is in the file")
        self.assertGreater(output.stat().st_size, 0)

    def test_the_iops_guides_job_file_on_two_devices_with_numjobs_after_it(self):
        devices = [self.loop_device(16), self.loop_device(16)]
        job = self.dir / "randread.fio"
        job.write_text(
            "[global]\ngtod_reduce=1\ngroup_reporting=1\nioengine=libaio\ntime_based=1\nrw=randread\nbs=4k\ndirect=1\n"
            "ramp_time=1\nruntime=1\niodepth_batch=32\niodepth_batch_complete=8\niodepth_low=16\niodepth=32\nloops=3\n"
            f"[job1]\nfilename={devices[0]}\n[job2]\nfilename={devices[1]}\n"
        )
        finished = self.fio(str(job), "--numjobs=2")
        jobs = finished.jobs()
        self.assertEqual([one["name"] for one in jobs], ["job1", "job2"])
        self.assertEqual([one["targets"][0]["name"] for one in jobs], devices)
        for one in jobs:
            self.assertEqual(len(measured(one)["workers"]), 2)
            self.assertAlmostEqual(measured(one)["warmup_ns"], 1e9, delta=1e8)
            self.assertEqual(one["targets"][0]["length_bytes"], 16 * MIB)

    def test_a_windows_job_is_one_clear_error(self):
        job = self.dir / "windows.fio"
        job.write_text("[global]\nioengine=windowsaio\nthread\n[job1]\nfilename=\\\\.\\PhysicalDrive1\n")
        self.refused(self.assay("fio", job), 2, "windowsaio", "libaio")


# Work without a time, where fio's count of requests and bytes is determined. {d}: a fresh directory.
FIXED = {
    "sequential reads of a file that is laid out first": ["--rw=read", "--size=2m"],
    "a size that is no whole number of blocks": ["--rw=write", "--size=10000"],
    "sequential writes in large blocks": ["--rw=write", "--size=4m", "--bs=1m"],
    "random writes, each block once": ["--rw=randwrite", "--size=1m", "--bs=8k"],
    "random reads without a map": ["--rw=randread", "--size=1m", "--norandommap"],
    "three loops": ["--rw=read", "--size=512k", "--loops=3"],
    "less work than the file holds": ["--rw=write", "--size=1m", "--io_size=100k"],
    "more work than the file holds": ["--rw=read", "--size=256k", "--io_size=1m"],
    "a number of requests": ["--rw=read", "--size=1m", "--number_ios=10"],
    "clones with a file each": ["--rw=write", "--size=512k", "--numjobs=3", "--group_reporting"],
    "clones on one file": ["--rw=read", "--size=512k", "--numjobs=3", "--group_reporting", "--filename=f"],
    "several files of one job": ["--rw=write", "--size=1m", "--nrfiles=4"],
    "a size that files cannot share evenly": ["--rw=write", "--size=40k", "--nrfiles=3"],
    "clones with several files": ["--rw=write", "--size=64k", "--nrfiles=2", "--numjobs=2", "--group_reporting"],
    "files that are named": ["--rw=write", "--size=64k", "--filename=f1:f2"],
    "an offset": ["--rw=write", "--size=40k", "--offset=8k"],
    "the size of each file": ["--rw=read", "--size=1m", "--nrfiles=3", "--filesize=100k"],
    "bytes for each direction": ["--rw=write", "--bs=1k,2k,4k", "--size=64k"],
    "asynchronous direct reads": ["--rw=randread", "--size=1m", "--ioengine=libaio", "--iodepth=16", "--direct=1"],
    "asynchronous direct writes": ["--rw=write", "--size=1m", "--ioengine=io_uring", "--iodepth=8", "--direct=1"],
    "all reads of a mix": ["--rw=randrw", "--rwmixread=100", "--size=512k"],
    "all writes of a mix": ["--rw=rw", "--rwmixread=0", "--size=512k"],
    "a runtime that is not reached": ["--rw=read", "--size=512k", "--runtime=60"],
    "sizes with a percentage": ["--rw=read", "--filename=../existing", "--size=50%"],
    "loops of a number of requests": ["--rw=randread", "--size=40k", "--loops=3", "--number_ios=5"],
    "all of a file": ["--rw=read", "--filename=../existing", "--size=100%", "--bs=64k"],
    "directories, one after the other": ["--rw=write", "--size=64k", "--numjobs=3", "--directory=..:.", "--group_reporting"],
    "names of their own": ["--rw=write", "--size=64k", "--filename_format=$jobname-$filenum-$jobnum", "--numjobs=2",
                           "--nrfiles=2", "--group_reporting"],
    "synchronous writes to a file with data": ["--rw=write", "--size=64k", "--overwrite=1"],
    "sync calls between writes": ["--rw=write", "--size=256k", "--fsync=16", "--end_fsync=1"],
    "files that are removed": ["--rw=write", "--size=256k", "--unlink=1"],
    "slices by offset": [
        "--rw=write", "--size=128k", "--numjobs=4", "--offset_increment=128k", "--filename=f", "--group_reporting",
    ],
}  # fmt: skip


class SideBySide(FioTest):
    def setUp(self):
        super().setUp()
        if FIO is None:
            self.skipTest("needs Debian's fio to compare with")

    def theirs(self, directory, arguments):
        process = subprocess.run(
            [FIO, "--output-format=json", *arguments], cwd=directory, capture_output=True, text=True, timeout=60
        )
        self.assertEqual(process.returncode, 0, process.stderr + process.stdout)
        jobs = json.loads(process.stdout[process.stdout.index("{") :])["jobs"]
        return [
            tuple(job[side][key] for side in ("read", "write") for key in ("io_bytes", "total_ios")) for job in jobs
        ]

    def both(self, arguments):
        """Runs the job under both programs; returns what each moved, after comparing the files they leave."""
        places = [self.dir / f"theirs-{len(list(self.dir.iterdir()))}", self.dir / f"ours-{len(list(self.dir.iterdir()))}"]
        for place in places:
            place.mkdir()
        theirs = self.theirs(places[0], arguments)
        ours = self.moved(self.fio_in(places[1], arguments))
        self.assertEqual(self.file_sizes(places[1]), self.file_sizes(places[0]))
        return ours, theirs

    def fio_in(self, directory, arguments):
        bundle = self.dir / f"bundle-{directory.name}"
        finished = self.assay("fio", f"--assay-output={bundle}", *arguments, "--verdict-exit=off", cwd=directory)
        self.assertEqual(finished.code, 0, finished.err + finished.out)
        finished.result = json.loads((bundle / "result.json").read_text())
        return finished

    def test_fixed_work_moves_what_fio_moves(self):
        self.data_file(1, "existing")
        for name, arguments in FIXED.items():
            with self.subTest(name):
                ours, theirs = self.both(["--name=job", *arguments])
                self.assertEqual(ours, theirs)

    def test_a_mix_moves_the_same_total_in_about_its_shares(self):
        ours, theirs = self.both(["--name=job", "--rw=randrw", "--rwmixread=70", "--size=8m"])
        (ours,), (theirs,) = ours, theirs
        self.assertEqual(ours[0] + ours[2], theirs[0] + theirs[2])
        # 2048 draws with probability 0.7: five standard deviations are 104.
        self.assertAlmostEqual(ours[1], 0.7 * 2048, delta=104)

    def test_a_job_file_with_sections_stonewall_and_include(self):
        (self.dir / "common.fio").write_text("size=512k\nbs=16k\n")
        job = self.dir / "sections.fio"
        job.write_text(
            "; comment\n[global]\ninclude common.fio\n\n[first]\nrw=write\nfilename=${NAME}\n"
            "[second]\nstonewall\nrw=randread\nfilename=${NAME} # what first wrote\nloops=2\n"
            "[third]\nrw=write\nbs=4k\n"
        )
        os.environ["NAME"] = "shared"
        self.addCleanup(os.environ.pop, "NAME")
        ours, theirs = self.both([str(job)])
        self.assertEqual(ours, theirs)
        self.assertEqual(ours[1], (MIB, 64, 0, 0))


    def test_jobs_that_share_a_file_nobody_has_made_yet(self):
        job = self.dir / "together.fio"
        job.write_text("[global]\nfilename=both\nsize=1m\n[w]\nrw=randwrite\n[r]\nrw=randread\nsize=512k\n")
        places = [self.dir / "theirs", self.dir / "ours"]
        for place in places:
            place.mkdir()
        theirs = self.theirs(places[0], [str(job)])
        ours = self.moved(self.fio_in(places[1], [str(job)]))
        self.assertEqual(ours[1:], theirs, "after the layout, which is no job of fio's")
        self.assertEqual(self.file_sizes(places[1]), self.file_sizes(places[0]))


class Behaviour(FioTest):
    def test_a_link_named_fio_exits_as_fio_does(self):
        link = self.dir / "fio"
        link.symlink_to(ASSAY)

        def call(*arguments):
            return subprocess.run([link, *arguments], cwd=self.dir, capture_output=True, text=True, timeout=60)

        self.assertEqual(call("--name=x", "--foo=1").returncode, 1)
        self.assertEqual(call("none.fio").returncode, 1)
        self.assertTrue(call("--version").stdout.startswith("fio-"))
        fine = call("--name=x", "--size=64k", "--rw=write")
        self.assertEqual(fine.returncode, 0, fine.stderr)
        self.assertIn("phase.short", fine.stderr, "verdicts are there, and change no exit code")

    def test_an_invalid_verdict_decides_the_exit_code_unless_told_otherwise(self):
        # Ten passes over a megabyte through the page cache are no reads of a device.
        device = self.loop_device(16)
        job = ["--name=x", f"--filename={device}", "--size=1m", "--rw=read", "--bs=64k", "--loops=10"]
        finished = self.assay("fio", *job)
        self.assertIn("INVALID cache.client", finished.err)
        self.assertEqual(finished.code, 5)
        self.assertEqual(self.assay("fio", *job, "--verdict-exit=off").code, 0)
        link = self.dir / "fio"
        link.symlink_to(ASSAY)
        self.assertEqual(subprocess.run([link, *job], cwd=self.dir, capture_output=True).returncode, 0)
        on = subprocess.run([link, *job, "--verdict-exit=on"], cwd=self.dir, capture_output=True)
        self.assertEqual(on.returncode, 5)

    def test_errors_leave_standard_output_empty(self):
        for arguments in (["--name=x", "--size=1.5g"], ["--name=x", "--iodpth=1"], ["none.fio"], []):
            finished = self.assay("fio", *arguments)
            self.refused(finished, 2)
            self.assertEqual(finished.out, "")
        failed = self.assay("fio", "--name=x", "--size=64k", "--filename=/proc/none", "--output-format=json")
        self.assertNotEqual(failed.code, 0)
        self.assertEqual(failed.out, "")

    def test_completion_offers_what_is_supported(self):
        flags = self.assay("completion", "words", "2", "assay", "fio", "--").out.split()
        self.assertLessEqual({"--rw", "--output-format", "--numjobs"}, set(flags))
        self.assertNotIn("--verify_pattern", flags)

    def test_parse_only_and_showcmd_run_nothing(self):
        finished = self.assay("fio", "--name=x", "--size=64k", "--rw=write", "--parse-only")
        self.assertEqual((finished.code, finished.out), (0, ""), finished.err)
        finished = self.assay("fio", "--name=x", "--size=64k", "--rw=write", "--showcmd")
        self.assertEqual(finished.out.split(), ["fio", "--name=x", "--size=64k", "--rw=write"])
        self.assertFalse((self.dir / "x.0.0").exists())

    def test_an_output_that_cannot_be_written_is_found_before_the_run(self):
        finished = self.assay("fio", "--name=x", "--size=64k", "--rw=write", "--output=/none/there")
        self.refused(finished, 2, "--output", "/none/there")
        self.assertFalse((self.dir / "x.0.0").exists())

    def test_a_mounted_device_is_not_written_whatever_fio_would_allow(self):
        _, device = self.mounted(size_mib=16)
        finished = self.assay("fio", "--name=x", f"--filename={device}", "--rw=write", "--size=1m", "--allow_mounted_write=1")
        self.assertEqual(finished.code, 2, finished.err)
        self.assertIn(device, finished.err)

    def test_a_size_beyond_the_device_is_cut(self):
        device = self.loop_device(4)
        finished = self.fio("--name=x", f"--filename={device}", "--rw=read", "--size=1g", "--bs=64k")
        self.assertEqual(self.moved(finished)[0][:2], (4 * MIB, 64))
        self.assertIn("cut to the device's end", finished.err)

    def test_sixty_four_jobs_start_within_a_second(self):
        job = self.dir / "many.fio"
        job.write_text("[global]\nsize=16k\nrw=write\n" + "".join(f"[job{i}]\n" for i in range(64)))
        finished = self.fio(str(job))
        self.assertEqual(self.moved(finished), [(0, 0, 16384, 4)] * 64)
        starts = [measured(one)["window_start_ns"] for one in finished.jobs()]
        self.assertLess(max(starts), 1_000_000_000)


class Hints(Traced):
    def test_the_kernel_is_told_in_which_order_a_buffered_job_reads(self):
        for pattern, hint in (("randread", "POSIX_FADV_RANDOM"), ("read", "POSIX_FADV_SEQUENTIAL")):
            data = self.data_file(1)
            calls = self.trace(data, "fadvise64", pattern=pattern, direct="no", engine="psync", layout="never")
            self.assertIn(hint, " ".join(arguments for _, _, arguments, _ in calls))
        self.assertEqual(self.trace(self.data_file(1), "fadvise64", direct="yes", layout="never"), [])
