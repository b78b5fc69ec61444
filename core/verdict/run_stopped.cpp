#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

namespace assay::verdict {
namespace {

using thresholds::pause_most_s;

std::vector<result::Verdict> check(const JobView& view) {
    const std::optional<std::int64_t> pause_ns = integer_fact(view.job, "longest_pause_ns");
    if (!pause_ns || measured_phases(view.job).empty()) return {};
    const double pause_s = static_cast<double>(*pause_ns) * 1e-9;
    const std::string pause = duration_text(static_cast<double>(*pause_ns));
    result::Verdict verdict = make_verdict(run_stopped, view, nullptr);
    verdict.threshold = fmt::format("assay itself is never kept from running for more than {:.0f} s", pause_most_s);
    verdict.arithmetic =
        fmt::format("{:.3f} s {} {:.0f} s", pause_s, pause_s > pause_most_s ? ">" : "<=", pause_most_s);
    verdict.message = fmt::format("assay ran all the time (kept from it for {} at most).", pause);
    add_evidence(verdict, "longest_pause_ns", *pause_ns, "ns", "control thread");
    if (pause_s <= pause_most_s) return {verdict};
    verdict.level = result::Level::suspect;
    verdict.message = fmt::format(
        "assay did not run for {} inside a measured window: it was stopped (Ctrl-Z, SIGSTOP, a frozen cgroup, a "
        "paused virtual machine), or found no CPU. Rates count that time, and latencies may hold it.",
        pause);
    verdict.remedy =
        "Run again and let it run; if nobody stopped it, find what takes all CPUs (top, cpu.hot, cpu.steal).";
    return {verdict};
}

} // namespace

const Check run_stopped{"run.stopped", 1, "time in which this process did not run: stopped, paused or without a CPU",
                        check};

} // namespace assay::verdict
