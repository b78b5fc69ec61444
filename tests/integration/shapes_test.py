"""The options of `block` that shape its requests: where they fall, how large they are, what they write, and trims. Each
is seen from outside, as in options_test.py."""

import collections
import lzma
import os
import pathlib
import unittest
import zlib

from harness import MIB, LabTest, facts, operation
from options_test import Traced


class Where(Traced):
    def shares(self, bounds, **options):
        """Shares of 4096 reads of 4 KiB that fall into each part of a file of 256 blocks; `bounds` end the parts."""
        counts = [0] * len(bounds)
        for *_, offset, _ in self.accesses(
            self.data_file(1), pattern="randread", block_size="4KiB", amount="16MiB", **options
        ):
            counts[next(i for i, bound in enumerate(bounds) if offset // 4096 < bound)] += 1
        self.assertEqual(sum(counts), 4096)
        return [count / 4096 for count in counts]

    def popularity(self, **options):
        """Of 4096 reads over 256 blocks, how many each block got, the most popular first."""
        seen = self.accesses(self.data_file(1), pattern="randread", block_size="4KiB", amount="16MiB", **options)
        return [count for _, count in collections.Counter(offset for *_, offset, _ in seen).most_common()]

    def test_distribution_zipf_and_its_theta(self):
        for theta in (0.8, 1.0, 1.5):
            total = sum(rank**-theta for rank in range(1, 257))
            popular = self.popularity(distribution="zipf", zipf_theta=theta)
            # The first by theory, give or take four binomial deviations.
            share = 1 / total
            self.assertAlmostEqual(popular[0] / 4096, share, delta=4 * (share * (1 - share) / 4096) ** 0.5)

    def test_distribution_pareto_and_its_h(self):
        for h in (0.1, 0.2):
            popular = self.popularity(distribution="pareto", pareto_h=h)
            share = sum(popular[: round(h * 256)]) / 4096
            self.assertAlmostEqual(share, 1 - h, delta=0.03)

    def test_distribution_normal_and_its_deviation(self):
        for deviation, inside in (("10%", 0.6827), ("5%", 0.9545)):
            # The middle 20 % of the region: one, or two, standard deviations to either side.
            low, middle, high = self.shares([102, 154, 256], distribution="normal", normal_deviation=deviation)
            self.assertAlmostEqual(middle, inside, delta=0.04)
            self.assertAlmostEqual(low, high, delta=0.04)

    def test_zones_get_their_shares(self):
        first, second, third = self.shares([64, 128, 256], distribution="zoned", zones="25%:60,25%:30,50%:10")
        for seen, share in ((first, 0.6), (second, 0.3), (third, 0.1)):
            self.assertAlmostEqual(seen, share, delta=4 * (share * (1 - share) / 4096) ** 0.5)

    def test_block_size_mix_sets_sizes_and_weights(self):
        seen = self.accesses(
            self.data_file(4), pattern="randread", block_size_mix="4KiB:60,64KiB:40", amount="32MiB"
        )
        sizes = collections.Counter(size for *_, size in seen)
        self.assertEqual(set(sizes), {4096, 65536})
        # 32 MiB of 28 KiB on average: about 1170 requests.
        self.assertAlmostEqual(sizes[4096] / len(seen), 0.6, delta=4 * (0.6 * 0.4 / len(seen)) ** 0.5)
        self.assertTrue(all(offset % 4096 == 0 and offset + size <= 4 * MIB for *_, offset, size in seen))

    def test_block_size_mix_in_sequence_leaves_no_gap(self):
        seen = self.accesses(self.data_file(4), pattern="read", block_size_mix="4KiB,16KiB", amount="2MiB")
        expected = 0
        for *_, offset, size in seen:
            self.assertEqual(offset, expected)
            expected += size

    def test_what_does_not_go_together_is_refused_by_name(self):
        path = self.data_file(1)
        for words, options in (
            (("random_map", "zipf"), {"distribution": "zipf", "random_map": "once"}),
            (("distribution zipf", "pattern is read"), {"distribution": "zipf", "pattern": "read"}),
            (("random_map", "block_size_mix"), {"block_size_mix": "4KiB,8KiB", "random_map": "once"}),
            (("block_size_mix", "block_size"), {"block_size_mix": "4KiB,8KiB", "block_size": "4KiB"}),
            (("6KiB is no multiple of 4KiB",), {"block_size_mix": "4KiB,6KiB"}),
            (("zones add up to 90%",), {"distribution": "zoned", "zones": "50%:1,40%:1"}),
            (("needs zones",), {"distribution": "zoned"}),
            (("zipf_theta", "distribution is uniform"), {"zipf_theta": 1.1}),
            (("pareto_h", "distribution is zipf"), {"pareto_h": 0.1, "distribution": "zipf"}),
            (("zones", "distribution is uniform"), {"zones": "50%:1,50%:2"}),
            (("think_every", "think_time"), {"think_every": 4}),
            (("sync_every", "pattern trim"), {"sync_every": 4, "pattern": "trim"}),
        ):
            with self.subTest(words=words):
                self.refused(self.run_block(path, check_code=False, **options), 2, *words)


class Trims(Traced):
    def test_trim_patterns_punch_holes_into_a_file(self):
        for pattern in ("trim", "randtrim"):
            path = self.data_file(4)
            calls = self.trace(path, "fallocate,pwrite64,pread64", pattern=pattern, block_size="64KiB", size="2MiB")
            punched = [
                int(arguments.split(", ")[2])
                for _, name, arguments, _ in calls
                if name == "fallocate" and arguments.split(", ")[3] == "65536"
            ]
            self.assertEqual(sorted(punched), [i * 65536 for i in range(32)])
            self.assertEqual(punched == sorted(punched), pattern == "trim")
            self.assertEqual(path.read_bytes()[: 2 * MIB], bytes(2 * MIB))
            self.assertLess(os.stat(path).st_blocks * 512, 2 * MIB + 65536)
            self.assertNotEqual(path.read_bytes()[2 * MIB :], bytes(2 * MIB))

    def test_trim_gives_a_devices_blocks_back(self):
        device = self.loop_device(16)
        image = next(self.dir.glob("loop-*.img"))
        before = os.stat(image).st_blocks * 512
        calls = self.trace(device, "ioctl", pattern="trim", block_size="64KiB", size="4MiB")
        self.assertEqual(sum("BLKDISCARD" in arguments for _, _, arguments, _ in calls), 64)
        self.assertAlmostEqual(before - os.stat(image).st_blocks * 512, 4 * MIB, delta=65536)

    def test_trim_is_counted_as_an_operation_of_its_own(self):
        job = self.run_block(self.data_file(1), pattern="trim", queue_depth=8, check_code=False).jobs()[0]
        self.assertEqual(operation(job, "trim")["operations"], 256)
        self.assertEqual(operation(job, "trim")["bytes"], MIB)
        self.assertEqual(facts(job)["effective_queue_depth"], 1)

    def test_trim_of_a_mounted_device_is_refused_as_a_write_is(self):
        _, device = self.mounted()
        self.refused(self.run_block(device, pattern="trim", check_code=False), 2, device)


class Data(LabTest):
    def written(self, **options):
        """The 4 KiB blocks of a file after one pass of writes."""
        path = self.data_file(8)
        self.run_block(path, pattern="write", queue_depth=4, block_size="16KiB", check_code=False, **options)
        content = path.read_bytes()
        return [content[i : i + 4096] for i in range(0, len(content), 4096)]

    def test_data_is_incompressible_by_default_across_blocks_too(self):
        # lzma -1 looks back 1 MiB, as a compressing array may.
        for engine, depth, sizes in (
            ("psync", 1, {"block_size": "4KiB"}),
            ("libaio", 8, {"block_size": "4KiB"}),
            ("io_uring", 1, {"block_size": "512B"}),
            ("io_uring", 32, {"block_size": "64KiB"}),
            ("io_uring", 4, {"block_size_mix": "4KiB:90,32KiB:10"}),
        ):
            with self.subTest(engine=engine, depth=depth, **sizes):
                path = self.data_file(4)
                self.run_block(path, pattern="write", engine=engine, queue_depth=depth, amount="4MiB",
                               check_code=False, **sizes)
                content = path.read_bytes()
                self.assertLess(len(content) / len(lzma.compress(content, preset=1)), 1.02)

    def test_compressible_is_what_a_compressor_removes(self):
        for percent in (25, 50, 90):
            blocks = self.written(compressible=f"{percent}%")
            left = sum(len(zlib.compress(block, 6)) for block in blocks) / (4096 * len(blocks))
            self.assertAlmostEqual(left, 1 - percent / 100, delta=0.02)
            # Nor more when it sees all of it at once.
            whole = len(zlib.compress(b"".join(blocks), 6)) / (4096 * len(blocks))
            self.assertAlmostEqual(whole, 1 - percent / 100, delta=0.02)
            self.assertEqual(len(set(blocks)), len(blocks))

    def test_compressible_on_a_compressing_device(self):
        device = self.zram_device(64)
        self.run_block(device, pattern="write", block_size="64KiB", compressible="60%", check_code=False)
        statistics = pathlib.Path("/sys/block", os.path.basename(device), "mm_stat").read_text().split()
        stored, compressed = int(statistics[0]), int(statistics[1])
        self.assertEqual(stored, 64 * MIB)
        self.assertAlmostEqual(compressed / stored, 0.4, delta=0.03)

    def test_dedupe_is_the_share_of_copies(self):
        for percent in (20, 70):
            blocks = self.written(dedupe=f"{percent}%")
            copies = 1 - len(set(blocks)) / len(blocks)
            # Binomial: 2048 blocks, four deviations.
            share = percent / 100
            self.assertAlmostEqual(copies, share, delta=4 * (share * (1 - share) / 2048) ** 0.5)


if __name__ == "__main__":
    unittest.main()
