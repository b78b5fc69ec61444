// The samplers' thread: what is kept, at which instants, and what a hanging device cannot do.
#include "core/session/sampling.hpp"

#include "core/base/clock.hpp"
#include "tests/unit/sample/fake_sampler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace assay {
namespace {

using sample::Fake;

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class SamplingTest : public testing::Test {
protected:
    SamplingTest() { sample::fake = &fake_; }

    std::unique_ptr<Sampling> open(std::vector<std::string> select = {}) {
        plan_ = std::make_unique<PlannedSampler>(PlannedSampler{"fake", sample::no_options(), std::move(select)});
        auto made = Sampling::create({{&descriptor_, plan_.get()}}, [](assay_severity, const std::string&) {});
        EXPECT_TRUE(made.ok()) << made.status().message();
        return made ? std::move(*made) : nullptr;
    }
    // A counter that grows by 1000 a second from 0, and a gauge of 7.
    void grow() {
        const std::int64_t start_ns = monotonic_ns();
        fake_.read = [start_ns](assay_reading& reading) {
            const std::int64_t now_ns = monotonic_ns();
            reading.values[0].as.u64 = static_cast<std::uint64_t>((now_ns - start_ns) / 1'000'000);
            reading.values[1].as.u64 = 7;
            reading.values[0].present = reading.values[1].present = 1;
            reading.group_ns[0] = now_ns;
            return assay_status{ASSAY_OK};
        };
    }

    Fake fake_;
    const assay_descriptor descriptor_ = sample::fake_descriptor();
    std::unique_ptr<PlannedSampler> plan_;
};

TEST_F(SamplingTest, KeepsRatesBetweenReadingsAndOneLineOfWhatStandsStill) {
    fake_.add("cpu.user", "cpu=0");
    fake_.add("memory.free", "", 0, ASSAY_SERIES_GAUGE);
    grow();
    const auto sampling = open();
    const std::int64_t epoch_ns = monotonic_ns();
    sampling->begin();
    for (int reading = 0; reading < 4; ++reading) {
        sleep_ms(60);
        sampling->read_now();
    }
    const std::vector<result::SampledSeries> all = sampling->take(epoch_ns);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].sampler, "fake");
    EXPECT_EQ(all[0].label("cpu"), "0");
    EXPECT_EQ(all[0].unit, "B/s");
    ASSERT_EQ(all[0].points.size(), 4U);
    for (std::size_t at = 0; at < 4; ++at) {
        const result::SampledSeries::Point& point = all[0].points[at];
        EXPECT_NEAR(point.value, 1'000, 1'000 * 2 / 60.0); // two roundings to a millisecond in 60
        if (at > 0) {
            EXPECT_EQ(point.start_ns, all[0].points[at - 1].end_ns);
        }
    }
    EXPECT_FALSE(all[1].counter);
    ASSERT_EQ(all[1].points.size(), 1U) << "a gauge that does not move is one point";
    EXPECT_EQ(all[1].points[0].value, 7);
}

TEST_F(SamplingTest, ReadingsShortlyAfterEachOtherAreOnePointAndLoseNothing) {
    fake_.add("a", "");
    fake_.add("b", "", 0, ASSAY_SERIES_GAUGE);
    grow();
    const auto sampling = open();
    sampling->begin();
    sleep_ms(60);
    sampling->read_now();
    sleep_ms(5);
    sampling->read_now();
    const auto all = sampling->take(0);
    ASSERT_EQ(all[0].points.size(), 1U);
    const auto& point = all[0].points[0];
    const double grown = point.value * static_cast<double>(point.end_ns - point.start_ns) * 1e-9;
    EXPECT_GE(grown, 64);
    EXPECT_NEAR(point.value, 1'000, 1'000 * 2 / 65.0);
}

TEST_F(SamplingTest, ANewRepeatStartsWithNothing) {
    fake_.add("a", "");
    fake_.add("b", "", 0, ASSAY_SERIES_GAUGE);
    grow();
    const auto sampling = open();
    sampling->begin();
    sleep_ms(30);
    sampling->read_now();
    const std::int64_t second_ns = monotonic_ns();
    sampling->begin();
    sleep_ms(30);
    sampling->read_now();
    for (const result::SampledSeries& series : sampling->take(0))
        for (const auto& point : series.points)
            EXPECT_GE(point.start_ns, second_ns);
}

TEST_F(SamplingTest, WhatIsNotSelectedIsNotKept) {
    fake_.add("cpu.user", "cpu=0");
    fake_.add("memory.free", "", 0, ASSAY_SERIES_GAUGE);
    grow();
    const auto sampling = open({"memory.*"});
    sampling->begin();
    sleep_ms(25);
    sampling->read_now();
    const auto all = sampling->take(0);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].metric, "memory.free");
}

TEST_F(SamplingTest, ASelectionOfNothingIsRefused) {
    fake_.add("cpu.user", "cpu=0");
    plan_ = std::make_unique<PlannedSampler>(PlannedSampler{"fake", sample::no_options(), {"gpu.*"}});
    const auto made = Sampling::create({{&descriptor_, plan_.get()}}, [](assay_severity, const std::string&) {});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().failure(), Failure::usage);
}

TEST_F(SamplingTest, AGlanceHasBusyWithoutIowaitAndTheDevicesNamed) {
    const auto counter = [&](const char* metric, const char* labels) { fake_.add(metric, labels); };
    counter("cpu.user", "cpu=1");
    counter("cpu.softirq", "cpu=1");
    counter("cpu.iowait", "cpu=1");
    counter("disk.read", "device=vda");
    counter("disk.read", "device=vdb");
    const std::int64_t start_ns = monotonic_ns();
    fake_.read = [start_ns](assay_reading& reading) {
        const std::int64_t now_ns = monotonic_ns();
        for (std::uint32_t i = 0; i < reading.value_count; ++i) {
            // 0.25, 0.5, 0.75, 1, 1.25 a second, in billionths, which scale makes whole again
            reading.values[i].as.u64 = static_cast<std::uint64_t>(now_ns - start_ns) * (i + 1) / 4;
            reading.values[i].present = 1;
        }
        reading.group_ns[0] = now_ns;
        return assay_status{ASSAY_OK};
    };
    for (assay_series& series : fake_.series)
        series.scale = 1e-9;
    fake_.publish();
    const auto sampling = open();
    sampling->begin();
    sleep_ms(50);
    sampling->read_now();
    const HostGlance glance = sampling->glance({"vdb"});
    ASSERT_EQ(glance.cpus.size(), 1U);
    EXPECT_EQ(glance.cpus[0].number, 1);
    EXPECT_NEAR(glance.cpus[0].busy, 0.75, 1e-6);
    EXPECT_NEAR(glance.cpus[0].softirq, 0.5, 1e-6);
    ASSERT_EQ(glance.devices.size(), 1U);
    EXPECT_EQ(glance.devices[0].name, "vdb");
    EXPECT_NEAR(glance.devices[0].read_bytes_per_s, 1.25, 1e-6);
}

TEST_F(SamplingTest, AReadingThatHangsHoldsNobodyUp) {
    static std::atomic<bool> hang = false;
    fake_.add("a", "");
    fake_.read = [](assay_reading& reading) {
        while (hang)
            sleep_ms(1);
        reading.group_ns[0] = monotonic_ns();
        return assay_status{ASSAY_OK};
    };
    const auto sampling = open();
    sampling->begin();
    hang = true;
    const std::int64_t start_ns = monotonic_ns();
    sampling->read_now();
    sampling->poke(0);
    EXPECT_LT(monotonic_ns() - start_ns, 1'000'000'000);
    EXPECT_GT(monotonic_ns() - start_ns, 150'000'000) << "it waits a little at the edge of a window";
    hang = false;
}

} // namespace
} // namespace assay
