#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

namespace assay::verdict {
namespace {

using thresholds::measured_least_s;

std::string remedy(const result::Phase& phase, double seconds) {
    if (phase.end == result::PhaseEnd::stopped || phase.end == result::PhaseEnd::failed)
        return "It was ended early: let it run to its end.";
    if (phase.end != result::PhaseEnd::work) return "Measure longer: --measure 11s (time.measure in a plan).";
    double bytes = 0;
    for (const result::Operation& operation : phase.operations)
        bytes += static_cast<double>(operation.bytes);
    if (bytes == 0) return "Its work ended it: give it more.";
    return fmt::format(
        "Its work ended it: at {}, {:.0f} s take {}. Give it at least that much, or a time (--measure 11s).",
        binary_rate(bytes / seconds), measured_least_s, binary_bytes(bytes / seconds * measured_least_s));
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        const double seconds = phase->window_s();
        const bool is_short = seconds < measured_least_s - thresholds::window_jitter_s;
        result::Verdict verdict = make_verdict(phase_short, view, phase);
        verdict.level = is_short ? result::Level::suspect : result::Level::pass;
        verdict.message = fmt::format("{} was measured for {}.", phase->name, duration_text(seconds * 1e9));
        verdict.arithmetic = fmt::format("{:.3f} s {} {:.0f} s", seconds, is_short ? "<" : ">=", measured_least_s);
        verdict.threshold = fmt::format("a measured phase lasts at least {:.0f} s", measured_least_s);
        if (is_short) {
            verdict.message +=
                fmt::format(" Below {:.0f} s, start-up and caches are a large part of any figure.", measured_least_s);
            verdict.remedy = remedy(*phase, seconds);
        }
        add_evidence(verdict, "window_ns", phase->window_end_ns - phase->window_start_ns, "ns", "CLOCK_MONOTONIC");
        add_evidence(verdict, "ended_by", std::string(phase_end_name(phase->end)), "", "run");
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace

const Check phase_short{"phase.short", 1, "measured for less than 10 s: start-up and caches are a large part of it",
                        check};

} // namespace assay::verdict
