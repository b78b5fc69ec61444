#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/host_load.hpp"
#include "core/verdict/io_limit.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

using result::Level;

constexpr const char* sampled = "host sampler, cpu.stat";

const result::Fact* run_fact(const result::Run& run, std::string_view key) {
    const auto found =
        std::find_if(run.context.begin(), run.context.end(), [&](const result::Fact& fact) { return fact.key == key; });
    return found == run.context.end() ? nullptr : &*found;
}

// The group that was stopped longest; the sampler lists our own and those above it.
struct Throttled {
    bool known = false;
    std::string group;
    double stopped = 0; // seconds a second, summed over CPUs
    double periods = 0; // a second
};

Throttled throttled(const result::Repeat& repeat, const result::Phase& phase) {
    Throttled worst;
    for (const result::SampledSeries& series : repeat.samples) {
        if (series.metric != "cgroup.throttled_time" && series.metric != "cgroup.throttled") continue;
        const SampledMean mean = mean_over(series, phase);
        if (mean.covered < thresholds::samples_cover_least) continue;
        worst.known = true;
        if (mean.mean <= 0) continue;
        if (series.metric == "cgroup.throttled") {
            worst.periods = std::max(worst.periods, mean.mean);
        } else if (mean.mean > worst.stopped) {
            worst.stopped = mean.mean;
            worst.group = series.label("cgroup");
        }
    }
    return worst;
}

void judge_cpu(const Throttled& cpu, const result::Fact* limit, result::Verdict& verdict) {
    const auto* cpus = limit == nullptr ? nullptr : std::get_if<double>(&limit->value);
    const std::string quota = cpus == nullptr ? "its CPU limit" : fmt::format("the CPU limit of {:.4g} CPUs", *cpus);
    if (cpus != nullptr) add_evidence(verdict, "cpu_limit", *cpus, "CPUs", limit->source);
    if (cpu.known) {
        add_evidence(verdict, "throttled_time", cpu.stopped, "s/s", sampled);
        add_evidence(verdict, "throttled_periods", cpu.periods, "periods/s", sampled);
    }
    if (cpu.stopped > 0 || cpu.periods > 0) {
        const bool much = cpu.stopped > thresholds::throttled_most;
        verdict.level = much ? Level::suspect : Level::note;
        verdict.message = fmt::format(
            "Cgroup {} was stopped by {} for {} a second of CPU time, in {:.1f} periods a second.",
            cpu.group.empty() ? "of this process" : cpu.group, quota, duration_text(cpu.stopped * 1e9), cpu.periods);
        if (much) verdict.message += " What was measured is that limit as much as the target.";
        verdict.arithmetic = fmt::format("{:.4f} s stopped / s", cpu.stopped);
        verdict.remedy = "Raise cpu.max (version 1: cpu.cfs_quota_us) or run outside of that group.";
    } else if (cpus != nullptr) {
        verdict.level = Level::note;
        verdict.message = fmt::format("A cgroup limits the CPU time to {:.4g} CPUs{}.", *cpus,
                                      cpu.known ? "; it was not reached" : "; whether it was reached was not sampled");
        verdict.arithmetic = cpu.known ? "0 s stopped / s" : "not sampled";
        verdict.remedy = "Report the limit with the result.";
    }
}

void judge_io(const JobView& view, const result::Phase& phase, const result::Fact* limits, result::Verdict& verdict) {
    const auto* text = limits == nullptr ? nullptr : std::get_if<std::string>(&limits->value);
    if (text == nullptr || text->empty()) return;
    add_evidence(verdict, "cgroup_io_limits", *text, "", limits->source);
    const std::string before = verdict.message.empty() ? "" : verdict.message + " ";
    const ReachedLimit reached = reached_io_limit(view.job, phase, *text);
    if (reached.text.empty()) {
        verdict.level = std::max(verdict.level, Level::note);
        verdict.message = before + fmt::format("A cgroup limits I/O: {}.", *text);
        if (verdict.arithmetic.empty()) verdict.arithmetic = "no limit of a device of this job is near its rate";
        if (verdict.remedy.empty()) verdict.remedy = "Report the limit with the result.";
        return;
    }
    verdict.level = Level::suspect;
    verdict.message = before + fmt::format("The rate is that of a cgroup's I/O limit ({}): {:.0f} {} of {:.0f}.",
                                           reached.text, reached.reached, reached.unit, reached.limit);
    verdict.arithmetic =
        fmt::format("{:.0f} / {:.0f} = {:.3f}", reached.reached, reached.limit, reached.reached / reached.limit);
    verdict.remedy = "Raise io.max (version 1: blkio.throttle.*) or run outside of that group.";
}

std::vector<result::Verdict> check(const JobView& view) {
    const result::Fact* cpu_limit = run_fact(view.run, "cpu_limit");
    const result::Fact* io_limits = run_fact(view.run, "cgroup_io_limits");
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job)) {
        result::Verdict verdict = make_verdict(cgroup_limit, view, phase);
        verdict.threshold = fmt::format(
            "no CPU limit stops it for more than {:.0f} % of the time, no I/O limit is reached "
            "({:.0f} %)",
            thresholds::throttled_most * 100, thresholds::io_limit_reached * 100);
        const Throttled cpu = throttled(view.repeat, *phase);
        judge_cpu(cpu, cpu_limit, verdict);
        judge_io(view, *phase, io_limits, verdict);
        if (verdict.message.empty()) {
            if (!cpu.known) continue; // no limit is known and nothing was sampled
            verdict.message = "No cgroup limits CPU time or I/O.";
            verdict.arithmetic = "0 s stopped / s";
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace

const Check cgroup_limit{"cgroup.limit", 1,
                         "CPU time or I/O that a control group limits, and whether the limit was reached", check};

} // namespace assay::verdict
