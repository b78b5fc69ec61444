#include "core/base/tsc.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace assay {

bool tsc_serves_as_clock(bool invariant, std::string_view current, std::string_view available) {
    if (!invariant) return false;
    current = trim(current);
    if (current == "tsc") return true;
    const auto names = split(trim(available), ' ');
    return current == "kvm-clock" && std::find(names.begin(), names.end(), "tsc") != names.end();
}

std::optional<assay_clock> clock_from_rates(std::uint64_t ticks, std::uint64_t ns) {
    if (ticks < ns / 10 || ticks / 10 > ns || ns == 0) return std::nullopt;
    const double ns_per_tick = static_cast<double>(ns) / static_cast<double>(ticks);
    return assay_clock{ASSAY_CLOCK_TSC, kTscShift,
                       static_cast<std::uint64_t>(std::llround(std::ldexp(ns_per_tick, kTscShift)))};
}

} // namespace assay
