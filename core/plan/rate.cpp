#include "core/plan/rate.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

namespace assay {

Result<Rate> parse_rate(std::string_view text) {
    text = trim(text);
    Rate rate;
    if (text == kMaxRate) return rate;
    if (text.ends_with('%')) {
        const Result<double> percent = parse_percentage(text);
        if (!percent) return percent.status().wrap(kRateKey);
        if (*percent <= 0)
            return usage_error(fmt::format("rate: {} of the maximum starts nothing: more than 0% is needed", text));
        rate.of_max = *percent / 100;
        return rate;
    }
    const Result<std::int64_t> per_s = parse_operation_rate(text);
    if (!per_s)
        return usage_error(
            fmt::format("rate: {}; also max, a share of it such as 50%, or curve", per_s.status().message()));
    if (*per_s == 0) return usage_error(fmt::format("rate: {} starts nothing: at least 1/s is needed", text));
    rate.per_s = static_cast<double>(*per_s);
    return rate;
}

std::string share_without_max(std::string_view share) {
    return fmt::format(
        "rate: {} is a share of a maximum that must be measured first: sweep over rate with max before "
        "it, for example [max, {}], or use curve",
        trim(share), trim(share));
}

std::vector<std::string> rate_curve() {
    std::vector<std::string> values = {std::string(kMaxRate)};
    for (int percent = 10; percent <= 100; percent += 10)
        values.push_back(fmt::format("{}%", percent));
    return values;
}

} // namespace assay
