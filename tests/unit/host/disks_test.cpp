#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace assay::host {
namespace {

TEST(Disks, SectorsAre512BytesAndMillisecondsWrapAt32Bits) {
    Probe probe(make_disk_source(sample("server"), {}));
    probe.read();
    EXPECT_EQ(probe.raw("disk.read{device=nvme0n1}"), 8000000000u);
    EXPECT_EQ(probe.scaled("disk.read{device=nvme0n1}"), 8000000000.0 * 512);
    EXPECT_STREQ(probe.find("disk.read{device=nvme0n1}")->unit, "B");
    EXPECT_EQ(probe.find("disk.read{device=nvme0n1}")->width_bits, 64u);
    for (const char* time : {"read_time", "write_time", "busy", "queue_time", "discard_time", "flush_time"}) {
        const assay_series* series = probe.find(std::string("disk.") + time + "{device=nvme0n1}");
        ASSERT_NE(series, nullptr) << time;
        EXPECT_EQ(series->width_bits, 32u) << time;
        EXPECT_EQ(series->overflow, ASSAY_OVERFLOW_WRAPS) << time;
        EXPECT_EQ(series->scale, 1e-3) << time;
        EXPECT_STREQ(series->unit, "s") << time;
    }
}

TEST(Disks, EveryColumnIsInItsPlace) {
    Probe probe(make_disk_source(sample("server"), {}));
    probe.read();
    const struct {
        const char* metric;
        std::uint64_t value;
    } expected[] = {{"reads", 1000},
                    {"reads_merged", 10},
                    {"read", 8000000000},
                    {"read_time", 4294967290},
                    {"writes", 500},
                    {"writes_merged", 20},
                    {"written", 4000},
                    {"write_time", 600},
                    {"in_flight", 7},
                    {"busy", 4294967000},
                    {"queue_time", 4294967295},
                    {"discards", 30},
                    {"discarded", 2048},
                    {"discard_time", 40},
                    {"flushes", 50},
                    {"flush_time", 60}};
    for (const auto& each : expected)
        EXPECT_EQ(probe.raw(std::string("disk.") + each.metric + "{device=nvme0n1}"), each.value) << each.metric;
    EXPECT_EQ(probe.find("disk.in_flight{device=nvme0n1}")->kind, ASSAY_SERIES_GAUGE);
    EXPECT_EQ(probe.raw("disk.written{device=nvme0n1p1}"), 3200u);
    EXPECT_EQ(probe.raw("disk.reads{device=dm-0}"), 12u);
}

TEST(Disks, AnOldKernelsElevenColumnsListNoDiscards) {
    Probe probe(make_disk_source(sample("server"), {}));
    probe.read();
    EXPECT_EQ(probe.raw("disk.queue_time{device=sda}"), 120u);
    EXPECT_FALSE(probe.lists("disk.discards{device=sda}"));
}

TEST(Disks, ADeviceWithASizeIsListedBeforeItsFirstRequestAndOneWithoutIsNot) {
    const OwnRoots own("server");
    Probe probe(make_disk_source(own.roots(), {}));
    EXPECT_TRUE(probe.lists("disk.read{device=loop1}"));
    EXPECT_FALSE(probe.lists("disk.read{device=loop0}"));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.write("sys/class/block/loop0/size", "8\n"); // a file was attached
    EXPECT_TRUE(probe.stale());
    probe.discover();
    EXPECT_TRUE(probe.lists("disk.read{device=loop0}"));
}

TEST(Disks, PluggingAndUnpluggingMakeTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_disk_source(own.roots(), {}));
    own.edit("proc/diskstats", " 253       0 dm-0 ", " 253       1 dm-1 ");
    probe.read();
    EXPECT_EQ(probe.raw("disk.reads{device=dm-0}"), std::nullopt);
    EXPECT_EQ(probe.raw("disk.reads{device=sda}"), 100u) << "those after it keep their places";
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("disk.reads{device=dm-1}"), 12u);
    EXPECT_FALSE(probe.stale());
}

TEST(Disks, OnlyDevicesThatThePatternsAdmitAreListed) {
    Probe probe(make_disk_source(sample("server"), DeviceFilter({"nvme?n1", "sd*"})));
    probe.read();
    EXPECT_TRUE(probe.lists("disk.read{device=nvme0n1}"));
    EXPECT_TRUE(probe.lists("disk.read{device=sda}"));
    EXPECT_FALSE(probe.lists("disk.read{device=nvme0n1p1}"));
    EXPECT_FALSE(probe.lists("disk.read{device=dm-0}"));
    EXPECT_FALSE(probe.stale());
}

TEST(Disks, AColumnThatIsNoNumberIsUnsetAndTheNextKeepsItsPlace) {
    const OwnRoots own;
    own.write("proc/diskstats", "8 0 sda 1 x 99999999999999999999999 4 5\n8 16\n8\n\n8 1 sdb\n");
    Probe probe(make_disk_source(own.roots(), {}));
    probe.read();
    EXPECT_EQ(probe.raw("disk.reads{device=sda}"), 1u);
    EXPECT_EQ(probe.raw("disk.reads_merged{device=sda}"), std::nullopt);
    EXPECT_EQ(probe.raw("disk.read{device=sda}"), std::nullopt);
    EXPECT_EQ(probe.raw("disk.read_time{device=sda}"), 4u);
    EXPECT_EQ(probe.raw("disk.writes{device=sda}"), 5u);
}

// What awk makes of the live file, before and after: ours must lie between.
std::vector<std::array<double, 4>> by_awk(std::vector<std::string>& names) {
    std::vector<std::array<double, 4>> rows;
    names.clear();
    FILE* pipe =
        ::popen("awk '{printf \"%s %.0f %.0f %.0f %.0f\\n\", $3, $4, $6*512, $8, $10*512}' /proc/diskstats", "r");
    char name[128];
    std::array<double, 4> row{};
    while (pipe != nullptr &&
           std::fscanf(pipe, "%127s %lf %lf %lf %lf", name, &row[0], &row[1], &row[2], &row[3]) == 5) {
        names.emplace_back(name);
        rows.push_back(row);
    }
    if (pipe != nullptr) ::pclose(pipe);
    return rows;
}

TEST(Disks, AgreeWithAwkOnThisMachine) {
    Probe probe(make_disk_source(Roots{}, {}));
    std::vector<std::string> names;
    std::vector<std::string> names_after;
    const auto before = by_awk(names);
    probe.read();
    const auto after = by_awk(names_after);
    ASSERT_EQ(names, names_after);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string labels = "{device=" + names[i] + "}";
        if (!probe.lists("disk.reads" + labels)) continue;
        const char* metrics[] = {"disk.reads", "disk.read", "disk.writes", "disk.written"};
        for (std::size_t k = 0; k < 4; ++k) {
            const auto ours = probe.scaled(metrics[k] + labels);
            ASSERT_TRUE(ours) << metrics[k] << labels;
            EXPECT_GE(*ours, before[i][k]) << metrics[k] << labels;
            EXPECT_LE(*ours, after[i][k]) << metrics[k] << labels;
            ++compared;
        }
    }
    EXPECT_GE(compared, 4u);
}

} // namespace
} // namespace assay::host
