// Options that were given and would change nothing are refused, because whoever gave them expects something of them.
//
// Only where no sensible sweep has such a point. What a pattern that never writes makes of compressible, dedupe and the
// sync options stays accepted: a sweep over patterns gives them to each of its points.
#include "plugins/block/config.hpp"

#include <fmt/core.h>

namespace assay::block {

using common::DistributionKind;

namespace {

sdk::Status no_use(const char* key, const std::string& why) {
    return {ASSAY_INVALID_OPTION, fmt::format("{} would be ignored: {}; leave it out", key, why), key};
}

} // namespace

sdk::Status Config::check_ignored() const {
    const struct {
        bool given;
        const char* key;
        DistributionKind kind;
    } parameters[] = {{zipf_theta_given, "zipf_theta", DistributionKind::zipf},
                      {pareto_h_given, "pareto_h", DistributionKind::pareto},
                      {normal_deviation_given, "normal_deviation", DistributionKind::normal},
                      {!zones.empty(), "zones", DistributionKind::zoned}};
    for (const auto& each : parameters) {
        if (!each.given || distribution == each.kind) continue;
        const char* wanted = distribution_names[static_cast<std::size_t>(each.kind)];
        return {ASSAY_INVALID_OPTION,
                fmt::format("{} is for distribution {}, and distribution is {}; give distribution {}, or leave it out",
                            each.key, wanted, distribution_names[static_cast<std::size_t>(distribution)], wanted),
                each.key};
    }
    // With a think_time of 0 that was given it is a point of a sweep.
    if (think_every_given && !think_time_given)
        return {ASSAY_INVALID_OPTION, "think_every needs a think_time, for example 1ms: without one there is no pause",
                "think_every"};
    if (!trims()) return {};
    const std::string trim = fmt::format("pattern {}", pattern_name());
    if (sync_every > 0) return no_use("sync_every", trim + " has no writes to count");
    if (sync_writes != SyncWrites::none) return no_use("sync_writes", trim + " has no writes");
    // What layout always writes first is shaped as well.
    if (layout != LayoutRule::always) {
        if (data.compressible_share > 0) return no_use("compressible", trim + " writes no data");
        if (data.repeated_share > 0) return no_use("dedupe", trim + " writes no data");
    }
    const std::string calls = trim + " makes system calls of its own, whatever the engine";
    if (poll != common::UringPoll::none) return no_use("poll", calls);
    if (registered_buffers == common::Preference::yes) return no_use("registered_buffers", calls);
    if (registered_files == common::Preference::yes) return no_use("registered_files", calls);
    return {};
}

} // namespace assay::block
