// Puts the position in a plan in front of messages that know nothing of plans; private to core/plan.
#pragma once

#include "core/plan/plan.hpp"

#include <cstdint>

namespace assay {

// Which plan and job a value belongs to. Plain data; the strings outlive it.
struct Where {
    const std::string& source;
    std::string job; // empty where the stage has one job only

    // The same failure with "file:3:7: job oltp: " in front, as far as that is known.
    [[nodiscard]] Status at(const PlanText& text, const Status& status) const;
    [[nodiscard]] Status error(const PlanText& text, const std::string& message) const {
        return at(text, usage_error(message));
    }

    // A whole number `what` from 1 to `max`; `if_absent` where the plan gives none.
    [[nodiscard]] Result<std::int64_t> count(const PlanText& text, std::string_view what, std::int64_t max,
                                             std::int64_t if_absent) const;
    // A duration of at most 365 days; 0 where the plan gives none.
    [[nodiscard]] Result<std::int64_t> duration(const PlanText& text, std::string_view what) const;
    // The value of an option. A YAML list needs an option that is one.
    [[nodiscard]] Result<std::shared_ptr<const OptionValue>> option(const Schema& schema, std::size_t index,
                                                                    const PlanText& text) const;
};

inline constexpr std::int64_t kWorkersMax = 4096;

} // namespace assay
