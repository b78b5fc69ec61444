#include "core/result/model.hpp"

#include "assay/abi/worker.h"

#include <algorithm>
#include <climits>

#include <cstring>

namespace assay::result {

const Fact* Job::fact(const std::string& key) const {
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.key == key; });
    return found == facts.end() ? nullptr : &*found;
}

const std::string* Job::option(const std::string& key) const {
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.first == key; });
    return found == options.end() ? nullptr : &found->second;
}

std::string_view SampledSeries::label(std::string_view key) const {
    std::string_view rest = labels;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos && one.substr(0, equals) == key) return one.substr(equals + 1);
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
    return {};
}

Level worst_level(const Run& run) {
    Level worst = Level::pass;
    for (const Stage& stage : run.stages)
        for (const Point& point : stage.points)
            for (const Repeat& repeat : point.repeats)
                for (const Verdict& verdict : repeat.verdicts)
                    worst = std::max(worst, verdict.level);
    return worst;
}

std::string_view level_name(Level level) {
    switch (level) {
        case Level::pass:
            return "pass";
        case Level::note:
            return "note";
        case Level::unknown:
            return "unknown";
        case Level::suspect:
            return "suspect";
        case Level::invalid:
            return "invalid";
    }
    return "unknown";
}

std::string_view phase_end_name(PhaseEnd end) {
    switch (end) {
        case PhaseEnd::time:
            return "time";
        case PhaseEnd::work:
            return "work";
        case PhaseEnd::stopped:
            return "stopped";
        case PhaseEnd::failed:
            return "failed";
        case PhaseEnd::hung:
            return "hung";
    }
    return "failed";
}

std::string_view phase_kind_name(PhaseKind kind) {
    switch (kind) {
        case PhaseKind::setup:
            return "setup";
        case PhaseKind::measured:
            return "measured";
        case PhaseKind::teardown:
            return "teardown";
    }
    return "measured";
}

std::string_view operation_kind_name(OperationKind kind) {
    switch (kind) {
        case OperationKind::read:
            return "read";
        case OperationKind::write:
            return "write";
        case OperationKind::other:
            return "other";
    }
    return "other";
}

std::string error_text(std::uint32_t domain, std::uint32_t code) {
    const std::string number = std::to_string(code);
    if (domain == ASSAY_ERROR_DOMAIN_SHORT) return "short transfer";
    if (domain == ASSAY_ERROR_DOMAIN_OTHER) return "other";
    if (domain != ASSAY_ERROR_DOMAIN_ERRNO) return "error domain " + std::to_string(domain) + " code " + number;
    // The _np forms do not depend on the locale, and know which numbers exist.
    const char* name = code <= INT_MAX ? strerrorname_np(static_cast<int>(code)) : nullptr;
    if (name == nullptr) return "errno " + number;
    return std::string(name) + " (" + strerrordesc_np(static_cast<int>(code)) + ")";
}

} // namespace assay::result
