#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

namespace assay::host {
namespace {

TEST(Memory, IsInBytesAndCapturedValuesAreThoseOfTheFile) {
    Probe probe(make_memory_source(sample("vm")));
    probe.read();
    EXPECT_EQ(probe.scaled("memory.total"), 24683656.0 * 1024); // grep MemTotal
    EXPECT_EQ(probe.raw("memory.huge_pages"), 0u);
    EXPECT_EQ(probe.find("memory.dirty")->kind, ASSAY_SERIES_GAUGE);
    EXPECT_STREQ(probe.find("memory.dirty")->unit, "B");
    EXPECT_EQ(probe.size(), 20u) << "every line that is wanted is there";
}

TEST(Memory, LinesThatAreGoneOrNewLeaveTheOthersInPlace) {
    const OwnRoots own;
    own.write("proc/meminfo", "MemTotal: 100 kB\nMemFree: 50 kB\nDirty: 3 kB\n");
    Probe probe(make_memory_source(own.roots()));
    own.write("proc/meminfo", "MemTotal: 101 kB\nBrandNew: 7 kB\nDirty: 4 kB\nDirty\nMemFree: x kB\n");
    probe.read();
    EXPECT_EQ(probe.raw("memory.total"), 101u);
    EXPECT_EQ(probe.raw("memory.free"), std::nullopt);
    EXPECT_EQ(probe.raw("memory.dirty"), 4u);
}

TEST(Paging, BytesOfBlockDevicesAreCountedInKib) {
    const OwnRoots own;
    own.write("proc/vmstat", "nr_free_pages 1\npgpgin 2000\npgpgout 3000\npswpin 4\npgmajfault 5\noom_kill 6\n");
    Probe probe(make_paging_source(own.roots()));
    probe.read();
    EXPECT_EQ(probe.scaled("paging.in"), 2000.0 * 1024);
    EXPECT_EQ(probe.scaled("paging.out"), 3000.0 * 1024);
    EXPECT_EQ(probe.raw("paging.swapped_in"), 4u);
    EXPECT_EQ(probe.raw("paging.faults_major"), 5u);
    EXPECT_EQ(probe.raw("paging.oom_kills"), 6u);
    EXPECT_EQ(probe.size(), 5u);
    EXPECT_EQ(probe.find("paging.in")->kind, ASSAY_SERIES_COUNTER);
}

TEST(Pressure, IsStalledTimeFromMicroseconds) {
    Probe probe(make_pressure_source(sample("server")));
    probe.read();
    EXPECT_EQ(probe.raw("pressure.some{resource=cpu}"), 1234567u);
    EXPECT_DOUBLE_EQ(*probe.scaled("pressure.some{resource=cpu}"), 1.234567);
    EXPECT_EQ(probe.raw("pressure.full{resource=cpu}"), 0u);
    EXPECT_EQ(probe.raw("pressure.full{resource=irq}"), 77u);
    EXPECT_FALSE(probe.lists("pressure.some{resource=irq}"));
    EXPECT_FALSE(probe.lists("pressure.some{resource=memory}"));
    EXPECT_EQ(probe.find("pressure.some{resource=cpu}")->width_bits, 64u);
}

TEST(Pressure, CapturedVirtualMachine) {
    Probe probe(make_pressure_source(sample("vm")));
    probe.read();
    EXPECT_EQ(probe.raw("pressure.some{resource=io}"), 67633190u);
    EXPECT_EQ(probe.raw("pressure.full{resource=io}"), 8883989u);
}

TEST(Pressure, GarbageListsNothing) {
    const OwnRoots own;
    own.write("proc/pressure/io", "some total=\nfull avg10=1\nsome total=x\ntotal=5\n");
    EXPECT_EQ(Probe(make_pressure_source(own.roots())).size(), 0u);
}

TEST(Temperature, SensorsOfHwmonAndThermalZones) {
    Probe probe(make_temperature_source(sample("server")));
    probe.read();
    EXPECT_DOUBLE_EQ(*probe.scaled("temperature{chip=nvme,device=hwmon0,sensor=Composite}"), 38.85);
    EXPECT_DOUBLE_EQ(*probe.scaled("temperature{chip=nvme,device=hwmon0,sensor=temp2}"), -5.0);
    EXPECT_DOUBLE_EQ(*probe.scaled("temperature{chip=coretemp,device=hwmon1,sensor=Package id 0}"), 61.0);
    EXPECT_DOUBLE_EQ(*probe.scaled("temperature{chip=x86_pkg_temp,device=thermal_zone0}"), 60.5);
    EXPECT_EQ(probe.size(), 4u);
}

TEST(Temperature, ASensorThatFailsIsUnsetAndAChipThatComesMakesTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_temperature_source(own.roots()));
    own.write("sys/class/hwmon/hwmon1/temp1_input", "99999999999999\n");
    probe.read();
    EXPECT_EQ(probe.raw("temperature{chip=coretemp,device=hwmon1,sensor=Package id 0}"), std::nullopt);
    EXPECT_FALSE(probe.stale());
    own.write("sys/class/hwmon/hwmon2/name", "drivetemp\n");
    own.write("sys/class/hwmon/hwmon2/temp1_input", "30000\n");
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_DOUBLE_EQ(*probe.scaled("temperature{chip=drivetemp,device=hwmon2,sensor=temp1}"), 30.0);
}

} // namespace
} // namespace assay::host
