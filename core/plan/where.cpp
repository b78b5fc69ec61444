#include "core/plan/where.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/plan/tree.hpp"

#include <fmt/format.h>

namespace assay {

Status Where::at(const PlanText& text, const Status& status) const {
    if (status.ok()) return status;
    const std::string job_name = job.empty() ? std::string() : fmt::format("job {}: ", job);
    return {status.failure(),
            fmt::format("{}{}{}", tree::position(source, {text.line, text.column}), job_name, status.message())};
}

Result<std::int64_t> Where::count(const PlanText& text, std::string_view what, std::int64_t max,
                                  std::int64_t if_absent) const {
    if (text.text.empty()) return if_absent;
    Result<std::int64_t> value = parse_integer(text.text);
    if (!value) return at(text, value.status().wrap(what));
    if (*value < 1 || *value > max) {
        return error(text, fmt::format("{}: {} is out of range: 1 to {}", what, *value, max));
    }
    return value;
}

Result<std::int64_t> Where::duration(const PlanText& text, std::string_view what) const {
    constexpr std::int64_t kMax = std::int64_t{365} * 86'400 * 1'000'000'000; // sums of a few stay far from overflow
    if (text.text.empty()) return 0;
    Result<std::int64_t> value = parse_duration(text.text);
    if (!value) return at(text, value.status().wrap(what));
    if (*value > kMax) return error(text, fmt::format("{}: {} is more than 365d", what, in_quotes(text.text)));
    return value;
}

Result<std::shared_ptr<const OptionValue>> Where::option(const Schema& schema, std::size_t index,
                                                         const PlanText& text) const {
    const OptionSpec& spec = schema.options()[index];
    if (text.list && !spec.is_list()) {
        return error(text,
                     fmt::format("option {}: takes one value, not a list; \"sweep\" runs through several", spec.key));
    }
    Result<OptionValue> value = schema.parse(index, text.text);
    if (!value) return at(text, value.status());
    return std::make_shared<const OptionValue>(std::move(*value));
}

} // namespace assay
