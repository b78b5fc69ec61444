#include "assay/abi/target.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

// "psync", "buffered libaio": what made the depth inert, as far as the result says it.
std::string engine_text(const result::Job& job) {
    const std::string* engine = job.option("engine");
    const std::string name = engine == nullptr ? job.workload : *engine;
    const bool synchronous = bool_fact(job, ASSAY_FACT_SYNCHRONOUS_ENGINE).value_or(false);
    const bool buffered = !bool_fact(job, ASSAY_FACT_DIRECT_IN_FORCE).value_or(true);
    return !synchronous && buffered ? "buffered " + name : name;
}

std::optional<std::int64_t> effective_depth(const result::Job& job) {
    const std::optional<std::int64_t> reported = integer_fact(job, ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH);
    if (reported) return reported;
    if (bool_fact(job, ASSAY_FACT_SYNCHRONOUS_ENGINE).value_or(false)) return 1;
    return std::nullopt;
}

std::vector<result::Verdict> check(const JobView& view) {
    const result::Job& job = view.job;
    const std::optional<std::int64_t> requested = integer_fact(job, ASSAY_FACT_REQUESTED_QUEUE_DEPTH);
    if (!requested || *requested < 1 || measured_phases(job).empty()) return {};

    result::Verdict verdict = make_verdict(depth_inert, view, nullptr);
    verdict.threshold = "the effective queue depth is the requested one";
    add_evidence(verdict, ASSAY_FACT_REQUESTED_QUEUE_DEPTH, *requested, "requests", "workload");
    add_evidence(verdict, "workers", static_cast<std::int64_t>(job.workers), "workers", "plan");
    const std::optional<std::int64_t> effective = effective_depth(job);
    if (!effective) {
        if (*requested == 1) return {};
        verdict.level = result::Level::unknown;
        verdict.message =
            fmt::format("queue_depth {} was asked for; {} does not report what is in force.", *requested, job.workload);
        verdict.remedy = "Have the plugin report the fact effective_queue_depth.";
        return {verdict};
    }
    add_evidence(verdict, ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH, *effective, "requests", "workload");
    const double workers = job.workers;
    const double in_flight = workers * static_cast<double>(*effective);
    const double asked = workers * static_cast<double>(*requested);
    verdict.arithmetic = fmt::format("{0} x {1} = {2:.0f} in flight; {0} x {3} = {4:.0f} asked for",
                                     workers_text(workers), *effective, in_flight, *requested, asked);
    if (*effective >= *requested) {
        verdict.message = fmt::format("queue_depth {} is in force.", *requested);
        return {verdict};
    }
    // A queue that works, but holds less than was asked for: the workload found out why, and says so.
    const result::Fact* fact = job.fact(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH);
    const bool explained = *effective > 1 && fact != nullptr && !fact->source.empty();
    verdict.message = fmt::format("queue_depth {} with {} is {}{}. {} = {:.0f} in flight, not {:.0f}.", *requested,
                                  engine_text(job), *effective, explained ? fmt::format(" ({})", fact->source) : "",
                                  workers_text(workers), in_flight, asked);
    if (*effective > 1) {
        verdict.level = result::Level::note;
        verdict.remedy = fmt::format("Report {:.0f} in flight.", in_flight);
        return {verdict};
    }
    verdict.level = result::Level::suspect;
    verdict.remedy = fmt::format(
        "Use an engine that queues (io_uring; libaio only with direct: yes; trims wait with any) or {:.0f} workers, or "
        "report {:.0f} in flight.",
        asked, in_flight);
    return {verdict};
}

} // namespace

const Check depth_inert{"depth.inert", 1,
                        "a queue depth that the engine cannot have: more was asked for than is in flight", check};

} // namespace assay::verdict
