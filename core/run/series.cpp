#include "core/run/series.hpp"

#include "core/run/measures.hpp"

#include <utility>

namespace assay {

void Series::begin(Snapshot base) {
    previous_ = std::move(base);
    due_ns_ = previous_.at_ns + interval_ns_;
}

void Series::add(Snapshot now, bool warmup) {
    if (now.at_ns <= previous_.at_ns) return;
    while (due_ns_ <= now.at_ns)
        due_ns_ += interval_ns_;
    const Snapshot between = difference(now, previous_, shape_);
    result::SeriesPoint point;
    point.start_ns = previous_.at_ns - epoch_ns_;
    point.end_ns = now.at_ns - epoch_ns_;
    point.operations = interval_of(between, shape_);
    point.in_flight = mean_in_flight(between, shape_, between.at_ns);
    point.warmup = warmup;

    const double seconds = static_cast<double>(between.at_ns) * 1e-9;
    latest_ = {};
    latest_.known = true;
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    for (const result::SeriesPoint::PerOperation& operation : point.operations) {
        operations += operation.operations;
        bytes += operation.bytes;
    }
    for (const OperationSnapshot& operation : now.operations) {
        latest_.bytes += operation.bytes;
        latest_.errors += operation.errors;
    }
    latest_.operations_per_s = static_cast<double>(operations) / seconds;
    latest_.bytes_per_s = static_cast<double>(bytes) / seconds;
    const Histogram response = response_time(between, shape_);
    latest_.open_loop = response.count() > 0;
    const Histogram latency = latest_.open_loop ? response : completion_latency(between);
    latest_.p50_ns = latency.percentile_ns(50);
    latest_.p99_ns = latency.percentile_ns(99);
    latest_.p999_ns = latency.percentile_ns(99.9);
    latest_.max_ns = latency.max_ns();
    latest_.in_flight = point.in_flight;
    points_.push_back(std::move(point));
    previous_ = std::move(now);
}

} // namespace assay
