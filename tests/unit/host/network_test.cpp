#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace assay::host {
namespace {

TEST(Nics, EveryColumnIsInItsPlaceAlsoWhereTheNameTouchesTheFirst) {
    Probe probe(make_nic_source(sample("server"), {}));
    probe.read();
    const struct {
        const char* metric;
        std::uint64_t value;
    } expected[] = {{"received", 123456789012345},
                    {"received_packets", 9876543210},
                    {"receive_errors", 1},
                    {"receive_drops", 2},
                    {"receive_overruns", 3},
                    {"receive_frame_errors", 4},
                    {"received_multicast", 6},
                    {"sent", 543210987654321},
                    {"sent_packets", 1234567890},
                    {"send_errors", 7},
                    {"send_drops", 8},
                    {"send_overruns", 9},
                    {"collisions", 10},
                    {"carrier_errors", 11}};
    for (const auto& each : expected)
        EXPECT_EQ(probe.raw(std::string("nic.") + each.metric + "{device=enp1s0f0np0}"), each.value) << each.metric;
    EXPECT_EQ(probe.raw("nic.sent{device=lo}"), 1000u);
    EXPECT_STREQ(probe.find("nic.received{device=lo}")->unit, "B");
}

TEST(Nics, OneThatComesMakesTheListStaleAndOneThatIsFilteredDoesNot) {
    const OwnRoots own("server");
    Probe probe(make_nic_source(own.roots(), DeviceFilter({"enp*"})));
    probe.read();
    EXPECT_FALSE(probe.lists("nic.sent{device=lo}"));
    EXPECT_FALSE(probe.stale());
    own.edit("proc/net/dev", "    lo:", "enp9s0:");
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("nic.sent{device=enp9s0}"), 1000u);
}

TEST(Links, SpeedIsInBitsASecondAndMissingWhereThereIsNone) {
    Probe probe(make_link_source(sample("server"), {}));
    probe.read();
    EXPECT_EQ(probe.scaled("nic.speed{device=enp1s0f0np0}"), 200e9);
    EXPECT_EQ(probe.raw("nic.carrier_changes{device=enp1s0f0np0}"), 3u);
    EXPECT_TRUE(probe.lists("nic.speed{device=enp1s0f1np1}"));
    EXPECT_EQ(probe.raw("nic.speed{device=enp1s0f1np1}"), std::nullopt) << "down: -1";
    EXPECT_FALSE(probe.lists("nic.speed{device=lo}"));
}

TEST(Protocols, AreFoundByNameWhateverTheirPosition) {
    Probe probe(make_protocol_source(sample("server")));
    probe.read();
    const std::map<std::string, std::uint64_t> expected = {
        {"tcp.retransmits", 18}, {"tcp.received", 1600},      {"tcp.sent", 1700},        {"tcp.receive_errors", 19},
        {"tcp.resets_sent", 20}, {"tcp.opens_active", 11},    {"tcp.opens_passive", 12}, {"tcp.opens_failed", 13},
        {"tcp.resets", 14},      {"tcp.established", 15},     {"udp.received", 31},      {"udp.receive_errors", 33},
        {"udp.sent", 34},        {"udp.receive_drops", 35},   {"udp.send_drops", 36},    {"tcp.listen_overflows", 1},
        {"tcp.listen_drops", 2}, {"tcp.retransmits_lost", 3}, {"tcp.timeouts", 5}};
    EXPECT_EQ(probe.size(), expected.size());
    for (const auto& [name, value] : expected)
        EXPECT_EQ(probe.raw(name), value) << name;
    EXPECT_EQ(probe.find("tcp.established")->kind, ASSAY_SERIES_GAUGE);
    EXPECT_EQ(probe.group_ns().size(), 2u) << "two files, two instants";
}

TEST(Protocols, AnotherLineOfNamesIsNotReadAsTheOldOne) {
    const OwnRoots own("server");
    Probe probe(make_protocol_source(own.roots()));
    own.edit("proc/net/snmp", "ActiveOpens PassiveOpens", "SomethingNew ActiveOpens PassiveOpens");
    probe.read();
    EXPECT_EQ(probe.raw("tcp.retransmits"), std::nullopt);
    EXPECT_EQ(probe.raw("tcp.timeouts"), 5u);
    EXPECT_TRUE(probe.stale());
}

TEST(Protocols, GarbageSetsNothing) {
    const OwnRoots own;
    own.write("proc/net/snmp", "Tcp: RetransSegs OutSegs\nTcp: x -1\nTcp\n\n:\n");
    own.write("proc/net/netstat", "TcpExt: TCPTimeouts\n");
    Probe probe(make_protocol_source(own.roots()));
    probe.read();
    for (const std::string& name : probe.names())
        EXPECT_EQ(probe.raw(name), std::nullopt) << name;
}

// A driver with what the test puts into it.
struct Fake final : DriverStatistics {
    struct State {
        std::vector<std::string> names;
        std::vector<std::uint64_t> values;
        bool works = true;
    };
    explicit Fake(State& state) : state_(state) {}
    std::vector<std::string> names(const std::string& interface) override {
        return interface == "enp1s0f0np0" ? state_.names : std::vector<std::string>();
    }
    bool values(const std::string&, std::span<std::uint64_t> values) override {
        if (!state_.works || values.size() != state_.values.size()) return false;
        std::copy(state_.values.begin(), state_.values.end(), values.begin());
        return true;
    }
    State& state_;
};

TEST(DriverStatistics, ListsWhatCountedAndWhatSoundsLikeTrouble) {
    Fake::State state{{"rx0_packets", "rx1_packets", "rx1_drops", "tx_timeout", "link_gauge"}, {10, 0, 0, 0, 3}};
    Probe probe(make_driver_source(sample("server"), {}, std::make_unique<Fake>(state)));
    probe.read();
    EXPECT_EQ(probe.size(), 4u);
    EXPECT_EQ(probe.raw("ethtool.statistic{device=enp1s0f0np0,name=rx0_packets}"), 10u);
    EXPECT_EQ(probe.raw("ethtool.statistic{device=enp1s0f0np0,name=rx1_drops}"), 0u);
    EXPECT_FALSE(probe.lists("ethtool.statistic{device=enp1s0f0np0,name=rx1_packets}"));
    EXPECT_FALSE(probe.stale());
    state.values[1] = 5; // the second queue is used
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("ethtool.statistic{device=enp1s0f0np0,name=rx1_packets}"), 5u);
}

TEST(DriverStatistics, AnotherNumberOfThemMakesTheListStaleAndSetsNothing) {
    Fake::State state{{"a", "b"}, {1, 2}};
    Probe probe(make_driver_source(sample("server"), {}, std::make_unique<Fake>(state)));
    state = {{"a", "b", "c"}, {1, 2, 3}};
    probe.read();
    EXPECT_EQ(probe.raw("ethtool.statistic{device=enp1s0f0np0,name=a}"), std::nullopt);
    EXPECT_TRUE(probe.stale());
}

TEST(DriverStatistics, AreAskedOnceASecondAtMost) {
    Fake::State state;
    EXPECT_EQ(make_driver_source(sample("server"), {}, std::make_unique<Fake>(state))->period_min_ns(), 1'000'000'000);
}

TEST(DriverStatistics, OfRealInterfacesHaveAsManyValuesAsNames) {
    const auto statistics = make_ethtool_statistics();
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/net")) {
        const std::string name = entry.path().filename();
        const auto names = statistics->names(name);
        std::vector<std::uint64_t> values(names.size());
        EXPECT_EQ(statistics->values(name, values), !names.empty()) << name;
        values.push_back(0);
        EXPECT_FALSE(statistics->values(name, values)) << "a number that is not theirs";
        for (const std::string& each : names)
            EXPECT_FALSE(each.empty()) << name;
    }
    EXPECT_TRUE(statistics->names("no-such-interface-at-all").empty());
    EXPECT_TRUE(statistics->names("nosuch0").empty());
}

} // namespace
} // namespace assay::host
