#include "core/sample/history.hpp"

#include <cmath>

namespace assay::sample {
namespace {

constexpr double ns_per_s = 1e9;

// The raw value in both forms; false if it is no value at all.
bool take(const SeriesSpec& spec, const assay_sample_value& value, Wide& wide, double& real) {
    if (value.present == 0) return false;
    switch (spec.value) {
        case ASSAY_VALUE_I64:
            if (spec.counter && value.as.i64 < 0) return false;
            wide = spec.counter ? static_cast<Wide>(value.as.i64) : 0;
            real = static_cast<double>(value.as.i64);
            return true;
        case ASSAY_VALUE_F64:
            real = value.as.f64;
            return std::isfinite(real);
        case ASSAY_VALUE_U128:
            wide = Wide{value.high} << 64 | value.as.u64;
            real = static_cast<double>(wide);
            return true;
        default:
            wide = value.as.u64;
            real = static_cast<double>(value.as.u64);
            return true;
    }
}

} // namespace

std::optional<Point> History::add(const SeriesSpec& spec, const assay_sample_value& value, std::int64_t instant_ns,
                                  std::int64_t now_ns) {
    Wide wide = 0;
    double real = 0;
    const bool taken = instant_ns > 0 && take(spec, value, wide, real);
    if (!taken || (!spec.counter && !std::isfinite(real * spec.scale))) {
        if (!known_) return std::nullopt;
        known_ = false;
        return Point{instant_ns_, now_ns, 0, 0, Gap::absent};
    }
    if (known_ && instant_ns <= instant_ns_) return std::nullopt;
    std::optional<Point> point;
    if (!spec.counter)
        point = Point{known_ ? instant_ns_ : instant_ns, instant_ns, real * spec.scale, 0, Gap::none};
    else if (known_)
        point = counter_point(spec, wide, real, instant_ns);
    else {
        wide_ = wide;
        real_ = real;
    }
    known_ = true;
    instant_ns_ = instant_ns;
    return point;
}

Point History::counter_point(const SeriesSpec& spec, Wide wide, double real, std::int64_t instant_ns) {
    Point point{instant_ns_, instant_ns, 0, 0, Gap::none};
    const double elapsed_s = static_cast<double>(instant_ns - instant_ns_) / ns_per_s;
    const Growth growth = spec.value == ASSAY_VALUE_F64 ? real_growth(spec.rule, real_, real, elapsed_s)
                                                        : counter_growth(spec.rule, wide_, wide, elapsed_s);
    point.gap = growth.gap;
    point.growth = growth.raw * spec.scale;
    point.value = point.growth / elapsed_s;
    if (point.gap == Gap::none && !std::isfinite(point.value)) point = {point.start_ns, instant_ns, 0, 0, Gap::absent};
    if (growth.stepped_back) return point;
    wide_ = wide;
    real_ = real;
    return point;
}

} // namespace assay::sample
