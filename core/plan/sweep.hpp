// A stage's sweep to its points; private to core/plan.
#pragma once

#include "core/plan/plan.hpp"

#include <cstdint>

namespace assay {

// What the points of the whole plan may still take up.
struct SweepBudget {
    std::uint64_t points = 100'000;
    std::uint64_t bytes = std::uint64_t{1} << 30;
};

// `base` holds the stage's jobs, in order, with everything that is not swept. Without a sweep: one point.
Result<std::vector<PlannedPoint>> expand_sweep(const StagePlan& stage, const std::string& source,
                                               const std::vector<PlannedJob>& base, SweepBudget& budget);

} // namespace assay
