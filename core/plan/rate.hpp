// The rate of a job as a plan writes it; private to core/plan.
#pragma once

#include "core/base/status.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// At most one is set; neither: as fast as the requests in flight allow.
struct Rate {
    std::optional<double> per_s;  // request starts, over all workers
    std::optional<double> of_max; // share of what the rate `max` reached
    bool operator==(const Rate&) const = default;
};

inline constexpr std::string_view kRateKey = "rate";
inline constexpr std::string_view kMaxRate = "max";
inline constexpr std::string_view kRateCurve = "curve";

// "max", "10k/s" or "50%". "curve" is a sweep and no rate.
Result<Rate> parse_rate(std::string_view text);
// Why a share alone cannot be.
std::string share_without_max(std::string_view share);
// What `curve` stands for: max, then 10 % to 100 % of it in steps of 10 % (as vdbench's curve runs).
std::vector<std::string> rate_curve();

} // namespace assay
