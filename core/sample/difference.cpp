#include "core/sample/difference.hpp"

#include <cmath>

namespace assay::sample {
namespace {

Wide all_ones(std::uint32_t width_bits) { return width_bits >= 128 ? ~Wide{0} : (Wide{1} << width_bits) - 1; }

// Without a known top speed a decrease counts as a wrap only if it means less than half the range: a counter that moved
// further than that between two readings cannot be told from one that was reset.
bool can_be_wrap(const CounterRule& rule, Wide grown, double elapsed_s) {
    if (rule.max_per_s > 0) return static_cast<double>(grown) <= rule.max_per_s * elapsed_s;
    return grown <= all_ones(rule.width_bits) / 2;
}

} // namespace

std::string_view gap_name(Gap gap) {
    switch (gap) {
        case Gap::none:
            return "none";
        case Gap::absent:
            return "absent";
        case Gap::reset:
            return "reset";
        case Gap::saturated:
            return "saturated";
        case Gap::too_long:
            return "too long";
        case Gap::no_time:
            return "no time";
    }
    return "none";
}

Growth counter_growth(const CounterRule& rule, Wide earlier, Wide later, double elapsed_s) {
    if (elapsed_s <= 0) return {0, Gap::no_time};
    const Wide top = all_ones(rule.width_bits);
    if (earlier > top || later > top) return {0, Gap::reset};
    if (rule.overflow == ASSAY_OVERFLOW_SATURATES) {
        if (earlier == top || later == top) return {0, Gap::saturated};
        if (later >= earlier) return {static_cast<double>(later - earlier)};
        if (earlier - later <= rule.step_back_max) return {0, Gap::none, true};
        return {0, Gap::reset};
    }
    // A whole turn of the counter within the interval would go unseen.
    if (rule.max_per_s > 0 && rule.max_per_s * elapsed_s >= static_cast<double>(top)) return {0, Gap::too_long};
    if (later >= earlier) return {static_cast<double>(later - earlier)};
    if (earlier - later <= rule.step_back_max) return {0, Gap::none, true};
    // 64 bits and more never wrap in the life of a machine.
    if (rule.width_bits >= 64) return {0, Gap::reset};
    const Wide grown = top - earlier + later + 1;
    if (!can_be_wrap(rule, grown, elapsed_s)) return {0, Gap::reset};
    return {static_cast<double>(grown)};
}

Growth real_growth(const CounterRule& rule, double earlier, double later, double elapsed_s) {
    if (elapsed_s <= 0) return {0, Gap::no_time};
    if (!std::isfinite(earlier) || !std::isfinite(later)) return {0, Gap::absent};
    if (later >= earlier) return {later - earlier};
    if (earlier - later <= static_cast<double>(rule.step_back_max)) return {0, Gap::none, true};
    return {0, Gap::reset};
}

} // namespace assay::sample
