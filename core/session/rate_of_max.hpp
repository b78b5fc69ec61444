// Rates that are a share of a maximum: what `rate: curve` runs after the maximum was measured.
#pragma once

#include "core/base/status.hpp"
#include "core/plan/plan.hpp"
#include "core/result/model.hpp"
#include "core/run/run.hpp"

#include <vector>

namespace assay {

// Sets the rate of each of `jobs` whose plan at `point` asks for a share: of the mean rate, over the repeats, that the
// job of that name reached at the point of `stage` which differs only in having rate `max` for it. That is reads and
// writes in the measured windows. Fails where it reached nothing.
Status resolve_rates(const PlannedPoint& point, const result::Stage& stage, std::vector<RunJob>& jobs);

} // namespace assay
