#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"

#include <fmt/format.h>

namespace assay::verdict {
namespace {

struct Ended {
    double operations = 0;
    double errors = 0;
};

Ended ended(const result::Phase& phase) {
    Ended all;
    for (const result::Operation& operation : phase.operations) {
        all.operations += static_cast<double>(operation.operations);
        all.errors += static_cast<double>(operation.errors);
    }
    return all;
}

std::string remedy(const result::Phase& phase) {
    if (phase.end == result::PhaseEnd::stopped) return "It was ended early: let it run to its end.";
    if (phase.arrival && phase.arrival->offered_per_s > 0)
        return fmt::format(
            "Measure longer, or offer more: at {}/s over {} each starts a request every {}.",
            count_text(phase.arrival->offered_per_s), workers_text(static_cast<double>(phase.workers.size())),
            duration_text(1e9 * static_cast<double>(phase.workers.size()) / phase.arrival->offered_per_s));
    return "Measure for longer than one operation and the pause after it take (think time, rate limits).";
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        // How it failed is workers.partial's finding.
        if (phase->operations.empty() || phase->end == result::PhaseEnd::failed || phase->end == result::PhaseEnd::hung)
            continue;
        const Ended all = ended(*phase);
        const std::string window = duration_text(phase->window_s() * 1e9);
        result::Verdict verdict = make_verdict(phase_empty, view, phase);
        verdict.threshold = "at least one operation ends in the measured window";
        verdict.arithmetic = fmt::format("{:.0f} completed + {:.0f} failed", all.operations, all.errors);
        verdict.message =
            fmt::format("{} operations ended in the measured {}.", count_text(all.operations + all.errors), window);
        if (all.operations + all.errors == 0) {
            verdict.level = result::Level::invalid;
            verdict.message = fmt::format("Nothing completed in the measured {}: there is no result.", window);
            verdict.remedy = remedy(*phase);
        }
        add_evidence(verdict, "operations", all.operations, "operations", "workload");
        add_evidence(verdict, "errors", all.errors, "operations", "workload");
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace

const Check phase_empty{"phase.empty", 1, "a measured window in which no operation ended", check};

} // namespace assay::verdict
