#include "assay/abi/arrival.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

using thresholds::client_cpu_least;

constexpr const char* source = "thread CPU clocks";

// Shares of one CPU over the time that the thread ran inside the window.
struct Use {
    std::uint32_t worker = 0;
    double user = 0;
    double system = 0;
    double present_s = 0;

    [[nodiscard]] double busy() const { return user + system; }
};

Use use_of(const result::Worker& worker, const result::Phase& phase) {
    const std::int64_t start = std::max(worker.started_ns, phase.window_start_ns);
    const std::int64_t end =
        worker.ended_ns == 0 ? phase.window_end_ns : std::min(worker.ended_ns, phase.window_end_ns);
    if (end <= start) return {worker.index, 0, 0, 0};
    const double present_ns = static_cast<double>(end) - static_cast<double>(start);
    return {worker.index, static_cast<double>(worker.cpu_user_ns) / present_ns,
            static_cast<double>(worker.cpu_system_ns) / present_ns, present_ns * 1e-9};
}

double sum_ns(const Histogram& histogram) { return histogram.mean_ns() * static_cast<double>(histogram.count()); }

// Of all response times, the share that passed before the request was started; 1 where none were recorded.
double share_before_start(const result::Phase& phase) {
    double response_ns = 0;
    double service_ns = 0;
    for (const result::Operation& operation : phase.operations) {
        for (const auto& [name, histogram] : operation.histograms) {
            if (name != ASSAY_HISTOGRAM_RESPONSE) continue;
            response_ns += sum_ns(histogram);
            service_ns += sum_ns(operation.histograms.front().second);
        }
    }
    return response_ns <= 0 ? 1 : 1 - service_ns / response_ns;
}

// In an open loop the schedule tells whether the generator kept up, also where it waits for it awake: no request found
// all slots taken, and hardly any time passed between the intended start and the real one.
bool kept_its_schedule(const result::Phase& phase) {
    if (!phase.arrival) return false;
    const double offered = phase.arrival->offered_per_s * phase.window_s();
    const double behind =
        static_cast<double>(phase.arrival->late_starts) + static_cast<double>(phase.arrival->missed_starts);
    return behind <= offered * thresholds::arrival_missed_most &&
           share_before_start(phase) <= thresholds::schedule_delay_most;
}

std::string poll_text(const result::Job& job) {
    const std::string* poll = job.option("poll");
    if (poll == nullptr || *poll == "none") return "";
    return fmt::format(" (poll {} waits awake)", *poll);
}

std::string remedy(const JobView& view, const Use& most) {
    const char* more = "Use more workers: if the total rises, this was the generator's limit.";
    if (view.job.workers > 1)
        more = "Use more workers on more CPUs: if the total rises, this was the generator's limit.";
    if (most.system > most.user)
        return fmt::format(
            "{} Most of it is time in the kernel: larger blocks, or an engine with fewer calls an operation, "
            "need less.",
            more);
    return more;
}

result::Verdict judge_phase(const JobView& view, const result::Phase& phase) {
    result::Verdict verdict = make_verdict(cpu_client, view, &phase);
    verdict.threshold = fmt::format("no worker thread uses {:.0f} % of a CPU", client_cpu_least * 100);
    std::vector<Use> uses;
    for (const result::Worker& worker : phase.workers) {
        uses.push_back(use_of(worker, phase));
    }
    const auto busier = [](const Use& a, const Use& b) { return a.busy() < b.busy(); };
    const Use most = *std::max_element(uses.begin(), uses.end(), busier);
    if (most.busy() <= 0) {
        verdict.level = result::Level::unknown;
        verdict.message = "How much CPU time the workers used was not measured.";
        verdict.remedy = "Watch them while they run: top -H, pidstat -t 1.";
        return verdict;
    }
    const auto at_limit =
        std::count_if(uses.begin(), uses.end(), [](const Use& use) { return use.busy() >= client_cpu_least; });
    verdict.arithmetic = fmt::format(
        "worker {}: ({} user + {} system) / {} = {:.3f}", most.worker, duration_text(most.user * most.present_s * 1e9),
        duration_text(most.system * most.present_s * 1e9), duration_text(most.present_s * 1e9), most.busy());
    add_evidence(verdict, "busiest_worker", std::int64_t{most.worker}, "", source);
    add_evidence(verdict, "user", most.user, "CPU", source);
    add_evidence(verdict, "system", most.system, "CPU", source);
    add_evidence(verdict, "workers_at_limit", static_cast<std::int64_t>(at_limit), "workers", source);
    add_evidence(verdict, "process_cpu_ns", phase.process_cpu_ns, "ns", "process CPU clock");
    const std::string used =
        fmt::format("Worker {} used {} of a CPU ({:.0f} % user, {:.0f} % system){}", most.worker,
                    percent_text(std::min(most.busy(), 1.0)), most.user * 100, most.system * 100, poll_text(view.job));
    if (at_limit == 0) {
        verdict.message = used + ": no worker was at its limit.";
    } else if (kept_its_schedule(phase)) {
        verdict.message = used + ", but the requests started when they were due: the generator kept up.";
    } else {
        verdict.level = result::Level::suspect;
        verdict.message = used + ".";
        if (uses.size() > 1)
            verdict.message += fmt::format(" {} of {} workers are at that limit.", at_limit, uses.size());
        verdict.message += " The generator may be the limit, not the target.";
        verdict.remedy = remedy(view, most);
    }
    return verdict;
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job))
        if (!phase->workers.empty()) verdicts.push_back(judge_phase(view, *phase));
    return verdicts;
}

} // namespace

const Check cpu_client{"cpu.client", 1, "a worker thread that uses all of a CPU: the generator may be the limit",
                       check};

} // namespace assay::verdict
