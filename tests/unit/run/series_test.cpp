// The series by itself, fed with made-up snapshots.
#include "core/run/series.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t interval_ns = 50 * ms;
constexpr std::int64_t epoch_ns = 1'000 * ms;

const RecorderShape shape{{{"read", ASSAY_OP_READ, {"latency"}}},
                          {{"in_flight_time_ns", "ns", ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME}},
                          1};

// One worker that has done `operations` of 10 bytes and kept 4 requests in flight since the epoch.
Snapshot at(std::int64_t since_epoch_ns, std::uint64_t operations) {
    Snapshot snapshot;
    snapshot.at_ns = epoch_ns + since_epoch_ns;
    OperationSnapshot counted;
    counted.operations = operations;
    counted.bytes = operations * 10;
    counted.histograms.emplace_back();
    snapshot.operations.push_back(std::move(counted));
    snapshot.worker_metrics = {{static_cast<std::uint64_t>(since_epoch_ns) * 4}};
    snapshot.worker_operations = {operations};
    snapshot.worker_bytes = {operations * 10};
    return snapshot;
}

TEST(series, an_interval_that_ended_late_does_not_delay_the_next) {
    Series series(shape, interval_ns, epoch_ns);
    series.begin(at(0, 0));
    EXPECT_EQ(series.due_ns(), epoch_ns + 50 * ms);
    series.add(at(57 * ms, 1), false);
    EXPECT_EQ(series.due_ns(), epoch_ns + 100 * ms);
    series.add(at(149 * ms, 2), false);
    EXPECT_EQ(series.due_ns(), epoch_ns + 150 * ms);
    series.add(at(310 * ms, 3), false);
    EXPECT_EQ(series.due_ns(), epoch_ns + 350 * ms) << "those that were missed are not made up for";
}

TEST(series, a_point_holds_the_difference_and_its_rates_count_from_when_it_really_ended) {
    Series series(shape, interval_ns, epoch_ns);
    series.begin(at(0, 0));
    series.add(at(50 * ms, 100), true);
    series.add(at(125 * ms, 250), false);
    EXPECT_DOUBLE_EQ(series.latest().operations_per_s, 150 / 0.075);
    EXPECT_DOUBLE_EQ(series.latest().bytes_per_s, 1'500 / 0.075);
    EXPECT_DOUBLE_EQ(series.latest().in_flight, 4.0);
    EXPECT_EQ(series.latest().bytes, 2'500U);
    const std::vector<result::SeriesPoint> points = series.take();
    ASSERT_EQ(points.size(), 2U);
    EXPECT_TRUE(points[0].warmup);
    EXPECT_FALSE(points[1].warmup);
    EXPECT_EQ(points[1].start_ns, 50 * ms);
    EXPECT_EQ(points[1].end_ns, 125 * ms);
    EXPECT_EQ(points[1].operations.at(0).operations, 150U);
    EXPECT_EQ(points[1].operations[0].bytes, 1'500U);
    EXPECT_DOUBLE_EQ(points[1].in_flight, 4.0);
}

TEST(series, an_interval_without_length_is_no_point) {
    Series series(shape, interval_ns, epoch_ns);
    series.begin(at(0, 0));
    series.add(at(0, 0), false);
    EXPECT_TRUE(series.take().empty());
}

} // namespace
} // namespace assay
