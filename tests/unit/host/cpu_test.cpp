#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <unistd.h>

namespace assay::host {
namespace {

const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));

TEST(Cpu, EachColumnIsItsOwnSeriesInSeconds) {
    Probe probe(make_cpu_source(sample("server")));
    probe.read();
    const struct {
        const char* metric;
        std::uint64_t ticks;
    } expected[] = {{"user", 10100}, {"nice", 50},      {"system", 2500}, {"idle", 900300}, {"iowait", 2001},
                    {"irq", 0},      {"softirq", 1000}, {"steal", 3},     {"guest", 0},     {"guest_nice", 0}};
    for (const auto& each : expected) {
        const std::string name = std::string("cpu.") + each.metric + "{cpu=3}";
        EXPECT_EQ(probe.raw(name), each.ticks) << name;
        ASSERT_TRUE(probe.lists(name));
        EXPECT_EQ(probe.find(name)->scale, tick_s) << name;
        EXPECT_STREQ(probe.find(name)->unit, "s");
        EXPECT_EQ(probe.find(name)->width_bits, 64u);
    }
    EXPECT_EQ(probe.raw("cpu.guest{cpu=0}"), 50u);
    EXPECT_FALSE(probe.lists("cpu.user{cpu=2}")) << "CPU 2 is offline";
}

TEST(Cpu, SystemEventsAreCountersAndQueuesAreGauges) {
    Probe probe(make_cpu_source(sample("server")));
    probe.read();
    EXPECT_EQ(probe.raw("system.interrupts"), 18446744073709551615u);
    EXPECT_EQ(probe.raw("system.context_switches"), 987654321u);
    EXPECT_EQ(probe.raw("system.forks"), 4242u);
    EXPECT_EQ(probe.raw("system.running"), 3u);
    EXPECT_EQ(probe.raw("system.blocked"), 1u);
    EXPECT_EQ(probe.find("system.forks")->kind, ASSAY_SERIES_COUNTER);
    EXPECT_EQ(probe.find("system.running")->kind, ASSAY_SERIES_GAUGE);
}

// The kernel sums before it rounds, so the parts may differ from the whole by a tick a CPU.
void expect_parts_make_up_the_whole(const Roots& roots, const std::string& stat) {
    Probe probe(make_cpu_source(roots));
    probe.read();
    std::istringstream whole(stat.substr(stat.find(' ')));
    for (const char* metric :
         {"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"}) {
        double total = 0;
        ASSERT_TRUE(whole >> total);
        double sum = 0;
        double cpus = 0;
        for (int cpu = 0; cpu < 4096; ++cpu) {
            const auto ticks = probe.raw(std::string("cpu.") + metric + "{cpu=" + std::to_string(cpu) + "}");
            if (!ticks) continue;
            sum += static_cast<double>(*ticks);
            ++cpus;
        }
        EXPECT_GT(cpus, 0) << metric;
        EXPECT_NEAR(sum, total, cpus) << metric;
    }
}

TEST(Cpu, TheSumOverCpusIsTheAggregateLine) {
    for (const char* name : {"server", "vm"}) {
        const OwnRoots own(name);
        expect_parts_make_up_the_whole(own.roots(), own.text("proc/stat"));
    }
}

TEST(Cpu, OnThisMachineToo) {
    // Frozen, since the counters move between two readings.
    const OwnRoots own;
    std::ifstream stat("/proc/stat");
    const std::string text{std::istreambuf_iterator<char>(stat), {}};
    own.write("proc/stat", text);
    expect_parts_make_up_the_whole(own.roots(), text);
}

TEST(Cpu, ACpuThatGoesOfflineIsUnsetAndOneThatComesMakesTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_cpu_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.edit("proc/stat", "cpu3 ", "cpu2 ");
    probe.read();
    EXPECT_EQ(probe.raw("cpu.user{cpu=3}"), std::nullopt);
    EXPECT_EQ(probe.raw("cpu.user{cpu=4}"), 10100u) << "those after it keep their places";
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("cpu.user{cpu=2}"), 10100u);
    EXPECT_FALSE(probe.stale());
}

TEST(Cpu, IdleTimeThatStepsBackIsHandedOverAsItIs) {
    const OwnRoots own("server");
    Probe probe(make_cpu_source(own.roots()));
    own.edit("proc/stat", "900300 2001", "900299 1999");
    probe.read();
    EXPECT_EQ(probe.raw("cpu.idle{cpu=3}"), 900299u);
    EXPECT_EQ(probe.raw("cpu.iowait{cpu=3}"), 1999u);
}

TEST(Cpu, ColumnsThatAnOldKernelLacksAreNeverSet) {
    const OwnRoots own;
    own.write("proc/stat", "cpu  1 2 3 4\ncpu0 1 2 3 4\n");
    Probe probe(make_cpu_source(own.roots()));
    probe.read();
    EXPECT_EQ(probe.raw("cpu.idle{cpu=0}"), 4u);
    EXPECT_EQ(probe.raw("cpu.steal{cpu=0}"), std::nullopt);
}

TEST(Cpu, GarbageSetsNothingAndTakesNothingDown) {
    const OwnRoots own;
    own.write("proc/stat", "cpu0 99999999999999999999999 -1 x\ncpu1\ncpuX 1\nctxt\nintr abc\n\n   \ncpu");
    Probe probe(make_cpu_source(own.roots()));
    probe.read();
    for (const std::string& name : probe.names())
        EXPECT_EQ(probe.raw(name), std::nullopt) << name;
    own.write("proc/stat", "");
    probe.read();
}

TEST(Cpu, WithoutTheFileThereIsNothing) { EXPECT_EQ(Probe(make_cpu_source(OwnRoots().roots())).size(), 0u); }

} // namespace
} // namespace assay::host
