#include "plugins/host/sampler.hpp"
#include "plugins/host/options.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>

namespace assay::host {
namespace {

using namespace std::chrono_literals;

// The sampler as a host drives it: a new list when it asks for one.
class Driven {
public:
    explicit Driven(const Settings& settings) : sampler_(settings) { relist(); }

    void relist() {
        list_ = {};
        ASSERT_TRUE(sampler_.list(list_).ok());
        ++lists_;
    }
    void read() {
        for (int tries = 0; tries < 3; ++tries) {
            values_.assign(list_.size(), {});
            group_ns_.assign(list_.groups(), -1);
            const sdk::Status status = sampler_.read(sdk::Reading(values_, group_ns_));
            if (status.ok()) return;
            ASSERT_EQ(status.code(), ASSAY_CANCELLED);
            relist();
        }
        FAIL() << "it never settles on a list";
    }
    // Index of the series, or the list's size.
    [[nodiscard]] std::size_t find(const std::string& metric, const std::string& labels) const {
        std::size_t i = 0;
        for (const assay_series& series : list_.series()) {
            if (series.metric == metric && series.labels == labels) break;
            ++i;
        }
        return i;
    }
    [[nodiscard]] const assay_sample_value& value(const std::string& metric, const std::string& labels) const {
        static constexpr assay_sample_value absent{};
        const std::size_t at = find(metric, labels);
        return at == list_.size() ? absent : values_[at];
    }
    [[nodiscard]] std::int64_t instant_ns(const std::string& metric, const std::string& labels) const {
        return group_ns_[list_.series()[find(metric, labels)].group];
    }
    [[nodiscard]] const sdk::SeriesList& list() const { return list_; }
    [[nodiscard]] const std::vector<std::int64_t>& group_ns() const { return group_ns_; }
    [[nodiscard]] int lists() const { return lists_; }

private:
    HostSampler sampler_;
    sdk::SeriesList list_;
    std::vector<assay_sample_value> values_;
    std::vector<std::int64_t> group_ns_;
    int lists_ = 0;
};

Settings settings_for(const Roots& roots, std::int64_t discover_every_ns = 3'600'000'000'000) {
    Settings settings;
    settings.roots = roots;
    settings.discover_every_ns = discover_every_ns;
    return settings;
}

TEST(HostSampler, EveryGroupIsThereOnceAndNamesAreUnique) {
    for (const Roots& roots : {sample("server"), Roots{}}) {
        Driven driven(settings_for(roots));
        std::set<std::string> names;
        for (const assay_series& series : driven.list().series()) {
            EXPECT_TRUE(names.insert(std::string(series.metric) + "{" + series.labels + "}").second)
                << series.metric << " " << series.labels;
            EXPECT_LT(series.group, driven.list().groups());
            EXPECT_GT(series.scale, 0);
            EXPECT_STRNE(series.help, "");
            EXPECT_GE(series.width_bits, 1u);
            EXPECT_LE(series.width_bits, 128u);
        }
        EXPECT_GT(names.size(), 100u);
    }
}

TEST(HostSampler, ValuesComeOutAtTheirSeries) {
    Driven driven(settings_for(sample("server")));
    driven.read();
    EXPECT_EQ(driven.value("cpu.softirq", "cpu=3").as.u64, 1000u);
    EXPECT_EQ(driven.value("disk.reads", "device=sda").as.u64, 100u);
    EXPECT_EQ(driven.value("nic.sent", "device=lo").as.u64, 1000u);
    EXPECT_EQ(driven.value("tcp.retransmits", "").as.u64, 18u);
    EXPECT_EQ(driven.value("softirq.count", "cpu=4,kind=NET_RX").as.u64, 40u);
    EXPECT_EQ(driven.value("interrupt.count", "cpu=3,irq=140,device=nvme0q3").as.u64, 334455u);
    EXPECT_EQ(driven.value("pressure.full", "resource=irq").as.u64, 77u);
    EXPECT_EQ(driven.value("temperature", "chip=nvme,device=hwmon0,sensor=temp2").as.i64, -5000);
    EXPECT_EQ(driven.value("nic.speed", "device=enp1s0f0np0").as.u64, 200000u);
    EXPECT_EQ(driven.value("lustre.operations", "filesystem=home-ffff8f1c2d3e5000,operation=getattr").as.u64, 3u);
}

TEST(HostSampler, InstantsLieBetweenTheBeginningAndTheEndOfTheCall) {
    Driven driven(settings_for(Roots{}));
    const std::int64_t before_ns = monotonic_ns();
    driven.read();
    const std::int64_t after_ns = monotonic_ns();
    EXPECT_GE(driven.group_ns().size(), 5u);
    for (const std::int64_t instant_ns : driven.group_ns()) {
        EXPECT_GE(instant_ns, before_ns);
        EXPECT_LE(instant_ns, after_ns);
    }
}

TEST(HostSampler, ASourceThatIsAskedRarelyKeepsItsValueAndItsInstant) {
    const OwnRoots own("server");
    Driven driven(settings_for(own.roots()));
    const std::string sensor = "chip=coretemp,device=hwmon1,sensor=Package id 0";
    driven.read();
    const std::int64_t first_ns = driven.instant_ns("temperature", sensor);
    const std::int64_t first_cpu_ns = driven.instant_ns("cpu.user", "cpu=0");
    own.write("sys/class/hwmon/hwmon1/temp1_input", "70000\n");
    driven.read();
    EXPECT_EQ(driven.value("temperature", sensor).as.i64, 61000);
    EXPECT_EQ(driven.value("temperature", sensor).present, 1u);
    EXPECT_EQ(driven.instant_ns("temperature", sensor), first_ns);
    EXPECT_GT(driven.instant_ns("cpu.user", "cpu=0"), first_cpu_ns);
    std::this_thread::sleep_for(1010ms);
    driven.read();
    EXPECT_EQ(driven.value("temperature", sensor).as.i64, 70000);
    EXPECT_GT(driven.instant_ns("temperature", sensor), first_ns);
}

TEST(HostSampler, ADeviceThatIsPluggedInIsInTheNextList) {
    const OwnRoots own("server");
    Driven driven(settings_for(own.roots(), 1));
    driven.read();
    EXPECT_EQ(driven.lists(), 1);
    own.write("proc/diskstats", own.text("proc/diskstats") + "   8      16 sdb 77 0 0 0 0 0 0 0 0 0 0\n");
    for (int i = 0; i < 200 && driven.lists() == 1; ++i) { // looking rests for a hundred times as long as it takes
        std::this_thread::sleep_for(20ms);
        driven.read();
        EXPECT_EQ(driven.value("disk.reads", "device=sda").as.u64, 100u) << "the reading that saw it is good, too";
    }
    EXPECT_EQ(driven.lists(), 2);
    EXPECT_EQ(driven.value("disk.reads", "device=sdb").as.u64, 77u);
    EXPECT_EQ(driven.value("cpu.softirq", "cpu=3").as.u64, 1000u);
    EXPECT_EQ(driven.value("interrupt.count", "cpu=3,irq=140,device=nvme0q3").as.u64, 334455u);
    driven.read();
    EXPECT_EQ(driven.lists(), 2);
}

TEST(HostSampler, NothingNewIsLookedForBeforeItsTime) {
    const OwnRoots own("server");
    Driven driven(settings_for(own.roots()));
    driven.read();
    own.write("proc/diskstats", own.text("proc/diskstats") + "   8      16 sdb 77 0 0 0 0 0 0 0 0 0 0\n");
    for (int i = 0; i < 5; ++i)
        driven.read();
    EXPECT_EQ(driven.lists(), 1);
}

TEST(HostSampler, TextsOfTheLastListLiveUntilTheNextIsMade) {
    const OwnRoots own("server");
    Settings settings = settings_for(own.roots(), 1);
    HostSampler sampler(settings);
    sdk::SeriesList first;
    ASSERT_TRUE(sampler.list(first).ok());
    std::vector<assay_sample_value> values(first.size());
    std::vector<std::int64_t> group_ns(first.groups());
    own.write("proc/diskstats", "   8      16 sdb 77 0 0 0 0 0 0 0 0 0 0\n");
    ASSERT_TRUE(sampler.read(sdk::Reading(values, group_ns)).ok());
    ASSERT_EQ(sampler.read(sdk::Reading(values, group_ns)).code(), ASSAY_CANCELLED);
    sdk::SeriesList second;
    ASSERT_TRUE(sampler.list(second).ok());
    std::size_t bytes = 0; // under AddressSanitizer a text that was freed ends the test here
    for (const assay_series& series : first.series())
        bytes += std::string(series.labels).size();
    EXPECT_GT(bytes, 0u);
}

TEST(HostSampler, OnlyTheGroupsThatWereAskedForAreRead) {
    const std::map<Group, std::string> prefixes = {{Group::cpu, "cpu."},
                                                   {Group::softirqs, "softirq."},
                                                   {Group::interrupts, "interrupt."},
                                                   {Group::disks, "disk."},
                                                   {Group::nics, "nic."},
                                                   {Group::tcp, "tcp."},
                                                   {Group::pressure, "pressure."},
                                                   {Group::temperature, "temperature"},
                                                   {Group::lustre, "lustre."}};
    for (const auto& [group, prefix] : prefixes) {
        Settings settings = settings_for(sample("server"));
        settings.groups = {group};
        Driven driven(settings);
        EXPECT_GT(driven.list().size(), 0u) << prefix;
        for (const assay_series& series : driven.list().series()) {
            const std::string metric = series.metric;
            const bool beside = (group == Group::cpu && metric.starts_with("system.")) ||
                                (group == Group::tcp && metric.starts_with("udp."));
            EXPECT_TRUE(metric.starts_with(prefix) || beside) << metric;
        }
    }
}

TEST(HostSampler, AMachineWithNothingGivesAnEmptyListAndGoodReadings) {
    const OwnRoots own;
    Settings settings = settings_for(own.roots(), 1);
    settings.groups = {Group::cpu,    Group::disks,       Group::nics, Group::tcp, Group::memory, Group::pressure,
                       Group::cgroup, Group::temperature, Group::nvme, Group::nfs, Group::cifs,   Group::lustre};
    Driven driven(settings);
    driven.read();
    driven.read();
    EXPECT_EQ(driven.list().size(), 0u);
}

// Values as the host hands them over, in the order of the table.
struct Given {
    std::vector<std::vector<assay_scalar>> items = std::vector<std::vector<assay_scalar>>(std::size(options));
    [[nodiscard]] Settings settings() {
        std::vector<assay_option_value> values;
        for (const auto& each : items)
            values.push_back({sizeof(assay_option_value), 0, static_cast<std::uint32_t>(each.size()), 0, each.data()});
        return settings_of(
            sdk::Values(values.data(), static_cast<std::uint32_t>(values.size()), sizeof(assay_option_value)));
    }
    static assay_scalar integer(std::int64_t value) {
        assay_scalar scalar{};
        scalar.as.integer = value;
        return scalar;
    }
    static assay_scalar text(const char* value) {
        assay_scalar scalar{};
        scalar.as.text = value;
        return scalar;
    }
};

TEST(HostOptions, ReachTheSettings) {
    Given given;
    given.items[option_groups] = {Given::integer(static_cast<int>(Group::disks)),
                                  Given::integer(static_cast<int>(Group::nvme))};
    given.items[option_threads] = {Given::integer(7)};
    given.items[option_discover_every] = {Given::integer(250'000'000)};
    given.items[option_devices] = {Given::text("nvme*"), Given::text("eth0")};
    const Settings settings = given.settings();
    EXPECT_EQ(settings.groups, (std::vector<Group>{Group::disks, Group::nvme}));
    EXPECT_EQ(settings.threads, 7u);
    EXPECT_EQ(settings.discover_every_ns, 250'000'000);
    EXPECT_TRUE(settings.devices.admits("nvme0n1"));
    EXPECT_TRUE(settings.devices.admits("eth0"));
    EXPECT_FALSE(settings.devices.admits("eth1"));
}

TEST(HostOptions, AllStandsForEveryGroupWhateverElseIsNamed) {
    Given given;
    given.items[option_groups] = {Given::integer(static_cast<int>(Group::disks)), Given::integer(0)};
    EXPECT_TRUE(given.settings().groups.empty());
}

TEST(HostOptions, EveryGroupHasItsNameAtItsValue) {
    ASSERT_EQ(std::size(group_names), static_cast<std::size_t>(Group::lustre) + 1);
    ASSERT_EQ(std::size(group_help), std::size(group_names));
    EXPECT_STREQ(group_names[0], "all");
    EXPECT_STREQ(group_names[static_cast<std::size_t>(Group::cpu)], "cpu");
    EXPECT_STREQ(group_names[static_cast<std::size_t>(Group::tcp)], "tcp");
    EXPECT_STREQ(group_names[static_cast<std::size_t>(Group::temperature)], "temperature");
    EXPECT_STREQ(group_names[static_cast<std::size_t>(Group::lustre)], "lustre");
}

TEST(HostSampler, WithoutThreadsNoneIsWatched) {
    Settings settings = settings_for(Roots{}, 1);
    settings.groups = {Group::threads};
    settings.threads = 0;
    Driven driven(settings);
    for (int i = 0; i < 3; ++i)
        driven.read();
    EXPECT_EQ(driven.list().size(), 0u);
}

} // namespace
} // namespace assay::host
