#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/host_load.hpp"
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

// Text of the limit that the phase ran into: "…/blkio.throttle.read_bps_device: 254:0 1048576" or
// "…/io.max: 254:0 rbps=1048576 wbps=max". Empty: none did, or none of its devices' numbers is known.
struct Limit {
    std::string text;
    double limit = 0;
    double reached = 0;
    const char* unit = "";
};

double rate_of(const result::Phase& phase, bool reads, bool bytes) {
    double sum = 0;
    for (const result::Operation& operation : phase.operations) {
        if (operation.kind != (reads ? result::OperationKind::read : result::OperationKind::write)) continue;
        sum += static_cast<double>(bytes ? operation.bytes : operation.operations);
    }
    return sum / phase.window_s();
}

void try_limit(const result::Phase& phase, std::string_view kind, double value, std::string_view line, Limit& worst) {
    constexpr struct {
        std::string_view v1;
        std::string_view v2;
        bool reads;
        bool bytes;
    } kinds[] = {{"read_bps", "rbps", true, true},
                 {"write_bps", "wbps", false, true},
                 {"read_iops", "riops", true, false},
                 {"write_iops", "wiops", false, false}};
    for (const auto& each : kinds) {
        if (kind != each.v1 && kind != each.v2) continue;
        const double rate = rate_of(phase, each.reads, each.bytes);
        if (value <= 0 || rate < thresholds::io_limit_reached * value || rate > thresholds::io_limit_exceeded * value)
            continue;
        worst = {std::string(line), value, rate, each.bytes ? "B/s" : "/s"};
    }
}

double number(std::string_view text) {
    const Result<std::int64_t> parsed = parse_integer(text); // "max" is none
    return parsed.ok() ? static_cast<double>(parsed.value()) : 0;
}

// One device's entry of one file.
void try_entry(const result::Phase& phase, std::string_view file, const std::vector<std::string_view>& words,
               std::string_view line, Limit& worst) {
    constexpr std::string_view v1 = "blkio.throttle.";
    const std::size_t at = file.find(v1);
    if (at != std::string_view::npos) {
        std::string_view kind = file.substr(at + v1.size());
        kind = kind.substr(0, kind.find("_device"));
        if (words.size() == 2) try_limit(phase, kind, number(words[1]), line, worst);
        return;
    }
    for (const std::string_view word : words) {
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos)
            try_limit(phase, word.substr(0, equals), number(word.substr(equals + 1)), line, worst);
    }
}

bool is_ours(const result::Job& job, std::string_view device_number) {
    for (const result::Target& target : job.targets) {
        for (const result::Fact& fact : target.context) {
            const auto* text = std::get_if<std::string>(&fact.value);
            if ((fact.key == "device_number" || fact.key == "disk_number") && text != nullptr && *text == device_number)
                return true;
        }
    }
    return false;
}

Limit reached_limit(const JobView& view, const result::Phase& phase, const std::string& limits) {
    Limit worst;
    std::string_view rest = limits;
    while (!rest.empty()) { // "FILE: ENTRY,ENTRY; FILE: ENTRY"
        const std::size_t semicolon = rest.find("; ");
        const std::string_view one = rest.substr(0, semicolon);
        rest = semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon + 2);
        const std::size_t colon = one.find(": ");
        if (colon == std::string_view::npos) continue;
        for (const std::string_view entry : split(one.substr(colon + 2), ',')) {
            const std::vector<std::string_view> words = split(entry, ' ');
            if (!words.empty() && is_ours(view.job, words[0]))
                try_entry(phase, one.substr(0, colon), words, entry, worst);
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
    const Limit reached = reached_limit(view, phase, *text);
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
