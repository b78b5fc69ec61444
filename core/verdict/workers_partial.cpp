#include "core/verdict/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

constexpr std::size_t kinds_listed = 4;

struct Failures {
    double failed = 0;
    double succeeded = 0;
    std::vector<result::ErrorCount> kinds; // the most frequent first
};

Failures failures_of(const result::Phase& phase) {
    Failures all;
    for (const result::Operation& operation : phase.operations) {
        all.failed += static_cast<double>(operation.errors);
        all.succeeded += static_cast<double>(operation.operations);
        for (const result::ErrorCount& error : operation.error_counts) {
            const auto same = std::find_if(all.kinds.begin(), all.kinds.end(),
                                           [&](const result::ErrorCount& kind) { return kind.what == error.what; });
            if (same == all.kinds.end())
                all.kinds.push_back(error);
            else
                same->count += error.count;
        }
    }
    std::stable_sort(all.kinds.begin(), all.kinds.end(),
                     [](const result::ErrorCount& a, const result::ErrorCount& b) { return a.count > b.count; });
    return all;
}

std::string list_text(const std::vector<result::ErrorCount>& kinds) {
    std::string text;
    for (std::size_t at = 0; at < std::min(kinds.size(), kinds_listed); ++at)
        text += fmt::format("{}{} x {}", at == 0 ? ": " : ", ", kinds[at].count, kinds[at].what);
    if (kinds.size() > kinds_listed) text += fmt::format(", and {} more kinds", kinds.size() - kinds_listed);
    return text;
}

// Sentences on what is partial about the phase; empty: nothing.
std::string findings(const result::Job& job, const result::Phase& phase, const Failures& failures) {
    std::string text;
    const auto add = [&](const std::string& sentence) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", sentence);
    };
    if (failures.failed > 0)
        add(fmt::format("{:.0f} of {:.0f} operations failed ({}){}. Rates and latencies are of the others only.",
                        failures.failed, failures.failed + failures.succeeded,
                        percent_text(failures.failed / (failures.failed + failures.succeeded)),
                        list_text(failures.kinds)));
    if (!phase.workers.empty() && phase.workers.size() < job.workers)
        add(fmt::format("{} of {} workers ran.", phase.workers.size(), job.workers));
    if (phase.end == result::PhaseEnd::failed) add(fmt::format("{} failed before its end.", phase.name));
    if (phase.end == result::PhaseEnd::hung)
        add(fmt::format("{} did not stop when told to: what its workers did at the end is not known.", phase.name));
    return text;
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        const Failures failures = failures_of(*phase);
        const std::string found = findings(view.job, *phase, failures);
        result::Verdict verdict = make_verdict(workers_partial, view, phase);
        verdict.threshold = "every worker runs to the end and no operation fails";
        verdict.arithmetic = fmt::format("{:.0f} failed / {:.0f} operations; {} / {} workers", failures.failed,
                                         failures.failed + failures.succeeded, phase->workers.size(), view.job.workers);
        verdict.message =
            found.empty() ? fmt::format("{} ran to the end without an error.", workers_text(view.job.workers)) : found;
        if (!found.empty()) {
            verdict.level = result::Level::invalid;
            verdict.remedy = view.job.failure.empty()
                                 ? "Find the cause first: the kernel's log (dmesg) and the device's own."
                                 : view.job.failure;
        }
        add_evidence(verdict, "errors", static_cast<std::int64_t>(failures.failed), "operations", "workload");
        for (const result::ErrorCount& kind : failures.kinds)
            add_evidence(verdict, kind.what, static_cast<std::int64_t>(kind.count), "operations", "workload");
        add_evidence(verdict, "workers_started", static_cast<std::int64_t>(phase->workers.size()), "workers", "run");
        add_evidence(verdict, "workers_requested", static_cast<std::int64_t>(view.job.workers), "workers", "plan");
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace

const Check workers_partial{"workers.partial", 1, "operations that failed, workers that did not run to the end", check};

} // namespace assay::verdict
