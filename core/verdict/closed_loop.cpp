#include "assay/abi/arrival.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::verdict {
namespace {

using thresholds::arrival_completed_least;
using thresholds::arrival_missed_most;

bool has_latency(const result::Phase& phase) {
    return std::any_of(phase.operations.begin(), phase.operations.end(),
                       [](const result::Operation& operation) { return !operation.histograms.empty(); });
}

bool is_paced(const result::Operation& operation) {
    return std::any_of(operation.histograms.begin(), operation.histograms.end(),
                       [](const auto& histogram) { return histogram.first == ASSAY_HISTOGRAM_RESPONSE; });
}

// Failed ones included: they were started, and answered.
double ended(const result::Phase& phase) {
    const bool some_paced = std::any_of(phase.operations.begin(), phase.operations.end(), is_paced);
    double count = 0;
    for (const result::Operation& operation : phase.operations) {
        if (some_paced && !is_paced(operation)) continue;
        count += static_cast<double>(operation.operations) + static_cast<double>(operation.errors);
    }
    return count;
}

// The schedules of the workers start apart, by up to one interval each; a Poisson process scatters by the root of its
// count, and three times that is next to never chance.
double scatter(const result::Arrival& arrival, double offered, std::size_t workers) {
    return static_cast<double>(workers) + (arrival.process == "poisson" ? 3 * std::sqrt(offered) : 0);
}

struct Offer {
    double starts = 0;
    double seconds = 0;     // mean of the workers'
    double in_flight = 0;   // by the schedule, while workers that had no more to start waited for their last requests
    bool own_times = false; // a worker was done before the window ended
};

double mean_latency_s(const result::Phase& phase) {
    double sum_ns = 0;
    double count = 0;
    for (const result::Operation& operation : phase.operations) {
        for (const auto& [name, histogram] : operation.histograms) {
            if (name != ASSAY_HISTOGRAM_RESPONSE || histogram.count() == 0) continue;
            sum_ns += histogram.mean_ns() * static_cast<double>(histogram.count());
            count += static_cast<double>(histogram.count());
        }
    }
    return count == 0 ? 0 : sum_ns / count * 1e-9;
}

// A worker that has done its work offers nothing more.
Offer offer_of(const result::Phase& phase) {
    Offer offer;
    offer.seconds = phase.window_s();
    const double rate = phase.arrival->offered_per_s;
    if (!phase.workers.empty()) {
        const auto workers = static_cast<double>(phase.workers.size());
        double sum_s = 0;
        for (const result::Worker& worker : phase.workers) {
            const bool done = phase.end == result::PhaseEnd::work || worker.ended_ns < phase.window_end_ns;
            const double own_s =
                (static_cast<double>(worker.ended_ns) - static_cast<double>(phase.window_start_ns)) * 1e-9;
            sum_s += done ? std::clamp(own_s, 0.0, phase.window_s()) : phase.window_s();
            if (done) offer.in_flight += rate / workers * mean_latency_s(phase);
            offer.own_times = offer.own_times || done;
        }
        offer.seconds = sum_s / workers;
    }
    offer.starts = rate * offer.seconds;
    return offer;
}

void judge_closed(result::Verdict& verdict) {
    verdict.level = result::Level::note;
    verdict.message = "Latencies are service times (closed loop).";
    verdict.arithmetic = "the next request starts when one has ended";
    verdict.remedy = "For response times offer a rate.";
    add_evidence(verdict, "loop", std::string("closed"), "", "run");
}

void judge_open(const result::Phase& phase, result::Verdict& verdict) {
    const result::Arrival& arrival = *phase.arrival;
    const Offer offer = offer_of(phase);
    const double offered = offer.starts;
    const double completed = ended(phase);
    const auto late = static_cast<double>(arrival.late_starts);
    const auto missed = static_cast<double>(arrival.missed_starts);
    add_evidence(verdict, "process", arrival.process, "", "plan");
    add_evidence(verdict, "offered_per_s", arrival.offered_per_s, "/s", "plan");
    add_evidence(verdict, "completed", completed, "operations", "workload");
    add_evidence(verdict, "late_starts", late, "operations", "workload");
    add_evidence(verdict, "missed_starts", missed, "operations", "workload");
    if (offered <= 0) {
        verdict.level = result::Level::unknown;
        verdict.message = "An open loop without a rate: what was offered is not known.";
        verdict.remedy = "Set the rate in the plan.";
        return;
    }
    verdict.arithmetic = fmt::format(
        "{}/s x {:.3f} s{} = {:.0f} offered; {:.0f} completed ({:.2f} %); {:.0f} late, {:.0f} missed",
        count_text(arrival.offered_per_s), offer.seconds, offer.own_times ? " (mean until a worker was done)" : "",
        offered, completed, completed / offered * 100, late, missed);
    const double slack = scatter(arrival, offered, phase.workers.size()) + offer.in_flight;
    const bool too_few = completed + slack < arrival_completed_least * offered;
    const bool too_many_missed =
        missed > arrival_missed_most * offered + scatter(arrival, offered, phase.workers.size());
    const std::string counts =
        fmt::format("Open loop ({}): {} offered, {} completed, {} started late, {} missed.", arrival.process,
                    count_text(offered), count_text(completed), count_text(late), count_text(missed));
    if (!too_few && !too_many_missed) {
        verdict.message = counts + " Response times count from the intended start.";
        return;
    }
    verdict.level = result::Level::suspect;
    verdict.message = counts +
                      " The target did not keep up: the queue grew to the end, and response times say how long "
                      "the run was, nothing else.";
    verdict.remedy = fmt::format("Offer less than {}/s, or report the rate as the limit and no response times.",
                                 count_text(completed / phase.window_s()));
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        if (phase->end == result::PhaseEnd::failed || phase->end == result::PhaseEnd::hung) continue;
        if (!phase->arrival && !has_latency(*phase)) continue;
        result::Verdict verdict = make_verdict(closed_loop, view, phase);
        verdict.threshold = fmt::format(
            "an open loop completes at least {:.0f} % of what is offered and misses at most {:.0f} % of its starts",
            arrival_completed_least * 100, arrival_missed_most * 100);
        if (phase->arrival)
            judge_open(*phase, verdict);
        else
            judge_closed(verdict);
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace

const Check closed_loop{"closed.loop", 1,
                        "service times of a closed loop, or response times of an open one that kept up", check};

} // namespace assay::verdict
