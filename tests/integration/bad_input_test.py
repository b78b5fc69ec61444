"""Bad input: each case gets one clear message that names the thing, the value and the rule, the right exit code, and
nothing is destroyed."""

import os
import pathlib
import subprocess
import unittest

from harness import ASSAY, LabTest, MIB


class CommandLine(LabTest):
    def test_an_unknown_option_names_the_nearest_one(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--queue-deph", "4")
        self.refused(finished, 2, "--queue-deph", "block", "--queue-depth")

    def test_a_size_without_a_unit_is_refused(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--block-size", "10")
        self.refused(finished, 2, "block_size", '"10"', "unit", "4KiB")

    def test_a_rate_is_not_a_size(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--block-size", "4KB/s")
        self.refused(finished, 2, "block_size", "4KB/s")

    def test_a_duration_without_a_unit_is_refused(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--measure", "10")
        self.refused(finished, 2, "measure", '"10"', "unit")

    def test_a_value_out_of_range_names_the_range(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--queue-depth", "0")
        self.refused(finished, 2, "queue_depth", "0", "1", "65536")

    def test_an_unknown_engine_names_the_known_ones(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--engine", "posix")
        self.refused(finished, 2, "engine", "posix", "psync", "libaio", "io_uring")

    def test_an_unknown_workload_says_where_it_was_looked_for(self):
        self.refused(self.assay("run", "blok", "--target", "x"), 2, "blok", "block")

    def test_an_unknown_verb_names_the_nearest_one(self):
        self.refused(self.assay("rnu"), 2, "rnu", "run")

    def test_no_workers_is_out_of_range(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--workers", "0")
        self.refused(finished, 2, "workers", "0")

    def test_a_cpu_that_does_not_exist_is_named(self):
        finished = self.assay("run", "block", "--target", self.data_file(1), "--cpus", "4095", "--measure", "1s")
        self.refused(finished, 2, "4095")

    def test_no_target_says_how_to_name_one(self):
        self.refused(self.assay("run", "block", "--pattern", "read"), 2, "target")

    def test_a_bundle_directory_in_use_is_left_alone(self):
        taken = self.dir / "taken"
        taken.mkdir()
        (taken / "precious").write_text("x")
        finished = self.assay("run", "block", "--target", self.data_file(1), "--output", taken)
        self.refused(finished, 2, str(taken))
        self.assertEqual((taken / "precious").read_text(), "x")

    def test_a_locale_with_a_decimal_comma_changes_nothing(self):
        locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        comma = next((name for name in locales if name.startswith(("de_", "fr_", "it_"))), None)
        finished = self.assay(
            "run", "block", "--target", self.data_file(1), "--measure", "1.5x", env={"LC_ALL": comma or "C"}
        )
        self.refused(finished, 2, "1.5x")


    def test_a_flag_is_no_value_of_another(self):
        finished = self.assay("run", "block", "--target", "--no-bundle", "--size", "64KiB")
        self.refused(finished, 2, "--target", "--no-bundle")
        self.assertFalse((self.dir / "--no-bundle").exists())

    def test_an_option_given_twice_is_named(self):
        finished = self.assay("run", "block", "--target", "f", "--size", "1MiB", "--size", "2MiB")
        self.refused(finished, 2, "--size", "once")

    def test_a_bad_point_is_found_before_the_first_runs(self):
        plan = self.write_plan(
            f"stages:\n  - workload: block\n    targets: [{self.data_file(1)}]\n"
            "    sweep: {block_size: [4KiB, 700B, 16KiB]}\n"
        )
        self.refused(self.assay("run", plan), 2, "block_size=700B")

    def test_closed_standard_streams_do_not_become_targets(self):
        path = self.data_file(1)
        before = path.read_bytes()
        process = subprocess.run(
            f"'{ASSAY}' run block --target '{path}' --offset 512KiB --size 64KiB --direct no --pattern write"
            " --measure 500ms --interval 100ms --no-bundle <&- >&- 2>&-",
            shell=True,
        )
        self.assertEqual(process.returncode, 0)
        after = path.read_bytes()
        self.assertEqual(after[: 512 * 1024], before[: 512 * 1024])
        self.assertEqual(after[576 * 1024 :], before[576 * 1024 :])

    def test_two_runs_at_once_keep_their_bundles_apart(self):
        path = self.data_file(1)
        command = [ASSAY, "run", "block", "--target", path, "--pattern", "read", "--quiet", "--measure", "300ms"]
        runs = [subprocess.Popen(command, cwd=self.dir, stdout=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([run.wait() for run in runs], [0, 0, 0])
        self.assertEqual(len(list((self.dir / "assay-results").glob("*/result.json"))), 3)
        taken = [subprocess.Popen([*command, "--output", "same"], cwd=self.dir, stderr=subprocess.PIPE) for _ in range(2)]
        codes = sorted(run.wait() for run in taken)
        for run in taken:
            run.stderr.close()
        self.assertEqual(codes, [0, 2])


class Targets(LabTest):
    def test_a_missing_file_without_a_size_says_what_to_give(self):
        self.refused(self.run_block(self.dir / "none", check_code=False), 2, "none", "size")

    def test_a_missing_file_that_may_not_be_laid_out_is_an_error(self):
        finished = self.run_block(self.dir / "none", size="1MiB", layout="never", pattern="read", check_code=False)
        self.refused(finished, 2, "none", "layout")
        self.assertFalse((self.dir / "none").exists())

    def test_a_file_in_a_missing_directory_names_it(self):
        self.refused(self.run_block(self.dir / "no" / "file", size="1MiB", check_code=False), 2, "no/file")

    def test_a_directory_is_no_target(self):
        self.refused(self.run_block(self.dir, check_code=False), 2, str(self.dir), "directory")

    def test_a_fifo_is_no_target_and_does_not_block(self):
        os.mkfifo(self.dir / "pipe")
        self.refused(self.run_block(self.dir / "pipe", check_code=False), 2, "pipe")

    def test_a_character_device_is_no_target(self):
        self.refused(self.run_block("/dev/zero", check_code=False), 2, "/dev/zero")

    def test_a_file_without_permission_names_it(self):
        self.need_root()
        path = self.data_file(1)
        path.chmod(0)
        self.dir.chmod(0o755)
        probe = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true"], capture_output=True
        )
        if probe.returncode != 0:
            self.skipTest("setpriv cannot become nobody here")
        finished = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ASSAY]
            + ["run", "block", "--target", str(path), "--pattern", "read", "--no-bundle", "--quiet"],
            capture_output=True,
            text=True,
        )
        if "cannot execute" in finished.stderr or finished.returncode == 126 or finished.returncode == 127:
            self.skipTest("the build directory is closed to nobody")
        self.assertEqual(finished.returncode, 2, finished.stderr)
        self.assertIn(str(path), finished.stderr)
        self.assertIn("ermission", finished.stderr)

    def test_a_target_smaller_than_the_region_says_both_sizes(self):
        device = self.loop_device(8)
        self.refused(self.run_block(device, size="1GiB", check_code=False), 2, device, "1GiB")

    def test_a_block_larger_than_the_region_is_refused(self):
        path = self.data_file(1)
        self.refused(self.run_block(path, block_size="4MiB", pattern="read", check_code=False), 2, "data", "4MiB")

    def test_a_block_size_that_direct_io_cannot_do_is_refused(self):
        path = self.data_file(1)
        finished = self.run_block(path, block_size="1000B", direct="yes", pattern="read", check_code=False)
        self.refused(finished, 2, "block_size", "1000")

    def test_the_same_target_twice_is_refused(self):
        path = self.data_file(1)
        self.refused(self.run_block([path, path], pattern="read", check_code=False), 2, "data", "once")

    def test_a_full_disk_while_laying_out_stops_and_cleans_up(self):
        directory, _ = self.mounted(size_mib=32)
        path = directory / "big"
        finished = self.run_block(path, size="256MiB", pattern="read", check_code=False)
        self.refused(finished, 3, "big", "space")
        self.assertFalse(path.exists(), "a half laid-out file of our own is removed")

    def test_a_full_disk_leaves_a_file_that_was_there(self):
        directory, _ = self.mounted(size_mib=32)
        path = directory / "mine"
        content = os.urandom(MIB)
        path.write_bytes(content)
        finished = self.run_block(path, size="256MiB", pattern="read", check_code=False)
        self.refused(finished, 3, "mine", "space")
        self.assertEqual(path.read_bytes()[:MIB], content)


    def test_a_sparse_file_that_cannot_be_filled_leaves_the_disk_as_it_was(self):
        directory, _ = self.mounted(size_mib=32)
        path = directory / "sparse"
        with open(path, "wb") as out:
            out.truncate(256 * MIB)
        before = os.statvfs(directory).f_bfree
        finished = self.run_block(path, pattern="read", layout="always", check_code=False)
        self.refused(finished, 3, "sparse", "space")
        self.assertEqual(os.statvfs(directory).f_bfree, before)


class Devices(LabTest):
    """Writing to a device that holds something needs its name again."""

    def write_to(self, device, **more):
        return self.run_block(device, pattern="write", block_size="64KiB", measure="1s", check_code=False, **more)

    def first_bytes(self, device):
        with open(device, "rb") as data:
            return data.read(MIB)

    def test_a_file_system_is_not_overwritten(self):
        device = self.loop_device(32)
        subprocess.run(["mkfs.ext4", "-q", "-L", "precious", device], check=True)
        before = self.first_bytes(device)
        self.refused(self.write_to(device), 2, device, "ext4", "--destroy")
        self.assertEqual(self.first_bytes(device), before)

    def test_a_mounted_device_is_not_overwritten(self):
        directory, device = self.mounted()
        self.refused(self.write_to(device), 2, device, "mounted", str(directory))

    def test_a_partition_table_is_not_overwritten(self):
        device = self.loop_device(32)
        subprocess.run(["sfdisk", "-q", device], input="label: gpt\n", text=True, check=True, capture_output=True)
        self.refused(self.write_to(device), 2, device, "gpt")

    def test_naming_it_again_allows_it(self):
        device = self.loop_device(32)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        before = self.first_bytes(device)
        finished = self.write_to(device, destroy=device)
        self.assertIn(finished.code, (0, 5), finished.err)
        self.assertNotEqual(self.first_bytes(device), before)

    def test_the_environment_may_name_it_too(self):
        device = self.loop_device(32)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        arguments = ["run", "block", "--target", device, "--pattern", "write", "--measure", "1s", "--quiet"]
        finished = self.assay(*arguments, env={"ASSAY_DESTROY": device})
        self.assertIn(finished.code, (0, 5), finished.err)

    def test_naming_another_device_does_not_help(self):
        device = self.loop_device(32)
        other = self.loop_device(1)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        self.refused(self.write_to(device, destroy=other), 2, device)

    def test_a_read_only_device_is_named(self):
        self.need_root()
        image = self.data_file(8)
        device = subprocess.run(
            ["losetup", "--find", "--show", "--read-only", image], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "--detach", device], capture_output=True)
        self.refused(self.write_to(device), 2, device, "read-only")

    def test_two_jobs_that_write_one_device_are_named(self):
        device = self.loop_device(8)
        job = f"{{workload: block, targets: [{device}], options: {{pattern: write}}}}"
        plan = self.write_plan(f"stages:\n  - jobs:\n      a: {job}\n      b: {job}\n")
        self.refused(self.assay("run", plan), 2, "a", "b", device)

    def test_reading_it_needs_no_permission(self):
        device = self.loop_device(32)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        self.run_block(device, pattern="read", block_size="1MiB")


class Plans(LabTest):
    def plan_refused(self, text, *words):
        return self.refused(self.assay("run", self.write_plan(text)), 2, *words)

    def test_broken_yaml_names_line_and_column(self):
        self.plan_refused("name: x\nstages: [\n  {workload: block\n", "plan.yaml:")

    def test_an_unknown_key_names_line_and_nearest_key(self):
        self.plan_refused("stages:\n  - workload: block\n    target: [x]\n", "plan.yaml:3:", "target", "targets")

    def test_a_sweep_over_an_option_that_does_not_exist(self):
        text = "stages:\n  - workload: block\n    targets: [x]\n    sweep: {blok_size: [4KiB]}\n"
        self.plan_refused(text, "plan.yaml:4:", "blok_size", "block_size")

    def test_a_bad_value_names_line_and_column(self):
        text = "stages:\n  - workload: block\n    targets: [x]\n    options:\n      block_size: 4\n"
        self.plan_refused(text, "plan.yaml:5:", "block_size", "unit")

    def test_a_missing_plan_is_named(self):
        self.refused(self.assay("run", self.dir / "none.yaml"), 2, "none.yaml")

    def test_a_directory_is_no_plan(self):
        (self.dir / "d.yaml").mkdir()
        self.refused(self.assay("run", self.dir / "d.yaml"), 2, "d.yaml")

    def test_binary_garbage_is_no_plan(self):
        (self.dir / "g.yaml").write_bytes(os.urandom(4096))
        self.refused(self.assay("run", self.dir / "g.yaml"), 2, "g.yaml")

    def test_what_is_not_there_says_so(self):
        text = "stages:\n  - {workload: block, targets: [x], expect: {read.bandwidth: 1 GB/s}}\n"
        self.plan_refused(text, "expect", "not supported")


class Plugins(LabTest):
    def test_a_text_file_is_no_plugin(self):
        path = self.dir / "fake.so"
        path.write_text("hello")
        path.chmod(0o755)
        self.refused(self.assay("run", "fake", "--plugin", path, "--target", "x"), 2, "fake.so")

    def test_a_library_without_entry_is_no_plugin(self):
        source = self.dir / "lib.c"
        source.write_text("int nothing(void) { return 0; }\n")
        path = self.dir / "nothing.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
        self.refused(self.assay("run", "nothing", "--plugin", path, "--target", "x"), 2, "nothing.so", "assay_entry_draft")

    def test_a_plugin_that_anyone_can_write_is_refused(self):
        path = self.dir / "block.so"
        path.write_bytes(pathlib.Path(os.environ["ASSAY_BUILD"], "plugins", "block.so").read_bytes())
        path.chmod(0o777)
        self.refused(self.assay("plugins", "show", path), 2, "block.so", "writ")


if __name__ == "__main__":
    unittest.main()
