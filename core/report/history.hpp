// The last intervals of a job, for charts of a live view. One thread at a time.
#pragma once

#include "core/run/run.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace assay::report {

class History {
public:
    static constexpr std::size_t intervals_max = 512; // wider than terminals are

    struct Interval {
        double operations_per_s = 0;
        double bytes_per_s = 0;
        double p99_ns = 0;
        bool warmup = false;
        friend bool operator==(const Interval&, const Interval&) = default;
    };

    // A new phase starts anew; what repeats the last interval, as a change of phase between two of them does, is left
    // out.
    void add(const JobProgress& job);
    [[nodiscard]] const std::deque<Interval>& intervals() const { return intervals_; } // oldest first

private:
    std::deque<Interval> intervals_;
    std::string phase_;
    double elapsed_s_ = 0;
};

} // namespace assay::report
