"""Every option of `block` has an outcome that differs when it is ignored, seen from outside: strace shows the system
calls, the file system shows the bytes."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from harness import ASSAY, LabTest, MIB, facts, operation

CALL = re.compile(r"^(?:(?P<thread>\d+)\s+)?(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+|0x[0-9a-f]+)")


class Traced(LabTest):
    def setUp(self):
        super().setUp()
        if shutil.which("strace") is None:
            self.skipTest("needs strace")

    def trace(self, target, calls, **options):
        """Runs the workload under strace; returns [(thread, name, arguments, result)] of `calls`."""
        log = self.dir / "strace.log"
        targets = target if isinstance(target, list) else [target]
        command = ["strace", "-f", "-qq", "-s", "0", "-o", str(log), "-e", "trace=" + calls, ASSAY, "run", "block"]
        command += ["--no-bundle", "--quiet"]
        for one in targets:
            command += ["--target", str(one)]
        for key, value in options.items():
            command += ["--" + key.replace("_", "-"), str(value)]
        # The leak sanitizer traces the process itself and cannot while strace does.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        finished = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env={**os.environ, "ASAN_OPTIONS": sanitizer}
        )
        if "Operation not permitted" in finished.stderr and "ptrace" in finished.stderr.lower():
            self.skipTest("strace may not trace here")
        self.assertIn(finished.returncode, (0, 5), finished.stderr + finished.stdout)
        found = []
        unfinished = {}
        for line in log.read_text().splitlines():
            thread, _, rest = line.partition(" ")
            if rest.endswith("<unfinished ...>"):  # another thread's line came between: join the halves
                unfinished[thread] = line.removesuffix("<unfinished ...>").rstrip()
                continue
            if "resumed>" in rest:
                line = unfinished.pop(thread, "") + " " + rest.split("resumed>", 1)[1]
            match = CALL.match(line)
            if match:
                found.append((match["thread"], match["name"], match["arguments"], int(match["result"], 0)))
        return found

    def accesses(self, target, **options):
        """[(thread, 'r' or 'w', offset, bytes)] of the measured phase, through psync and its positioned calls."""
        options.setdefault("layout", "never")
        if "block_size_mix" not in options:
            options.setdefault("block_size", "64KiB")
        options.setdefault("direct", "no")
        ours, found = set(), []
        for thread, name, arguments, result in self.trace(target, "openat,pread64,pwrite64", engine="psync", **options):
            if name == "openat":
                (ours.add if str(target) in arguments else ours.discard)(str(result))
                continue
            fd, *_, size, offset = arguments.split(", ")
            if fd in ours:
                self.assertEqual(result, int(size))
                found.append((thread, name[1], int(offset, 0), int(size)))
        return found

    def count(self, calls):
        return collections.Counter(name for _, name, _, _ in calls)


class What(Traced):
    def test_pattern_read_is_sequential(self):
        seen = self.accesses(self.data_file(1), pattern="read")
        self.assertEqual([(kind, offset) for _, kind, offset, _ in seen], [("r", i * 65536) for i in range(16)])

    def test_pattern_write_is_sequential(self):
        seen = self.accesses(self.data_file(1), pattern="write")
        self.assertEqual([(kind, offset) for _, kind, offset, _ in seen], [("w", i * 65536) for i in range(16)])

    def test_pattern_randread_reads_each_block_once_in_another_order(self):
        seen = [offset for _, kind, offset, _ in self.accesses(self.data_file(4), pattern="randread") if kind == "r"]
        self.assertEqual(sorted(seen), [i * 65536 for i in range(64)])
        self.assertNotEqual(seen, sorted(seen))

    def test_pattern_randwrite_writes_each_block_once_in_another_order(self):
        seen = [offset for _, kind, offset, _ in self.accesses(self.data_file(4), pattern="randwrite") if kind == "w"]
        self.assertEqual(sorted(seen), [i * 65536 for i in range(64)])
        self.assertNotEqual(seen, sorted(seen))

    def test_pattern_readwrite_mixes_two_sequences(self):
        seen = self.accesses(self.data_file(4), pattern="readwrite")
        self.assertEqual(len(seen), 64)
        for kind in ("r", "w"):  # each direction keeps its own position, as in fio
            offsets = [offset for _, seen_kind, offset, _ in seen if seen_kind == kind]
            self.assertGreater(len(offsets), 10)
            self.assertEqual(offsets, [i * 65536 for i in range(len(offsets))])

    def test_pattern_randrw_mixes_over_random_blocks(self):
        seen = self.accesses(self.data_file(4), pattern="randrw")
        self.assertEqual({kind for _, kind, _, _ in seen}, {"r", "w"})
        self.assertNotEqual([offset for _, _, offset, _ in seen], sorted(offset for _, _, offset, _ in seen))

    def test_read_share_sets_the_mix(self):
        job = self.run_block(
            self.data_file(16), pattern="randrw", read_share="90%", block_size="4KiB", direct="no", check_code=False
        ).jobs()[0]
        reads, writes = (operation(job, name)["operations"] for name in ("read", "write"))
        self.assertEqual(reads + writes, 4096)
        # Binomial: 3686 +- 4 standard deviations of sqrt(4096 * 0.9 * 0.1) = 19.2.
        self.assertAlmostEqual(reads, 0.9 * 4096, delta=77)

    def test_block_size_sets_bytes_a_request(self):
        seen = self.accesses(self.data_file(1), pattern="read", block_size="128KiB")
        self.assertEqual({size for *_, size in seen}, {131072})
        self.assertEqual(len(seen), 8)

    def test_offset_and_size_bound_the_region(self):
        seen = self.accesses(self.data_file(4), pattern="read", offset="1MiB", size="512KiB")
        self.assertEqual([offset for *_, offset, _ in seen], [MIB + i * 65536 for i in range(8)])

    def test_amount_bounds_what_each_worker_moves(self):
        job = self.run_block(self.data_file(4), pattern="read", amount="1MiB", workers=2, check_code=False).jobs()[0]
        self.assertEqual(operation(job, "read")["bytes"], 2 * MIB)

    def test_amount_beyond_the_region_takes_another_pass(self):
        seen = self.accesses(self.data_file(1), pattern="read", amount="2MiB")
        self.assertEqual([offset for *_, offset, _ in seen], [i * 65536 for i in range(16)] * 2)

    def test_random_map_free_repeats_blocks(self):
        seen = self.accesses(self.data_file(4), pattern="randread", random_map="free")
        self.assertEqual(len(seen), 64)
        self.assertLess(len({offset for *_, offset, _ in seen}), 60)  # expected distinct: 64 (1 - 1/e) = 40

    def test_seed_sets_the_order(self):
        path = self.data_file(4)
        order = lambda seed: [offset for *_, offset, _ in self.accesses(path, pattern="randread", seed=seed)]
        self.assertEqual(order(7), order(7))
        self.assertNotEqual(order(7), order(8))

    def test_share_split_gives_each_worker_its_own_part(self):
        seen = self.accesses(self.data_file(4), pattern="read", workers=2, share="split")
        by_thread = collections.defaultdict(set)
        for thread, _, offset, _ in seen:
            by_thread[thread].add(offset)
        self.assertEqual(len(by_thread), 2)
        first, second = by_thread.values()
        self.assertFalse(first & second)
        self.assertEqual(first | second, {i * 65536 for i in range(64)})

    def test_share_shared_lets_every_worker_cover_all(self):
        seen = self.accesses(self.data_file(4), pattern="read", workers=2, share="shared")
        by_thread = collections.defaultdict(set)
        for thread, _, offset, _ in seen:
            by_thread[thread].add(offset)
        self.assertEqual([len(offsets) for offsets in by_thread.values()], [64, 64])

    def test_split_deals_several_targets_over_workers(self):
        paths = [self.data_file(1, "a"), self.data_file(1, "b")]
        calls = self.trace(paths, "openat,pread64", engine="psync", pattern="read", workers=2, direct="no")
        fd_of = collections.defaultdict(set)
        for thread, name, arguments, result in calls:
            if name == "pread64" and result == 4096 and arguments.split(", ")[-2] == "4096":
                fd_of[thread].add(arguments.split(", ")[0])
        used = [fds for fds in fd_of.values() if fds]
        self.assertTrue(all(len(fds) == 1 for fds in used), used)
        self.assertEqual(len(set().union(*used)), 2)


class How(Traced):
    def calls_of(self, **options):
        options.setdefault("pattern", "randread")
        return self.trace(
            self.data_file(4), "io_uring_setup,io_uring_enter,io_uring_register,io_submit,pread64", **options
        )

    def test_engine_chooses_the_system_calls(self):
        self.assertGreater(self.count(self.calls_of(engine="io_uring"))["io_uring_enter"], 0)
        self.assertGreater(self.count(self.calls_of(engine="libaio"))["io_submit"], 0)
        psync = self.count(self.calls_of(engine="psync"))
        self.assertGreaterEqual(psync["pread64"], 1024)
        self.assertEqual(psync["io_submit"] + psync["io_uring_enter"], 0)

    def test_queue_depth_is_what_the_device_sees_in_flight(self):
        device = self.loop_device(64)
        inflight = pathlib.Path("/sys/block", os.path.basename(device), "inflight")
        for engine in ("libaio", "io_uring"):
            for depth in (4, 32):
                with self.subTest(engine=engine, depth=depth):
                    process = subprocess.Popen(
                        [ASSAY, "run", "block", "--target", device, "--engine", engine, "--queue-depth", str(depth)]
                        + ["--block-size", "64KiB", "--measure", "2s", "--no-bundle", "--quiet"],
                        stdout=subprocess.DEVNULL,
                    )
                    seen = []
                    while process.poll() is None:
                        seen.append(sum(map(int, inflight.read_text().split())))
                        time.sleep(0.002)
                    self.assertEqual(process.returncode, 0)
                    self.assertLessEqual(max(seen), depth)
                    self.assertGreater(max(seen), depth * 0.7)

    def test_reap_batch_is_what_a_wait_asks_for(self):
        calls = self.calls_of(engine="io_uring", queue_depth=32, reap_batch=24)
        waits = [int(arguments.split(", ")[2]) for _, name, arguments, _ in calls if name == "io_uring_enter"]
        self.assertIn(24, waits)

    def test_registered_buffers_and_files_can_be_turned_off(self):
        def registered(**options):
            calls = self.calls_of(engine="io_uring", queue_depth=4, **options)
            text = " ".join(arguments for _, name, arguments, _ in calls if name == "io_uring_register")
            return "REGISTER_BUFFERS" in text, "REGISTER_FILES" in text

        self.assertEqual(registered(registered_buffers="no", registered_files="no"), (False, False))
        self.assertEqual(registered(registered_buffers="yes", registered_files="no"), (True, False))
        self.assertEqual(registered(registered_buffers="no", registered_files="yes"), (False, True))

    def test_poll_sets_the_ring_flags(self):
        flags = lambda mode: " ".join(
            re.search(r"flags=([^,]*)", arguments)[1]
            for _, name, arguments, _ in self.calls_of(poll=mode, pattern="read")
            if name == "io_uring_setup"
        )
        self.assertNotIn("SQPOLL", flags("none"))
        self.assertIn("IORING_SETUP_SQPOLL", flags("sqpoll"))

    def test_direct_bypasses_the_page_cache(self):
        path = self.data_file(4)

        def cached_bytes():
            text = subprocess.run(["fincore", "-bnr", "-o", "RES", str(path)], capture_output=True, text=True).stdout
            return int(text.split()[0])

        def drop():
            with open(path, "rb") as data:
                os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

        drop()
        self.run_block(path, pattern="read", direct="yes", check_code=False)
        self.assertEqual(cached_bytes(), 0)
        finished = self.run_block(path, pattern="read", direct="no", check_code=False)
        self.assertEqual(cached_bytes(), 4 * MIB)
        self.assertIs(facts(finished.jobs()[0])["direct_in_force"], False)

    def test_sync_every_and_call_choose_how_often_and_how(self):
        def syncs(**options):
            counted = self.count(
                self.trace(
                    self.data_file(1), "fsync,fdatasync", engine="psync", pattern="write", block_size="64KiB", **options
                )
            )
            return counted["fsync"], counted["fdatasync"]

        plain = syncs()
        self.assertEqual(syncs(sync_every=4, sync_call="fsync")[0] - plain[0], 4)
        self.assertEqual(syncs(sync_every=8, sync_call="fdatasync")[1] - plain[1], 2)

    def test_think_time_pauses_the_worker(self):
        plain = time.monotonic()
        self.run_block(self.data_file(1), pattern="read", block_size="64KiB", check_code=False)
        plain = time.monotonic() - plain
        for every, pauses in ((1, 15), (8, 1)):
            paused = time.monotonic()
            self.run_block(
                self.data_file(1),
                pattern="read",
                block_size="64KiB",
                think_time="100ms",
                think_every=every,
                check_code=False,
            )
            paused = time.monotonic() - paused
            self.assertGreaterEqual(paused, pauses * 0.1)
            self.assertLess(paused, plain + pauses * 0.1 + 1)

    def test_sync_writes_sets_how_the_target_is_opened(self):
        def flags(pattern, value):
            path = self.data_file(1)
            calls = self.trace(path, "openat", pattern=pattern, sync_writes=value, direct="no", engine="psync")
            return [arguments for _, _, arguments, _ in calls if str(path) in arguments and "O_NOATIME" in arguments]

        for value, flag in (("dsync", "O_DSYNC"), ("sync", "O_SYNC")):
            seen = flags("write", value)
            self.assertTrue(seen and all(re.search(rf"\b{flag}\b", arguments) for arguments in seen), seen)
        self.assertFalse([arguments for arguments in flags("write", "none") if "SYNC" in arguments])
        self.assertFalse([arguments for arguments in flags("read", "sync") if "SYNC" in arguments])

    def test_sync_at_end_adds_one(self):
        def syncs(value):
            calls = self.trace(self.data_file(1), "fsync,fdatasync", engine="psync", pattern="write", sync_at_end=value)
            return len(calls)

        self.assertEqual(syncs("yes") - syncs("no"), 1)

    def test_syncs_are_counted_by_every_engine(self):
        for engine in ("psync", "libaio", "io_uring"):
            job = self.run_block(
                self.data_file(1),
                engine=engine,
                pattern="write",
                block_size="64KiB",
                queue_depth=2 if engine != "psync" else 1,
                sync_every=4,
                check_code=False,
            ).jobs()[0]
            self.assertEqual(operation(job, "write")["operations"], 16, engine)
            self.assertEqual(operation(job, "sync")["operations"], 4, engine)


class Files(LabTest):
    def test_layout_auto_writes_real_data_before_the_first_read(self):
        path = self.dir / "new"
        finished = self.run_block(path, size="8MiB", pattern="read", check_code=False)
        content = path.read_bytes()
        self.assertEqual(len(content), 8 * MIB)
        blocks = {content[i : i + 4096] for i in range(0, len(content), 4096)}
        self.assertEqual(len(blocks), 2048, "no two blocks alike")
        import zlib

        self.assertGreater(len(zlib.compress(content, 1)), 0.98 * len(content), "incompressible")
        self.assertEqual(finished.levels().get("data.unwritten"), "pass")

    def test_layout_auto_leaves_a_file_that_is_there(self):
        path = self.data_file(2)
        before = path.read_bytes()
        self.run_block(path, pattern="read", check_code=False)
        self.assertEqual(path.read_bytes(), before)

    def test_layout_auto_extends_a_short_file_without_touching_its_start(self):
        path = self.data_file(1)
        before = path.read_bytes()
        self.run_block(path, size="4MiB", pattern="read", check_code=False)
        after = path.read_bytes()
        self.assertEqual(len(after), 4 * MIB)
        self.assertEqual(after[:MIB], before)

    def test_layout_always_writes_it_anew(self):
        path = self.data_file(1)
        before = path.read_bytes()
        self.run_block(path, pattern="read", layout="always", check_code=False)
        after = path.read_bytes()
        self.assertEqual(len(after), len(before))
        self.assertNotEqual(after, before)

    def test_layout_never_reads_what_is_there(self):
        path = self.dir / "sparse"
        with open(path, "wb") as out:
            out.truncate(4 * MIB)
        finished = self.run_block(path, pattern="read", layout="never", check_code=False)
        self.assertEqual(os.stat(path).st_blocks, 0)
        self.assertEqual(finished.levels().get("data.unwritten"), "invalid")

    def test_unlink_removes_the_target_and_nothing_else(self):
        path, other = self.data_file(1), self.data_file(1, "other")
        self.run_block(path, pattern="read", unlink="no", check_code=False)
        self.assertTrue(path.exists())
        self.run_block(path, pattern="read", unlink="yes", check_code=False)
        self.assertFalse(path.exists())
        self.assertTrue(other.exists())

    def test_written_blocks_are_all_different(self):
        path = self.data_file(8)
        before = path.read_bytes()
        self.run_block(path, pattern="randwrite", queue_depth=16, block_size="16KiB", check_code=False)
        content = path.read_bytes()
        blocks = [content[i : i + 4096] for i in range(0, len(content), 4096)]
        self.assertEqual(len(set(blocks)), len(blocks))
        changed = sum(before[i : i + 4096] != content[i : i + 4096] for i in range(0, len(content), 4096))
        self.assertEqual(changed, len(blocks))


if __name__ == "__main__":
    unittest.main()
