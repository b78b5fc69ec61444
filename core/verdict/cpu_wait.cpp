#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

using thresholds::run_wait_most;

constexpr const char* source = "/proc/self/task/TID/schedstat";

result::Verdict judge_phase(const JobView& view, const result::Phase& phase, const result::Worker& most) {
    const double window_ns = static_cast<double>(phase.window_end_ns - phase.window_start_ns);
    const auto waited_ns = static_cast<double>(*most.run_wait_ns);
    // The kernel's count is read some time before and after the window, which shows where every CPU is taken.
    const double share = std::min(waited_ns / window_ns, 1.0);
    result::Verdict verdict = make_verdict(cpu_wait, view, &phase);
    verdict.threshold = fmt::format("no worker waits more than {:.0f} % of the window for a CPU", run_wait_most * 100);
    verdict.arithmetic = fmt::format("worker {}: {} / {} {} {:.3f}", most.index, duration_text(waited_ns),
                                     duration_text(window_ns), waited_ns > window_ns ? ">" : "=", share);
    add_evidence(verdict, "worker", std::int64_t{most.index}, "", source);
    add_evidence(verdict, "run_wait_ns", *most.run_wait_ns, "ns", source);
    if (share <= run_wait_most) {
        verdict.message =
            fmt::format("Workers got a CPU when they were ready ({} waiting at most).", percent_text(share));
        return verdict;
    }
    verdict.level = result::Level::suspect;
    verdict.message = fmt::format(
        "Worker {} was ready to run and waited for a CPU for {} of the window: latencies hold that wait, and rates "
        "miss "
        "it.",
        most.index, percent_text(share));
    verdict.remedy = most.cpu >= 0
                         ? fmt::format("Find what else runs on CPU {} (top, pidstat -u 1), or pin elsewhere.", most.cpu)
                         : "Stop what else runs, use fewer workers than CPUs, or pin the workers (--cpus).";
    return verdict;
}

std::vector<result::Verdict> check(const JobView& view) {
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        const result::Worker* most = nullptr;
        for (const result::Worker& worker : phase->workers)
            if (worker.run_wait_ns && (most == nullptr || *worker.run_wait_ns > *most->run_wait_ns)) most = &worker;
        if (most != nullptr) verdicts.push_back(judge_phase(view, *phase, *most));
    }
    return verdicts;
}

} // namespace

const Check cpu_wait{"cpu.wait", 1, "a worker thread that was ready and had to wait for a CPU", check};

} // namespace assay::verdict
