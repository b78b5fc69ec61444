#include "core/context/target.hpp"

#include "tests/lab/devices.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

// major minor name, reads: completed merged sectors ms, writes: completed merged sectors ms, in flight, ...
constexpr std::string_view diskstats =
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 254       0 vda 34457 10112 4019362 11040 24249 8811 1035304 3832 0 6224 15271\n"
    " 254       1 vda1 1 2 3 4 5 6 7 8 9 10 11\n"
    " 104       0 cciss/c0d0 10 0 80 0 20 0 160 0 0 0 0\n"
    "   8       0 sda 1 2 x 4 5 6 7 8 9 10 11\n"
    "   8      16 sdb 1 2 3\n"
    "   8      32 sdc -1 2 3 4 5 6 7 8\n";

DiskReading reading(std::int64_t at_ns, const std::string& name, DiskCounters counters) {
    DiskReading made;
    made.at_ns = at_ns;
    made.disks[name] = counters;
    return made;
}

TEST(Diskstats, ReadsTheDevicesAskedForByTheirWholeName) {
    const DiskReading read = parse_diskstats(diskstats, {"vda", "cciss/c0d0", "vd"});
    ASSERT_EQ(read.disks.size(), 2U);
    const DiskCounters& vda = read.disks.at("vda");
    EXPECT_EQ(vda.read_operations, 34457U);
    EXPECT_EQ(vda.read_sectors, 4019362U);
    EXPECT_EQ(vda.write_operations, 24249U);
    EXPECT_EQ(vda.write_sectors, 1035304U);
    EXPECT_EQ(read.disks.at("cciss/c0d0").write_sectors, 160U);
}

TEST(Diskstats, ALineWithoutItsFormIsAbsentNotZero) {
    EXPECT_TRUE(parse_diskstats(diskstats, {"sda", "sdb", "sdc", "missing"}).disks.empty());
    EXPECT_TRUE(parse_diskstats("", {"vda"}).disks.empty());
}

TEST(DiskDifference, CountsInBytesOf512ByteSectors) {
    const auto deltas = difference(reading(5'000, "vda", {10, 100, 20, 300}), reading(2'000, "vda", {4, 60, 19, 100}));
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_TRUE(deltas[0].valid);
    EXPECT_EQ(deltas[0].device, "vda");
    EXPECT_EQ(deltas[0].read_operations, 6U);
    EXPECT_EQ(deltas[0].read_bytes, 40U * 512);
    EXPECT_EQ(deltas[0].write_operations, 1U);
    EXPECT_EQ(deltas[0].written_bytes, 200U * 512);
    EXPECT_EQ(deltas[0].window_ns, 3'000);
    EXPECT_EQ(deltas[0].source, "/proc/diskstats");
}

TEST(DiskDifference, OneCounterThatGoesBackwardsSpoilsTheDevice) {
    const auto deltas = difference(reading(2, "vda", {10, 59, 20, 300}), reading(1, "vda", {4, 60, 19, 100}));
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_FALSE(deltas[0].valid);
    EXPECT_EQ(deltas[0].read_operations + deltas[0].read_bytes + deltas[0].write_operations + deltas[0].written_bytes,
              0U);
}

TEST(DiskDifference, MoreSectorsThanBytesCanCountIsNotValid) {
    const auto deltas = difference(reading(2, "vda", {0, std::numeric_limits<std::uint64_t>::max(), 0, 0}),
                                   reading(1, "vda", {0, 0, 0, 0}));
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_FALSE(deltas[0].valid);
}

TEST(DiskDifference, ADeviceThatWentOrCameIsNotValid) {
    const auto deltas = difference(reading(2, "loop1", {}), reading(1, "loop2", {}));
    ASSERT_EQ(deltas.size(), 2U);
    EXPECT_EQ(deltas[0].device, "loop1");
    EXPECT_FALSE(deltas[0].valid);
    EXPECT_EQ(deltas[1].device, "loop2");
    EXPECT_FALSE(deltas[1].valid);
}

TEST(DiskReadings, CountExactlyTheBytesThatADirectReadMoves) {
    ASSAY_NEEDS_DEVICES();
    const lab::LoopDevice device(8 << 20);
    const Fd fd(::open(device.path().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    ASSERT_TRUE(fd.valid());
    alignas(4096) static char buffer[65536];
    const DiskReading before = read_disks({device.name()});
    for (int block = 0; block < 16; ++block)
        ASSERT_EQ(::pread(fd.get(), buffer, sizeof(buffer), block * 65536), 65536);
    const auto deltas = difference(read_disks({device.name()}), before);
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_TRUE(deltas[0].valid);
    EXPECT_EQ(deltas[0].read_bytes, 16U * 65536);
    EXPECT_EQ(deltas[0].written_bytes, 0U);
    EXPECT_GT(deltas[0].window_ns, 0);
}

} // namespace
} // namespace assay
