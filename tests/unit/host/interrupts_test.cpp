#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace assay::host {
namespace {

TEST(Softirqs, AreByCpuAndKindAndWrapAt32Bits) {
    Probe probe(make_softirq_source(sample("server")));
    probe.read();
    EXPECT_EQ(probe.raw("softirq.count{cpu=0,kind=NET_RX}"), 4294967295u);
    EXPECT_EQ(probe.raw("softirq.count{cpu=4,kind=NET_RX}"), 40u);
    EXPECT_EQ(probe.raw("softirq.count{cpu=1,kind=BLOCK}"), 12u);
    EXPECT_EQ(probe.raw("softirq.count{cpu=3,kind=RCU}"), 79u);
    EXPECT_EQ(probe.find("softirq.count{cpu=0,kind=NET_RX}")->width_bits, 32u);
    EXPECT_EQ(probe.find("softirq.count{cpu=0,kind=NET_RX}")->overflow, ASSAY_OVERFLOW_WRAPS);
}

TEST(Softirqs, CpusThatNeverRanAreLeftOut) {
    Probe probe(make_softirq_source(sample("server")));
    EXPECT_EQ(probe.size(), 10u * 4u); // 8 possible CPUs, 4 of them used
    EXPECT_FALSE(probe.lists("softirq.count{cpu=2,kind=TIMER}"));
}

TEST(Softirqs, ACpuThatStartsToRunMakesTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_softirq_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.edit("proc/softirqs", "          0          0          0\n", "          3          0          0\n");
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("softirq.count{cpu=5,kind=TIMER}"), 3u);
}

TEST(Interrupts, AreByCpuAndDevice) {
    Probe probe(make_interrupt_source(sample("server")));
    probe.read();
    EXPECT_EQ(probe.raw("interrupt.count{cpu=0,irq=0,device=timer}"), 43u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=4,irq=16,device=ehci_hcd:usb1%2C i801_smbus}"), 12u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=0,irq=121,device=mlx5_comp0@pci:0000:81:00.0}"), 4294967290u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=1,irq=122,device=mlx5_comp1@pci:0000:81:00.0}"), 20000000u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=4,irq=122,device=mlx5_comp1@pci:0000:81:00.0}"), 7u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=3,irq=140,device=nvme0q3}"), 334455u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=4,irq=LOC,device=Local timer interrupts}"), 100003u);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=0,irq=120}"), 3u) << "a vector without a device";
    EXPECT_EQ(probe.raw("interrupt.count{irq=ERR}"), 5u) << "a count that belongs to no CPU";
    for (const std::string& name : probe.names())
        EXPECT_EQ(probe.find(name)->width_bits, 32u) << name;
}

TEST(Interrupts, OnlyWhatEverCountedIsListed) {
    Probe probe(make_interrupt_source(sample("server")));
    // timer, rtc, usb, 120, comp0, comp1 twice, nvme, NMI and LOC on 4 CPUs each, ERR
    EXPECT_EQ(probe.size(), 1u + 1u + 1u + 1u + 1u + 2u + 1u + 4u + 4u + 1u);
}

TEST(Interrupts, ACpuThatTakesADeviceOverMakesTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_interrupt_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.edit("proc/interrupts", "          0          0     334455          0",
             "          0          9     334455          0");
    probe.read();
    EXPECT_TRUE(probe.stale());
    EXPECT_EQ(probe.raw("interrupt.count{cpu=3,irq=140,device=nvme0q3}"), 334455u);
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("interrupt.count{cpu=1,irq=140,device=nvme0q3}"), 9u);
}

TEST(Interrupts, ANumberThatNowServesAnotherDeviceIsNotItsPredecessor) {
    const OwnRoots own("server");
    Probe probe(make_interrupt_source(own.roots()));
    own.edit("proc/interrupts", "nvme0q3", "nvme1q7");
    probe.read();
    EXPECT_EQ(probe.raw("interrupt.count{cpu=3,irq=140,device=nvme0q3}"), std::nullopt);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=0,irq=0,device=timer}"), 43u);
    EXPECT_TRUE(probe.stale());
}

TEST(Interrupts, WhenACpuGoesAwayTheColumnsAreNotReadAsOthers) {
    const OwnRoots own("server");
    Probe probe(make_interrupt_source(own.roots()));
    own.edit("proc/interrupts", "CPU3", "CPU2");
    probe.read();
    for (const std::string& name : probe.names())
        EXPECT_EQ(probe.raw(name), std::nullopt) << name;
    EXPECT_TRUE(probe.stale());
}

TEST(Interrupts, LinesThatMovedAreFoundByName) {
    const OwnRoots own("server");
    Probe probe(make_interrupt_source(own.roots()));
    own.edit("proc/interrupts", "   8:          0          0          1          0  IR-IO-APIC    8-edge      rtc0\n",
             "");
    probe.read();
    EXPECT_EQ(probe.raw("interrupt.count{cpu=3,irq=8,device=rtc0}"), std::nullopt);
    EXPECT_EQ(probe.raw("interrupt.count{cpu=3,irq=140,device=nvme0q3}"), 334455u);
}

TEST(Interrupts, CapturedVirtualMachineAddsUpToTheLineTotals) {
    Probe probe(make_interrupt_source(sample("vm")));
    probe.read();
    const OwnRoots own("vm");
    std::istringstream lines(own.text("proc/interrupts"));
    std::string line;
    std::getline(lines, line);
    std::uint64_t theirs = 0;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        for (std::uint64_t count = 0; words >> count;)
            theirs += count;
    }
    std::uint64_t ours = 0;
    for (const std::string& name : probe.names())
        ours += probe.raw(name).value_or(0);
    EXPECT_EQ(ours, theirs);
    EXPECT_GT(ours, 0u);
}

TEST(Interrupts, MoreThanTheBoundIsLeftOutAndDoesNotMakeTheListStaleForEver) {
    const OwnRoots own;
    std::string text = "      ";
    const std::size_t cpus = 512;
    for (std::size_t i = 0; i < cpus; ++i)
        text += " CPU" + std::to_string(i);
    text += "\n";
    for (int irq = 0; irq < 100; ++irq) {
        text += std::to_string(irq) + ":";
        for (std::size_t i = 0; i < cpus; ++i)
            text += " 1";
        text += "  chip  dev\n";
    }
    own.write("proc/interrupts", text);
    Probe probe(make_interrupt_source(own.roots())); // 51,200 counts
    EXPECT_EQ(probe.size(), series_max);
    probe.read();
    EXPECT_FALSE(probe.stale());
}

TEST(Interrupts, GarbageSetsNothing) {
    const OwnRoots own;
    own.write("proc/interrupts", "CPU0 CPU1\n:\n::::\nx\n1: 99999999999999999999999 1 chip dev\n2: -1 -1\nCPU0\n");
    Probe probe(make_interrupt_source(own.roots()));
    probe.read();
    EXPECT_EQ(probe.size(), 0u);
    own.write("proc/interrupts", "");
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.size(), 0u);
}

} // namespace
} // namespace assay::host
