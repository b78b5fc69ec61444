#include "assay/abi/target.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The reasoning, with the cases that shaped it: docs/design/little-law.md.
namespace assay::verdict {
namespace {

using namespace thresholds;
using result::Level;

// What one phase says about how many requests were in flight; in requests, averaged over the window.
struct Figures {
    double rate = 0;       // operations a second, all kinds
    double latency_ns = 0; // mean over all operations
    double longest_ns = 0;
    double from_latency_low = 0; // sum of latencies / window: reads and writes only,
    double from_latency = 0;     // and with the operations of other kinds (fsync)
    bool batched = false;        // several completions share a stamp, that of the call that reaped them
    double generator_ns = 0;     // the generator's own time an operation
    bool generator_known = false;
    double generator = 0; // its part of the slots' time
    double measured = 0;  // counted by the workload itself; 0: not measured
    double workers = 0;   // that ran, averaged over the window
    std::int64_t depth = 0;
    double configured = 0; // workers x depth; 0: not known
    // The same with the depth that was asked for, where that is more (depth.inert): requests that wait in a batch for a
    // blocking submission carry the batch's stamp, so that up to so many may look in flight.
    double configured_most = 0;
    double errors_share = 0;
    double slack = 0;       // relative, for what crosses the window's edges
    double slack_below = 0; // the same, with ramp and drain
};

double configured_workers(const result::Job& job, const result::Phase& phase) {
    if (phase.workers.empty()) return job.workers;
    double present_ns = 0;
    for (const result::Worker& worker : phase.workers) {
        const std::int64_t start = std::max(worker.started_ns, phase.window_start_ns);
        const std::int64_t end =
            worker.ended_ns == 0 ? phase.window_end_ns : std::min(worker.ended_ns, phase.window_end_ns);
        present_ns += static_cast<double>(std::max<std::int64_t>(end - start, 0));
    }
    return present_ns / (phase.window_s() * 1e9);
}

std::optional<std::int64_t> depth_of(const result::Job& job) {
    const std::optional<std::int64_t> reported = integer_fact(job, ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH);
    if (reported && *reported > 0) return reported;
    if (bool_fact(job, ASSAY_FACT_SYNCHRONOUS_ENGINE).value_or(false)) return 1;
    return std::nullopt;
}

// nullopt where the phase recorded no latency.
std::optional<Figures> figures_of(const result::Job& job, const result::Phase& phase) {
    Figures f;
    const double window_ns = phase.window_s() * 1e9;
    double operations = 0;
    double errors = 0;
    double latency_ns = 0;
    double data_latency_ns = 0;
    for (const result::Operation& operation : phase.operations) {
        operations += static_cast<double>(operation.operations);
        errors += static_cast<double>(operation.errors);
        if (operation.histograms.empty()) continue;
        const Histogram& histogram = operation.histograms[0].second;
        latency_ns += histogram.mean_ns() * static_cast<double>(histogram.count());
        f.longest_ns = std::max(f.longest_ns, static_cast<double>(histogram.max_ns()));
        if (operation.kind != result::OperationKind::other)
            data_latency_ns += histogram.mean_ns() * static_cast<double>(histogram.count());
    }
    if (operations == 0 || latency_ns == 0) return std::nullopt;
    f.rate = operations / phase.window_s();
    f.latency_ns = latency_ns / operations;
    f.from_latency = latency_ns / window_ns;
    f.from_latency_low = data_latency_ns > 0 ? data_latency_ns / window_ns : f.from_latency;
    f.batched = real_fact(job, ASSAY_FACT_MEAN_REAP_BATCH).value_or(1) > 1;
    f.generator_known = phase.generator_ns_per_operation.has_value();
    f.generator_ns = phase.generator_ns_per_operation.value_or(0);
    f.generator = f.generator_ns * operations / window_ns;
    f.measured = phase.mean_in_flight;
    f.workers = configured_workers(job, phase);
    f.depth = depth_of(job).value_or(0);
    f.configured = f.workers * static_cast<double>(f.depth);
    const std::int64_t asked = integer_fact(job, ASSAY_FACT_REQUESTED_QUEUE_DEPTH).value_or(0);
    f.configured_most = f.workers * static_cast<double>(std::max(f.depth, asked));
    f.errors_share = errors / (errors + operations);
    const bool ramps = phase.end != result::PhaseEnd::time;
    f.slack = f.latency_ns / window_ns;
    f.slack_below = f.slack + (ramps ? f.longest_ns / window_ns : 0);
    return f;
}

// How far apart two ranges are, as a ratio of their nearer ends: 1 if they meet.
double ratio_of(double low, double high, double reference_low, double reference_high) {
    if (low > reference_high) return low / reference_high;
    if (high < reference_low) return high / reference_low;
    return 1;
}

// fine, suspect or invalid for a ratio that should be 1, with relative slack on either side.
Level level_of(double ratio, double slack_below, double slack_above) {
    if (ratio > 1) ratio = std::max(1.0, ratio / (1 + slack_above));
    if (ratio < 1) ratio = std::min(1.0, ratio / (1 - slack_below));
    constexpr double rounding = 1e-9;
    if (std::abs(ratio - 1) <= little_fine + rounding) return Level::pass;
    return ratio >= little_invalid_factor || ratio <= 1 / little_invalid_factor ? Level::invalid : Level::suspect;
}

std::string product_text(const Figures& f) {
    if (!f.generator_known) return fmt::format("{} IOPS x {}", count_text(f.rate), duration_text(f.latency_ns));
    return fmt::format("{} IOPS x ({} latency + {} generator)", count_text(f.rate), duration_text(f.latency_ns),
                       duration_text(f.generator_ns));
}

std::string configured_text(const Figures& f) {
    return fmt::format("{} x depth {} = {}", workers_text(f.workers), f.depth, count_text(f.configured));
}

// The latencies and the workload's own count of what is in flight must tell the same story. Where completions are
// reaped in batches, a request that completed early counts as in flight until the batch was reaped: of k that complete
// evenly over the wait, (k + 1) / 2 are in flight on average while their latencies say k, so up to twice as much is
// honest.
void judge_agreement(const Figures& f, result::Verdict& verdict) {
    const double low = f.batched ? f.from_latency_low / 2 : f.from_latency_low;
    const double ratio = ratio_of(low, f.from_latency, f.measured, f.measured);
    verdict.level = level_of(ratio, f.slack, f.slack);
    if (verdict.level == Level::pass) return;
    verdict.message = fmt::format(
        "{} IOPS x {} = {} in flight, but the workload counted {} ({:.2f} of it). The rate, the latency or the count "
        "is wrong.",
        count_text(f.rate), duration_text(f.latency_ns), count_text(f.from_latency), count_text(f.measured),
        f.measured / f.from_latency);
    verdict.remedy =
        "Use neither rate nor latency before the same load at depth 1 and the device's counters agree with it.";
}

// Nothing counted what is in flight: the law is all there is.
void judge_against_configured(const Figures& f, double ratio, result::Verdict& verdict) {
    const double free_ns = f.configured / f.rate * 1e9 - f.latency_ns;
    if (ratio < 1 && !f.generator_known && free_ns <= generator_unmeasured_most_ns) {
        verdict.level = Level::unknown;
        verdict.message = fmt::format(
            "{} = {} in flight, {} were configured. {} an operation is missing; the workload does not measure its own "
            "time.",
            product_text(f), count_text(f.from_latency), count_text(f.configured), duration_text(free_ns));
        verdict.remedy = "Have the plugin report a metric with the role generator time, or in-flight time.";
        return;
    }
    verdict.message = fmt::format(
        "{} = {} in flight, {} were configured ({:.2f} of it). The queue was not full, or one of the figures is wrong.",
        product_text(f), count_text(f.from_latency + f.generator), count_text(f.configured), ratio);
    verdict.remedy =
        "Compare the rate with the device's counters, and the latency with a run at depth 1, before using either.";
}

// The figures agree; was the queue as full as the plan says?
void judge_fullness(const Figures& f, double ratio, result::Verdict& verdict) {
    const double in_flight = f.measured > 0 ? f.measured : f.from_latency;
    const double busy = in_flight / f.configured;
    const bool depth_was_cut = f.configured < f.configured_most; // depth.inert says it
    if (f.depth > 1 && !depth_was_cut && busy / (1 - f.slack_below) < 1 - little_fine) {
        verdict.level = Level::note;
        verdict.message = fmt::format(
            "The queue was not full: {} in flight on average, {} configured. The target completes requests faster than "
            "they are submitted, or while they are.",
            count_text(in_flight), count_text(f.configured));
        verdict.remedy = fmt::format("Report it as {} in flight, not as depth {}.", count_text(in_flight), f.depth);
        return;
    }
    if (f.depth == 1 && busy < busy_at_depth_one_least) {
        verdict.level = Level::note;
        verdict.message = fmt::format(
            "The target was busy for {} of the time: the rest is the generator's own, between "
            "operations.",
            percent_text(busy));
        verdict.remedy =
            "The rate is the generator's limit as much as the target's; the latency is the target's. "
            "More workers or depth load it fully.";
        return;
    }
    const bool confirms = std::abs(ratio - 1) <= little_confirms && !depth_was_cut;
    const double slots = std::clamp(f.configured, f.from_latency_low + f.generator, f.from_latency + f.generator);
    verdict.message = fmt::format("{} = {} of {} in flight{}", product_text(f), count_text(slots),
                                  count_text(f.configured), confirms ? ": the queue was full." : ".");
}

void judge_figures(const Figures& f, result::Verdict& verdict) {
    if (f.measured > 0) judge_agreement(f, verdict);
    if (verdict.level != Level::pass) return;
    if (f.configured == 0) {
        verdict.message = f.measured > 0 ? "The latencies agree with what the workload counted in flight."
                                         : "How many requests were meant to be in flight is not known.";
        if (f.measured == 0) {
            verdict.level = Level::unknown;
            verdict.remedy = "Have the plugin report the fact effective_queue_depth.";
        }
        return;
    }
    double ratio =
        ratio_of(f.from_latency_low + f.generator, f.from_latency + f.generator, f.configured, f.configured_most);
    if (f.measured > f.configured_most * std::max(ratio, 1.0)) ratio = f.measured / f.configured_most;
    verdict.arithmetic += fmt::format("; {}; ratio {:.3f}", configured_text(f), ratio);
    const Level level = level_of(ratio, f.slack_below, f.slack);
    // Below, with a count that the latencies confirm, there is no contradiction: the queue was only not full.
    if (level == Level::pass || (ratio < 1 && f.measured > 0)) return judge_fullness(f, ratio, verdict);
    verdict.level = level;
    judge_against_configured(f, ratio, verdict);
}

result::Verdict judge_phase(const JobView& view, const result::Phase& phase, const Figures& f) {
    result::Verdict verdict = make_verdict(little_law, view, &phase);
    verdict.threshold =
        fmt::format("within {:.0f} % fine, within {} % confirms a full queue, off by a factor of {:.0f} invalid",
                    little_fine * 100, little_confirms * 100, little_invalid_factor);
    verdict.arithmetic = fmt::format("{} = {}", product_text(f), count_text(f.from_latency + f.generator));
    if (f.measured > 0) verdict.arithmetic += fmt::format("; counted {} in flight", count_text(f.measured));
    add_evidence(verdict, "operations_per_s", f.rate, "/s", "workload");
    add_evidence(verdict, "mean_latency_ns", f.latency_ns, "ns", "workload");
    if (f.generator_known) add_evidence(verdict, "generator_ns_per_operation", f.generator_ns, "ns", "workload");
    if (f.measured > 0) add_evidence(verdict, "mean_in_flight", f.measured, "requests", "workload");
    if (f.configured > 0) add_evidence(verdict, "configured_in_flight", f.configured, "requests", "plan");
    if (f.slack_below > little_ramp_most) {
        verdict.level = Level::unknown;
        verdict.message = fmt::format(
            "{} lasted {}, its slowest operation {}: ramp and drain are too much of it for Little's "
            "law.",
            phase.name, duration_text(phase.window_s() * 1e9), duration_text(f.longest_ns));
        verdict.remedy = "Measure longer.";
        return verdict;
    }
    judge_figures(f, verdict);
    return verdict;
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    // A queue that waits for a schedule or a pause is not full by intention, and its emptiness says nothing.
    if (bool_fact(view.job, ASSAY_FACT_PAUSES).value_or(false)) return verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        if (phase->arrival) continue;
        if (phase->end == result::PhaseEnd::failed || phase->end == result::PhaseEnd::hung) continue;
        const std::optional<Figures> figures = figures_of(view.job, *phase);
        if (!figures || figures->errors_share > little_errors_most) continue;
        verdicts.push_back(judge_phase(view, *phase, *figures));
    }
    return verdicts;
}

} // namespace

const Check little_law{"little.law", 1,
                       "rate x latency against the requests in flight: figures that contradict each other", check};

} // namespace assay::verdict
