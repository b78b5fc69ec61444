#include "plugins/host/cgroup_places.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::host {
namespace {

const std::string service = "cgroup=/system.slice/bench.service,version=2";
const std::string job = "cgroup=/docker/abc/job,version=1";

std::string of(const std::string& metric, const std::string& labels) { return metric + "{" + labels + "}"; }

TEST(CgroupPlaces, GoFromTheOwnGroupUpToTheRoot) {
    Buffer buffer;
    const auto places = cgroup_places(sample("cgroup2"), buffer);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_EQ(places[0].name, "/system.slice/bench.service");
    EXPECT_TRUE(places[0].directory.ends_with("/sys/fs/cgroup/system.slice/bench.service"));
    EXPECT_EQ(places[1].name, "/system.slice");
    EXPECT_EQ(places[2].name, "/");
}

TEST(CgroupPlaces, AContainerSeesOnlyWhatIsMountedIntoIt) {
    Buffer buffer;
    const auto places = cgroup_places(sample("cgroup1"), buffer);
    ASSERT_EQ(places.size(), 8u); // blkio, memory, cpu and cpuacct; the job and the container's own root
    for (const CgroupPlace& place : places) {
        EXPECT_TRUE(place.name == "/docker/abc/job" || place.name == "/docker/abc") << place.name;
        const bool own = place.name == "/docker/abc/job";
        EXPECT_EQ(place.directory.ends_with("/job"), own) << place.directory;
    }
}

TEST(CgroupPlaces, AGroupOutsideOfTheNamespaceIsItsRoot) {
    const OwnRoots own("cgroup2");
    own.write("proc/self/cgroup", "0::/../../elsewhere\n");
    Buffer buffer;
    const auto places = cgroup_places(own.roots(), buffer);
    ASSERT_EQ(places.size(), 1u);
    EXPECT_TRUE(places[0].directory.ends_with("/sys/fs/cgroup")) << places[0].directory;
}

TEST(CgroupPlaces, GarbageGivesNone) {
    const OwnRoots own("cgroup2");
    Buffer buffer;
    for (const char* text : {"", "\n", ":::", "0:", "x:y:z\n", "7::/a", "0::a/b\n"}) {
        own.write("proc/self/cgroup", text);
        EXPECT_TRUE(cgroup_places(own.roots(), buffer).empty()) << text;
    }
    own.write("proc/self/cgroup", "0::" + std::string(100000, '/') + "\n");
    EXPECT_LE(cgroup_places(own.roots(), buffer).size(), cgroup_levels_max);
    own.write("proc/self/mountinfo", " - cgroup2\n - cgroup\nx - cgroup2 y z");
    cgroup_places(own.roots(), buffer);
}

TEST(Cgroup2, ThrottlingAndLimits) {
    Probe probe(make_cgroup_source(sample("cgroup2")));
    probe.read();
    EXPECT_EQ(probe.raw(of("cgroup.periods", service)), 100u);
    EXPECT_EQ(probe.raw(of("cgroup.throttled", service)), 40u);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.throttled_time", service)), 7.5);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.cpu", service)), 12.345678);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.cpu_limit", service)), 1.5); // 150 ms of every 100 ms
    EXPECT_EQ(probe.raw(of("cgroup.memory", service)), 104857600u);
    EXPECT_EQ(probe.raw(of("cgroup.memory_limit", service)), 1073741824u);
    EXPECT_EQ(probe.raw(of("cgroup.memory_at_limit", service)), 6u);
    EXPECT_EQ(probe.raw(of("cgroup.memory_high", service)), 5u);
    EXPECT_EQ(probe.raw(of("cgroup.oom_kills", service)), 2u);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("pressure.some", service + ",resource=io")), 5000e-6);
}

TEST(Cgroup2, NoLimitIsNotANumber) {
    Probe probe(make_cgroup_source(sample("cgroup2")));
    probe.read();
    const std::string slice = "cgroup=/system.slice,version=2";
    EXPECT_EQ(probe.raw(of("cgroup.cpu_limit", slice)), std::nullopt);
    EXPECT_EQ(probe.raw(of("cgroup.memory_limit", slice)), std::nullopt);
    EXPECT_EQ(probe.raw(of("cgroup.memory", slice)), 204857600u);
    EXPECT_FALSE(probe.lists(of("cgroup.throttled", "cgroup=/,version=2"))) << "the root has no limit to run into";
}

TEST(Cgroup2, IoIsByDeviceName) {
    Probe probe(make_cgroup_source(sample("cgroup2")));
    probe.read();
    EXPECT_EQ(probe.raw(of("cgroup.read", service + ",device=nvme0n1")), 4096u);
    EXPECT_EQ(probe.raw(of("cgroup.written", service + ",device=nvme0n1")), 8192u);
    EXPECT_EQ(probe.raw(of("cgroup.reads", service + ",device=nvme0n1")), 1u);
    EXPECT_EQ(probe.raw(of("cgroup.writes", service + ",device=nvme0n1")), 2u);
    EXPECT_EQ(probe.raw(of("cgroup.reads", service + ",device=8:16")), 3u) << "no name in /sys/dev/block";
}

TEST(Cgroup2, ADeviceUsedForTheFirstTimeAndAMoveToAnotherGroupMakeTheListStale) {
    const OwnRoots own("cgroup2");
    Probe probe(make_cgroup_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.edit("sys/fs/cgroup/system.slice/bench.service/io.stat", "8:16", "8:32");
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.write("proc/self/cgroup", "0::/system.slice\n");
    EXPECT_TRUE(probe.stale());
}

TEST(Cgroup1, ThrottlingAndLimitsComeFromThreeHierarchies) {
    Probe probe(make_cgroup_source(sample("cgroup1")));
    probe.read();
    EXPECT_EQ(probe.raw(of("cgroup.periods", job)), 1000u);
    EXPECT_EQ(probe.raw(of("cgroup.throttled", job)), 250u);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.throttled_time", job)), 123.456789);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.cpu_limit", job)), 0.5);
    EXPECT_DOUBLE_EQ(*probe.scaled(of("cgroup.cpu", job)), 0.987654321);
    EXPECT_EQ(probe.raw(of("cgroup.memory", job)), 52428800u);
    EXPECT_EQ(probe.raw(of("cgroup.memory_limit", job)), 268435456u);
    EXPECT_EQ(probe.raw(of("cgroup.memory_at_limit", job)), 9u);
    const std::string above = "cgroup=/docker/abc,version=1";
    EXPECT_EQ(probe.raw(of("cgroup.throttled", above)), 0u);
    EXPECT_EQ(probe.raw(of("cgroup.cpu_limit", above)), std::nullopt) << "quota -1";
    EXPECT_EQ(probe.raw(of("cgroup.memory_limit", above)), std::nullopt) << "the largest there is stands for none";
}

TEST(Cgroup1, IoIsTakenFromItsKindsAndNeverTwice) {
    Probe probe(make_cgroup_source(sample("cgroup1")));
    probe.read();
    EXPECT_EQ(probe.raw(of("cgroup.read", job + ",device=8:0")), 4096u);
    EXPECT_EQ(probe.raw(of("cgroup.written", job + ",device=8:0")), 12288u);
    EXPECT_EQ(probe.raw(of("cgroup.reads", job + ",device=8:0")), 1u);
    EXPECT_EQ(probe.raw(of("cgroup.writes", job + ",device=8:0")), 3u);
}

TEST(Cgroup, NoNameIsListedTwiceOnThisMachine) {
    Probe probe(make_cgroup_source(Roots{}));
    std::vector<std::string> names = probe.names();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

} // namespace
} // namespace assay::host
