// The series of one phase: every interval the difference between two snapshots, and what the live line shows of it.
//
// Control thread. Intervals end at absolute times, so lateness does not add up. Grows by one point an interval.
#pragma once

#include "core/record/region.hpp"
#include "core/result/model.hpp"

#include <cstdint>
#include <vector>

namespace assay {

class Series {
public:
    // Times in the points are relative to `epoch_ns`.
    Series(const RecorderShape& shape, std::int64_t interval_ns, std::int64_t epoch_ns)
        : shape_(shape), interval_ns_(interval_ns), epoch_ns_(epoch_ns) {}

    // Intervals count from `base` on.
    void begin(Snapshot base);
    // When the interval in progress ends.
    [[nodiscard]] std::int64_t due_ns() const { return due_ns_; }
    // Ends the interval in progress with `now`, whether it is due or not.
    void add(Snapshot now, bool warmup);
    [[nodiscard]] std::vector<result::SeriesPoint> take() { return std::move(points_); }

    // The interval that ended last, and totals since begin() was first called.
    struct Latest {
        bool known = false;
        double operations_per_s = 0;
        double bytes_per_s = 0;
        // Of completion latency, or in an open loop of the response time.
        bool open_loop = false;
        std::uint64_t p50_ns = 0;
        std::uint64_t p99_ns = 0;
        std::uint64_t p999_ns = 0;
        std::uint64_t max_ns = 0;
        double in_flight = 0;
        std::uint64_t bytes = 0;
        std::uint64_t errors = 0;
    };
    [[nodiscard]] const Latest& latest() const { return latest_; }
    // What the interval in progress counts from.
    [[nodiscard]] const Snapshot& last_snapshot() const { return previous_; }

private:
    const RecorderShape& shape_;
    const std::int64_t interval_ns_;
    const std::int64_t epoch_ns_;
    Snapshot previous_;
    std::int64_t due_ns_ = 0;
    std::vector<result::SeriesPoint> points_;
    Latest latest_;
};

} // namespace assay
