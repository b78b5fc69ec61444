// Readings of one series, one after the other, into points: what a counter grew by a second, what a gauge showed.
//
// The first reading of a counter, and the first after a gap, only starts a difference. A reading that repeats the
// instant of the one before (a source that is asked rarely) says nothing new. Plain values; one thread at a time.
#pragma once

#include "core/sample/series.hpp"

#include <cstdint>
#include <optional>

namespace assay::sample {

struct Point {
    std::int64_t start_ns = 0; // CLOCK_MONOTONIC; of a gauge the instant of the reading before, or its own
    std::int64_t end_ns = 0;
    double value = 0;  // of a counter per second of the true time between the readings; valid when gap is none
    double growth = 0; // of a counter, in its unit
    Gap gap = Gap::none;
};

class History {
public:
    // A reading at `instant_ns` (0: none could be taken), asked for at `now_ns`. A point where it says something new;
    // a gap is a point too, once for each time that a known value is lost.
    std::optional<Point> add(const SeriesSpec& spec, const assay_sample_value& value, std::int64_t instant_ns,
                             std::int64_t now_ns);
    // The series is not listed any more: what comes later is not differenced with what was before.
    void forget() { known_ = false; }

private:
    Point counter_point(const SeriesSpec& spec, Wide wide, double real, std::int64_t instant_ns);

    bool known_ = false;
    std::int64_t instant_ns_ = 0;
    Wide wide_ = 0; // of a counter, at instant_ns_, or what it had reached before it stepped back
    double real_ = 0;
};

} // namespace assay::sample
