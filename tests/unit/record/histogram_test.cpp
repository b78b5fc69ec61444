// The histogram against a reference that keeps every raw sample.
#include "core/record/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

namespace assay {
namespace {

using Samples = std::vector<std::uint64_t>;

// A live recorder fed by the ABI's own inline function, as a plugin does it.
class Live {
public:
    Live() : memory_(std::make_unique<assay_histogram>()) { memory_->min_ns = UINT64_MAX; }
    void add(const Samples& samples) {
        for (const std::uint64_t sample : samples)
            assay_histogram_add(memory_.get(), sample);
    }
    [[nodiscard]] Histogram read() const {
        Histogram histogram;
        histogram.add_live(*memory_);
        return histogram;
    }
    assay_histogram& raw() { return *memory_; }

private:
    std::unique_ptr<assay_histogram> memory_;
};

Histogram histogram_of(const Samples& samples) {
    Live live;
    live.add(samples);
    return live.read();
}

// Nearest rank in integer arithmetic; p in thousandths of a percent.
std::uint64_t exact_percentile(Samples samples, std::uint64_t p_milli) {
    std::sort(samples.begin(), samples.end());
    const std::uint64_t rank = (p_milli * samples.size() + 99'999) / 100'000;
    return samples[std::max<std::uint64_t>(rank, 1) - 1];
}

Samples log_normal(std::size_t count, double median_ns, double sigma, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::lognormal_distribution<double> distribution(std::log(median_ns), sigma);
    Samples samples(count);
    for (std::uint64_t& sample : samples)
        sample = static_cast<std::uint64_t>(distribution(engine));
    return samples;
}

void expect_percentiles_near(const Samples& samples) {
    const Histogram histogram = histogram_of(samples);
    for (const std::uint64_t p_milli : {1'000U, 10'000U, 25'000U, 50'000U, 90'000U, 99'000U, 99'900U, 99'990U}) {
        const std::uint64_t exact = exact_percentile(samples, p_milli);
        const auto got = static_cast<double>(histogram.percentile_ns(static_cast<double>(p_milli) / 1000.0));
        EXPECT_LE(std::abs(got - static_cast<double>(exact)), static_cast<double>(exact) / 128.0)
            << "p" << p_milli << "/1000 of " << samples.size() << " samples, exact " << exact;
    }
    EXPECT_EQ(histogram.percentile_ns(100), *std::max_element(samples.begin(), samples.end()));
    EXPECT_EQ(histogram.min_ns(), *std::min_element(samples.begin(), samples.end()));
    EXPECT_EQ(histogram.sum_ns(), std::accumulate(samples.begin(), samples.end(), std::uint64_t{0}));
    EXPECT_EQ(histogram.count(), samples.size());
    EXPECT_TRUE(histogram.extremes_exact());
}

TEST(histogram, percentiles_lie_within_one_part_in_128_of_the_raw_samples) {
    expect_percentiles_near(log_normal(100'000, 80'000, 1.5, 1));
    expect_percentiles_near(log_normal(1'001, 5'000'000, 2.5, 2));
    expect_percentiles_near(log_normal(7, 300, 1.0, 3));
}

TEST(histogram, values_from_17_seconds_to_2199_seconds_are_still_told_apart) {
    Samples samples;
    for (std::uint64_t second = 17; second < 2199; ++second)
        samples.push_back(second * 1'000'000'000);
    expect_percentiles_near(samples);
}

TEST(histogram, values_past_2_to_the_41_share_the_last_bucket_and_the_largest_stays_exact) {
    const std::uint64_t limit = std::uint64_t{1} << 41;
    const Histogram histogram = histogram_of({5, limit, limit * 3, UINT64_MAX / 4});
    EXPECT_EQ(histogram.count(), 4U);
    EXPECT_EQ(histogram.percentile_ns(100), UINT64_MAX / 4);
    EXPECT_GE(histogram.percentile_ns(99), limit - limit / 64);
    ASSERT_EQ(histogram.sparse().size(), 2U);
    EXPECT_EQ(histogram.sparse()[1].second, 3U);
}

TEST(histogram, every_value_below_128_ns_has_a_bucket_of_its_own) {
    Samples samples;
    for (std::uint64_t value = 0; value < 128; ++value)
        samples.push_back(value);
    const Histogram histogram = histogram_of(samples);
    for (const std::uint64_t p_milli : {781U, 25'000U, 50'000U, 75'000U, 99'000U})
        EXPECT_EQ(histogram.percentile_ns(static_cast<double>(p_milli) / 1000), exact_percentile(samples, p_milli));
}

TEST(histogram, the_rank_of_a_decimal_percentile_is_not_off_by_one_from_binary_fractions) {
    Samples samples;
    for (std::uint64_t value = 1; value <= 100; ++value)
        for (int times = 0; times < 10; ++times)
            samples.push_back(value);
    // 99.9 % of 1000 is exactly rank 999, 99.1 % rank 991 (the first 100), 99.0 % rank 990 (the last 99).
    const Histogram histogram = histogram_of(samples);
    EXPECT_EQ(histogram.percentile_ns(99.1), 100U);
    EXPECT_EQ(histogram.percentile_ns(99.0), 99U);
    EXPECT_EQ(histogram.percentile_ns(7.0), 7U);
    Samples one_outlier(999, 10);
    one_outlier.push_back(100);
    EXPECT_EQ(histogram_of(one_outlier).percentile_ns(99.9), 10U);
}

TEST(histogram, mean_is_exact_and_standard_deviation_within_the_bucket_error) {
    const Samples samples = log_normal(50'000, 200'000, 0.8, 4);
    const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    double squares = 0;
    for (const std::uint64_t sample : samples)
        squares += (static_cast<double>(sample) - mean) * (static_cast<double>(sample) - mean);
    const double stddev = std::sqrt(squares / static_cast<double>(samples.size()));
    const Histogram histogram = histogram_of(samples);
    EXPECT_DOUBLE_EQ(histogram.mean_ns(), mean);
    EXPECT_NEAR(histogram.stddev_ns(), stddev, stddev / 64);
}

TEST(histogram, an_empty_one_answers_zero_everywhere) {
    const Histogram histogram = histogram_of({});
    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.min_ns(), 0U);
    EXPECT_EQ(histogram.max_ns(), 0U);
    EXPECT_EQ(histogram.percentile_ns(50), 0U);
    EXPECT_EQ(histogram.mean_ns(), 0.0);
    EXPECT_EQ(histogram.stddev_ns(), 0.0);
    EXPECT_TRUE(histogram.sparse().empty());
}

TEST(histogram, merging_equals_recording_everything_in_one) {
    Samples both = log_normal(3'000, 50'000, 1.0, 5);
    const Samples second = log_normal(2'000, 900'000, 0.5, 6);
    Histogram merged = histogram_of(both);
    merged.merge(histogram_of(second));
    merged.merge(Histogram());
    both.insert(both.end(), second.begin(), second.end());
    const Histogram whole = histogram_of(both);
    EXPECT_EQ(merged.sparse(), whole.sparse());
    EXPECT_EQ(merged.sum_ns(), whole.sum_ns());
    EXPECT_EQ(merged.min_ns(), whole.min_ns());
    EXPECT_EQ(merged.max_ns(), whole.max_ns());
    EXPECT_TRUE(merged.extremes_exact());
}

TEST(histogram, reading_two_lanes_equals_merging_them) {
    Live first;
    Live second;
    first.add(log_normal(100, 1'000, 1.0, 7));
    second.add(log_normal(100, 9'000, 1.0, 8));
    Histogram read;
    read.add_live(first.raw());
    read.add_live(second.raw());
    Histogram merged = first.read();
    merged.merge(second.read());
    EXPECT_EQ(read.sparse(), merged.sparse());
    EXPECT_EQ(read.min_ns(), merged.min_ns());
    EXPECT_EQ(read.max_ns(), merged.max_ns());
}

TEST(histogram, a_difference_holds_what_was_recorded_between_two_snapshots) {
    const Samples warmup = log_normal(10'000, 400'000, 1.0, 9);
    const Samples window = log_normal(20'000, 90'000, 1.0, 10);
    Live live;
    live.add(warmup);
    const Histogram earlier = live.read();
    live.add(window);
    const Histogram between = Histogram::difference(live.read(), earlier);
    const Histogram alone = histogram_of(window);
    EXPECT_EQ(between.count(), window.size());
    EXPECT_EQ(between.sparse(), alone.sparse());
    EXPECT_EQ(between.sum_ns(), alone.sum_ns());
    // Exact where the window set the recorder's extreme, else within the outermost bucket and never inside the values.
    EXPECT_LE(between.min_ns(), alone.min_ns());
    EXPECT_GE(between.max_ns(), alone.max_ns());
    EXPECT_LE(static_cast<double>(between.max_ns()), static_cast<double>(alone.max_ns()) * (1 + 1.0 / 64));
    EXPECT_GE(static_cast<double>(between.min_ns()), static_cast<double>(alone.min_ns()) * (1 - 1.0 / 64));
}

TEST(histogram, a_difference_knows_when_its_extremes_are_exact) {
    Live live;
    live.add({1'000'000, 2'000'000});
    const Histogram warmup = live.read();
    live.add({1'500'003});
    const Histogram inside = Histogram::difference(live.read(), warmup);
    EXPECT_FALSE(inside.extremes_exact());
    EXPECT_LE(inside.min_ns(), 1'500'003U);
    EXPECT_GE(inside.max_ns(), 1'500'003U);

    live.add({777'777, 3'333'333});
    const Histogram outside = Histogram::difference(live.read(), warmup);
    EXPECT_TRUE(outside.extremes_exact());
    EXPECT_EQ(outside.min_ns(), 777'777U);
    EXPECT_EQ(outside.max_ns(), 3'333'333U);

    const Histogram whole = Histogram::difference(live.read(), Histogram());
    EXPECT_TRUE(whole.extremes_exact());
    EXPECT_EQ(whole.percentile_ns(100), 3'333'333U);
}

TEST(histogram, a_difference_is_clamped_to_what_the_recorder_ever_saw) {
    Live live;
    live.add({1'000'001});
    const Histogram earlier = live.read();
    live.add({1'000'001});
    const Histogram between = Histogram::difference(live.read(), earlier);
    EXPECT_EQ(between.min_ns(), 1'000'001U);
    EXPECT_EQ(between.max_ns(), 1'000'001U);
    EXPECT_EQ(between.percentile_ns(50), 1'000'001U);
}

TEST(histogram, a_difference_past_the_last_bucket_keeps_the_largest_value_as_bound) {
    const std::uint64_t limit = std::uint64_t{1} << 41;
    Live live;
    live.add({limit * 2});
    const Histogram earlier = live.read();
    live.add({limit + 5});
    const Histogram between = Histogram::difference(live.read(), earlier);
    EXPECT_EQ(between.count(), 1U);
    EXPECT_EQ(between.max_ns(), limit * 2);
    EXPECT_FALSE(between.extremes_exact());
}

TEST(histogram, a_difference_without_growth_is_empty) {
    Live live;
    live.add({50, 60});
    EXPECT_EQ(Histogram::difference(live.read(), live.read()).count(), 0U);
    EXPECT_EQ(Histogram::difference(live.read(), live.read()).max_ns(), 0U);
}

TEST(histogram, buckets_that_are_visible_before_their_extremes_still_bound_the_values) {
    // A writer that publishes once a batch: bucket stored, sum and extremes not yet.
    Live live;
    live.raw().buckets[assay_histogram_index(123'456)] = 4;
    const Histogram histogram = live.read();
    EXPECT_EQ(histogram.count(), 4U);
    EXPECT_LE(histogram.min_ns(), 123'456U);
    EXPECT_GE(histogram.max_ns(), 123'456U);
    EXPECT_FALSE(histogram.extremes_exact());
    EXPECT_NEAR(static_cast<double>(histogram.percentile_ns(50)), 123'456.0, 123'456.0 / 128);
    EXPECT_GE(histogram.mean_ns(), static_cast<double>(histogram.min_ns()));
}

TEST(histogram, stored_buckets_and_extremes_read_back_to_the_same_answers_in_either_order) {
    const Histogram original = histogram_of(log_normal(5'000, 70'000, 1.2, 11));
    Histogram first;
    first.set_extremes(original.sum_ns(), original.min_ns(), original.max_ns(), true);
    Histogram last;
    for (const auto& [index, count] : original.sparse()) {
        first.add_bucket(index, count);
        last.add_bucket(index, count);
    }
    EXPECT_FALSE(last.extremes_exact());
    EXPECT_LE(last.min_ns(), original.min_ns());
    EXPECT_GE(last.max_ns(), original.max_ns());
    last.set_extremes(original.sum_ns(), original.min_ns(), original.max_ns(), true);
    for (const Histogram* copy : {&first, &last}) {
        EXPECT_EQ(copy->count(), original.count());
        EXPECT_EQ(copy->mean_ns(), original.mean_ns());
        EXPECT_TRUE(copy->extremes_exact());
        for (const double p : {0.1, 50.0, 99.9, 100.0})
            EXPECT_EQ(copy->percentile_ns(p), original.percentile_ns(p));
    }
}

TEST(histogram, a_bucket_index_past_the_last_is_ignored) {
    Histogram histogram;
    histogram.add_bucket(ASSAY_HISTOGRAM_BUCKETS, 9);
    histogram.add_bucket(UINT32_MAX, 9);
    EXPECT_EQ(histogram.count(), 0U);
}

} // namespace
} // namespace assay
