#include "core/sample/collector.hpp"
#include "tests/unit/sample/fake_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay::sample {
namespace {

using testing::Test;

std::string refusal(Fake& plugin) {
    const auto sampler = plugin.open();
    return sampler.ok() ? "" : sampler.status().message();
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Sampler, OpensListsAndIsDestroyedOnce) {
    Fake plugin;
    plugin.add("disk.read", "device=vda");
    {
        auto sampler = plugin.open();
        ASSERT_TRUE(sampler) << sampler.status().message();
        ASSERT_EQ((*sampler)->table().series.size(), 1U);
        EXPECT_EQ((*sampler)->table().series[0].name(), "disk.read{device=vda}");
        EXPECT_EQ((*sampler)->table().series[0].rate_unit(), "B/s");
        EXPECT_EQ(plugin.destroyed, 0);
    }
    EXPECT_EQ(plugin.created, 1);
    EXPECT_EQ(plugin.destroyed, 1);
}

TEST(Sampler, ARefusedOptionIsNamedAndTheInstanceDestroyed) {
    Fake plugin;
    plugin.configure_status = ASSAY_INVALID_OPTION;
    const auto sampler = plugin.open();
    ASSERT_FALSE(sampler);
    EXPECT_EQ(sampler.status().failure(), Failure::usage);
    EXPECT_TRUE(says(sampler.status().message(), "option groups: 'x' is no group")) << sampler.status().message();
    EXPECT_EQ(plugin.destroyed, 1);
}

TEST(Sampler, AnotherKindOfPluginOrAHalfTableIsRefused) {
    Fake plugin;
    fake = &plugin;
    assay_descriptor descriptor = fake_descriptor();
    descriptor.kind = ASSAY_KIND_WORKLOAD;
    EXPECT_EQ(Sampler::create(descriptor, no_options(), {}).status().failure(), Failure::usage);
    descriptor = fake_descriptor();
    assay_sampler half = fake_functions;
    half.struct_size = offsetof(assay_sampler, read);
    descriptor.interface = &half;
    EXPECT_FALSE(Sampler::create(descriptor, no_options(), {}));
    half = fake_functions;
    half.list = nullptr;
    EXPECT_FALSE(Sampler::create(descriptor, no_options(), {}));
    descriptor.interface = nullptr;
    EXPECT_FALSE(Sampler::create(descriptor, no_options(), {}));
    EXPECT_EQ(plugin.created, 0);
}

// Each changes one thing of a good list of one series, and names what the refusal must say.
struct Damage {
    const char* what;
    std::function<void(Fake&)> damage;
};
class HostileList : public testing::TestWithParam<Damage> {};

TEST_P(HostileList, IsRefusedByName) {
    Fake plugin;
    plugin.add("disk.read", "device=vda");
    GetParam().damage(plugin);
    const std::string message = refusal(plugin);
    EXPECT_TRUE(says(message, GetParam().what)) << message;
    EXPECT_EQ(plugin.destroyed, plugin.created);
}

const std::string long_text(2'000, 'x');
INSTANTIATE_TEST_SUITE_P(Sampler, HostileList,
                         testing::Values(Damage{"at most 100000", [](Fake& f) { f.list.count = 100'001; }},
                                         Damage{"groups", [](Fake& f) { f.list.group_count = 4'000'000'000; }},
                                         Damage{"no list", [](Fake& f) { f.list.struct_size = 16; }},
                                         Damage{"stride", [](Fake& f) { f.list.series = nullptr; }},
                                         Damage{"stride 8", [](Fake& f) { f.list.stride = 8; }},
                                         Damage{"stride 65", [](Fake& f) { f.list.stride = 65; }},
                                         Damage{"stride 1048576", [](Fake& f) { f.list.stride = 1 << 20; }},
                                         Damage{"struct_size 40", [](Fake& f) { f.series[0].struct_size = 40; }},
                                         Damage{"struct_size 4000", [](Fake& f) { f.series[0].struct_size = 4'000; }},
                                         Damage{"group 1 of 1", [](Fake& f) { f.series[0].group = 1; }},
                                         Damage{"metric", [](Fake& f) { f.series[0].metric = nullptr; }},
                                         Damage{"metric", [](Fake& f) { f.series[0].metric = ""; }},
                                         Damage{"metric", [](Fake& f) { f.series[0].metric = "disk read"; }},
                                         Damage{"metric", [](Fake& f) { f.series[0].metric = long_text.c_str(); }},
                                         Damage{"unit", [](Fake& f) { f.series[0].unit = nullptr; }},
                                         Damage{"unit", [](Fake& f) { f.series[0].unit = "B\033[2J"; }},
                                         Damage{"unit", [](Fake& f) { f.series[0].unit = "\xff"; }},
                                         Damage{"unit", [](Fake& f) { f.series[0].unit = long_text.c_str(); }},
                                         Damage{"labels", [](Fake& f) { f.series[0].labels = nullptr; }},
                                         Damage{"labels", [](Fake& f) { f.series[0].labels = "vda"; }},
                                         Damage{"labels", [](Fake& f) { f.series[0].labels = "a=1,,b=2"; }},
                                         Damage{"labels", [](Fake& f) { f.series[0].labels = "a=1=2"; }},
                                         Damage{"labels", [](Fake& f) { f.series[0].labels = "device=v\nda"; }},
                                         Damage{"kind 9", [](Fake& f) { f.series[0].kind = 9; }},
                                         Damage{"value type 0", [](Fake& f) { f.series[0].value = 0; }},
                                         Damage{"0 bits", [](Fake& f) { f.series[0].width_bits = 0; }},
                                         Damage{"65 bits", [](Fake& f) { f.series[0].width_bits = 65; }},
                                         Damage{"overflow rule 7", [](Fake& f) { f.series[0].overflow = 7; }},
                                         Damage{"scale", [](Fake& f) { f.series[0].scale = 0; }},
                                         Damage{"scale", [](Fake& f) { f.series[0].scale = std::nan(""); }}));

TEST(Sampler, ASeriesOfAnOlderPluginNeverStepsBack) {
    Fake plugin;
    plugin.add("cpu.idle", "cpu=0");
    plugin.series[0].step_back_max = 100;
    plugin.series[0].struct_size = offsetof(assay_series, step_back_max);
    auto sampler = plugin.open();
    ASSERT_TRUE(sampler);
    EXPECT_EQ((*sampler)->table().series[0].rule.step_back_max, 0U);
    plugin.series[0].struct_size = sizeof(assay_series);
    EXPECT_EQ((*plugin.open())->table().series[0].rule.step_back_max, 100U);
}

TEST(Sampler, AnInstantThatHasNotComeYetIsNone) {
    Fake plugin;
    plugin.add("disk.read", "");
    plugin.read = [](assay_reading& reading) {
        reading.group_ns[0] = std::numeric_limits<std::int64_t>::max();
        return ASSAY_OK;
    };
    auto sampler = plugin.open();
    ASSERT_TRUE((*sampler)->read().ok());
    EXPECT_EQ((*sampler)->group_ns()[0], 0);
}

TEST(Sampler, AListThatNeverSettlesEndsTheReading) {
    Fake plugin;
    plugin.add("disk.read", "");
    plugin.read = [](assay_reading&) { return ASSAY_CANCELLED; };
    auto sampler = plugin.open();
    const Status status = (*sampler)->read();
    EXPECT_EQ(status.failure(), Failure::run_failed);
    EXPECT_LT(plugin.listed, 10);
}

TEST(Sampler, LabelsAreReadByNameAndUnescapedForPeople) {
    SeriesSpec spec;
    spec.labels = "thread=a%2Cb%3D%1B,tid=7";
    EXPECT_EQ(spec.label("tid"), "7");
    EXPECT_EQ(spec.label("pid"), "");
    EXPECT_EQ(unescaped(spec.label("thread")), "a,b=%1B") << "a control character stays escaped";
    EXPECT_EQ(unescaped("100%"), "100%");
    EXPECT_EQ(unescaped("%4"), "%4");
}

// --- collector --------------------------------------------------------------------------------------------------

class CollectorTest : public Test {
protected:
    void open(Collector::Filter filter = {}) {
        std::vector<std::unique_ptr<Sampler>> samplers;
        auto sampler = plugin_.open([this](assay_severity, const std::string& text) { log_ += text; });
        ASSERT_TRUE(sampler) << sampler.status().message();
        samplers.push_back(std::move(*sampler));
        collector_ = std::make_unique<Collector>(std::move(samplers), Timeline::Limits{}, std::move(filter));
    }
    void tick(std::vector<std::uint64_t> values) {
        plugin_.show(std::move(values));
        ASSERT_TRUE(collector_->tick().ok());
    }
    [[nodiscard]] double total(const std::string& name) const {
        const Timeline& timeline = collector_->timeline();
        for (std::size_t i = 0; i < timeline.size(); ++i)
            if (timeline.spec(i).name() == name) return timeline.totals(i).total;
        return -1;
    }

    std::string log_;
    Fake plugin_;
    std::unique_ptr<Collector> collector_;
};

TEST_F(CollectorTest, TicksBecomeGrowth) {
    plugin_.add("disk.read", "device=vda");
    open();
    tick({100});
    EXPECT_TRUE(collector_->new_points().empty()) << "the first reading is no rate";
    tick({150});
    ASSERT_EQ(collector_->new_points().size(), 1U);
    EXPECT_EQ(collector_->new_points()[0].point.growth, 50);
    tick({175});
    EXPECT_EQ(total("disk.read{device=vda}"), 75);
}

TEST_F(CollectorTest, HistoryGoesOnWhenTheListChangesAndMoves) {
    plugin_.add("disk.read", "device=vda");
    open();
    tick({100});
    plugin_.series.clear();
    plugin_.add("disk.read", "device=new");
    plugin_.add("disk.read", "device=vda");
    tick({5'000, 130});
    EXPECT_EQ(total("disk.read{device=vda}"), 30);
    EXPECT_EQ(total("disk.read{device=new}"), 0) << "its first reading is no rate";
    tick({5'007, 131});
    EXPECT_EQ(total("disk.read{device=vda}"), 31);
    EXPECT_EQ(total("disk.read{device=new}"), 7);
}

TEST_F(CollectorTest, ADeviceThatWasAwayStartsAnew) {
    plugin_.add("disk.read", "device=vda");
    plugin_.add("disk.read", "device=usb");
    open();
    tick({1, 100});
    plugin_.series.pop_back();
    plugin_.publish();
    tick({2});
    plugin_.add("disk.read", "device=usb");
    tick({3, 900});
    EXPECT_EQ(total("disk.read{device=usb}"), 0) << "nobody knows what it did meanwhile";
    tick({4, 901});
    EXPECT_EQ(total("disk.read{device=usb}"), 1);
    EXPECT_EQ(total("disk.read{device=vda}"), 3);
}

TEST_F(CollectorTest, AFailedReadingIsAGapOfAllItsSeries) {
    plugin_.add("disk.read", "device=vda");
    open();
    tick({100});
    plugin_.read = [](assay_reading&) { return ASSAY_IO; };
    EXPECT_FALSE(collector_->tick().ok());
    ASSERT_EQ(collector_->new_points().size(), 1U);
    EXPECT_EQ(collector_->new_points()[0].point.gap, Gap::absent);
    tick({900});
    tick({903});
    EXPECT_EQ(total("disk.read{device=vda}"), 3);
}

TEST_F(CollectorTest, OnlyWhatTheFilterAdmitsIsKept) {
    plugin_.add("disk.read", "device=vda");
    plugin_.add("disk.written", "device=vda");
    open([](const SeriesSpec& spec) { return spec.metric == "disk.written"; });
    EXPECT_TRUE(collector_->admits_any());
    tick({1, 1});
    tick({2, 3});
    EXPECT_EQ(collector_->timeline().size(), 1U);
    EXPECT_EQ(total("disk.written{device=vda}"), 2);
    open([](const SeriesSpec&) { return false; });
    EXPECT_FALSE(collector_->admits_any());
}

TEST_F(CollectorTest, ASecondSeriesOfTheSameNameIsLeftOutAndTold) {
    plugin_.add("temperature", "sensor=a");
    plugin_.add("temperature", "sensor=a");
    open();
    EXPECT_TRUE(says(log_, "1 series under names that others have")) << log_;
    tick({10, 1'000});
    tick({11, 9'000});
    EXPECT_EQ(total("temperature{sensor=a}"), 1);
}

} // namespace
} // namespace assay::sample
