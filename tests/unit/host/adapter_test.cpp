// The comfort layer over abi/sampler.h, seen from the host's side of the boundary.
#include "assay/sdk/sampler.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace assay {
namespace {

std::string last_error; // of the host

const assay_host host = [] {
    assay_host host{};
    host.struct_size = sizeof(assay_host);
    host.set_error = +[](const assay_host*, const char*, const char* text) { last_error = text; };
    return host;
}();

// What the sampler does next.
struct Plan {
    int devices = 1;
    bool list_throws = false;
    bool read_throws = false;
    bool no_memory = false;
    bool changed = false;
    int lists = 0;
} plan;

class Sample {
public:
    explicit Sample(sdk::Host) {}
    sdk::Status configure(const sdk::Values& values) {
        if (values.integer(0) == 13) return {ASSAY_INVALID_OPTION, "13 is not possible", "number"};
        return {};
    }
    sdk::Status list(sdk::SeriesList& list) {
        ++plan.lists;
        if (plan.list_throws) throw std::runtime_error("no list");
        const std::uint32_t fast = list.add_group();
        const std::uint32_t slow = list.add_group();
        for (int i = 0; i < plan.devices; ++i)
            list.add(sdk::counter("disk.read", "B", "Bytes.", 512, 32), fast,
                     list.keep("device=d" + std::to_string(i)));
        list.add(sdk::gauge("heat", "°C", "Heat.", 1, ASSAY_VALUE_F64), slow);
        return {};
    }
    sdk::Status read(const sdk::Reading& reading) {
        if (plan.read_throws) throw std::runtime_error("no reading");
        if (plan.no_memory) throw std::bad_alloc();
        if (plan.changed) return sdk::series_changed();
        reading.set(0, 42);
        reading.set_wide(reading.values().size() - 1, 7, 8);
        reading.set_real(reading.values().size() - 1, 36.6);
        reading.stamp(0, 1000);
        reading.stamp(1, 2000);
        return {};
    }
};

class SamplerAdapter : public testing::Test {
protected:
    void SetUp() override {
        plan = {};
        last_error.clear();
        ASSERT_EQ(table_.create(&host, &instance_), ASSAY_OK);
    }
    void TearDown() override { table_.destroy(instance_); }

    const assay_series_list* list() {
        const assay_series_list* list = nullptr;
        EXPECT_EQ(table_.list(instance_, &list), ASSAY_OK);
        return list;
    }
    assay_status read(std::size_t values, std::size_t groups) {
        values_.assign(values, {{99}, 99, 99, 0});
        group_ns_.assign(groups, -1);
        assay_reading reading{sizeof(assay_reading),
                              static_cast<std::uint32_t>(values),
                              static_cast<std::uint32_t>(groups),
                              0,
                              values_.data(),
                              group_ns_.data()};
        return table_.read(instance_, &reading);
    }

    const assay_sampler& table_ = sdk::sampler_of<Sample>;
    void* instance_ = nullptr;
    std::vector<assay_sample_value> values_;
    std::vector<std::int64_t> group_ns_;
};

TEST_F(SamplerAdapter, TheListSaysWhatThePluginSaid) {
    plan.devices = 2;
    const assay_series_list* all = list();
    EXPECT_EQ(all->struct_size, sizeof(assay_series_list));
    EXPECT_EQ(all->count, 3u);
    EXPECT_EQ(all->stride, sizeof(assay_series));
    EXPECT_EQ(all->group_count, 2u);
    EXPECT_STREQ(all->series[1].metric, "disk.read");
    EXPECT_STREQ(all->series[1].labels, "device=d1");
    EXPECT_EQ(all->series[1].kind, ASSAY_SERIES_COUNTER);
    EXPECT_EQ(all->series[1].width_bits, 32u);
    EXPECT_EQ(all->series[1].scale, 512);
    EXPECT_EQ(all->series[1].struct_size, sizeof(assay_series));
    EXPECT_EQ(all->series[2].kind, ASSAY_SERIES_GAUGE);
    EXPECT_EQ(all->series[2].value, ASSAY_VALUE_F64);
    EXPECT_EQ(all->series[2].group, 1u);
    EXPECT_STREQ(all->series[2].labels, "");
}

TEST_F(SamplerAdapter, WhatReadDoesNotSetIsAbsentWhateverTheHostLeftThere) {
    plan.devices = 2;
    list();
    ASSERT_EQ(read(3, 2), ASSAY_OK);
    EXPECT_EQ(values_[0].as.u64, 42u);
    EXPECT_EQ(values_[0].present, 1u);
    EXPECT_EQ(values_[0].high, 0u);
    EXPECT_EQ(values_[1].present, 0u);
    EXPECT_EQ(values_[2].as.f64, 36.6);
    EXPECT_EQ(group_ns_, (std::vector<std::int64_t>{1000, 2000}));
}

TEST_F(SamplerAdapter, AListThatStillFitsIsGivenAgainAsItIs) {
    const assay_series_list* first = list();
    const char* text = first->series[0].labels;
    const assay_series_list* again = list();
    EXPECT_EQ(again->generation, 1u);
    EXPECT_EQ(again->series[0].labels, text);
    EXPECT_EQ(plan.lists, 1);
}

TEST_F(SamplerAdapter, AChangeCancelsReadingsUntilThereIsANewListWithAHigherGeneration) {
    const std::uint64_t before = list()->generation;
    plan.changed = true;
    EXPECT_EQ(read(2, 2), ASSAY_CANCELLED);
    plan.changed = false;
    EXPECT_EQ(read(2, 2), ASSAY_CANCELLED);
    plan.devices = 3;
    const assay_series_list* after = list();
    EXPECT_GT(after->generation, before);
    EXPECT_EQ(after->count, 4u);
    EXPECT_EQ(read(4, 2), ASSAY_OK);
}

TEST_F(SamplerAdapter, ArraysForAnotherListAreNotWrittenTo) {
    EXPECT_EQ(read(2, 2), ASSAY_CANCELLED) << "there is no list yet";
    list();
    EXPECT_EQ(read(1, 2), ASSAY_CANCELLED);
    EXPECT_EQ(read(2, 1), ASSAY_CANCELLED);
    EXPECT_EQ(read(3, 2), ASSAY_CANCELLED);
    EXPECT_EQ(values_[0].as.u64, 99u);
    EXPECT_EQ(group_ns_[0], -1);
    EXPECT_EQ(read(2, 2), ASSAY_OK);
}

TEST_F(SamplerAdapter, AReadingThatLacksFieldsIsRefused) {
    list();
    assay_reading old{};
    old.struct_size = offsetof(assay_reading, values);
    EXPECT_EQ(table_.read(instance_, &old), ASSAY_UNSUPPORTED);
    EXPECT_EQ(table_.read(instance_, nullptr), ASSAY_UNSUPPORTED);
}

TEST_F(SamplerAdapter, NothingThrownGetsOut) {
    plan.list_throws = true;
    const assay_series_list* none = nullptr;
    EXPECT_EQ(table_.list(instance_, &none), ASSAY_INTERNAL);
    EXPECT_EQ(last_error, "no list");
    EXPECT_EQ(none, nullptr);
    plan.list_throws = false;
    list();
    plan.read_throws = true;
    EXPECT_EQ(read(2, 2), ASSAY_INTERNAL);
    EXPECT_EQ(last_error, "no reading");
    plan.read_throws = false;
    plan.no_memory = true;
    EXPECT_EQ(read(2, 2), ASSAY_RESOURCE);
    plan.no_memory = false;
    EXPECT_EQ(read(2, 2), ASSAY_OK) << "the list is as good as before";
}

TEST_F(SamplerAdapter, AnOptionAtFaultIsNamed) {
    assay_scalar thirteen{};
    thirteen.as.integer = 13;
    const assay_option_value value{sizeof(assay_option_value), 0, 1, 0, &thirteen};
    EXPECT_EQ(table_.configure(instance_, &value, 1, sizeof value), ASSAY_INVALID_OPTION);
    EXPECT_EQ(last_error, "13 is not possible");
    EXPECT_EQ(table_.configure(instance_, nullptr, 0, 0), ASSAY_OK);
}

} // namespace
} // namespace assay
