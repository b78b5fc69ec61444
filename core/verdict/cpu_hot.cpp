#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/host_load.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

using thresholds::cpu_hot_least;

constexpr const char* source = "host sampler, /proc/stat";

bool is_hot(const CpuLoad& cpu) { return cpu.busy() >= cpu_hot_least || cpu.hot >= thresholds::cpu_hot_time_least; }

bool is_interrupts(const CpuLoad& cpu) {
    return cpu.busy() > 0 && (cpu.irq + cpu.softirq) / cpu.busy() > thresholds::interrupts_major;
}

double softirqs(const JobView& view, const result::Phase& phase, int cpu, std::string_view kind) {
    double rate = 0;
    for (const result::SampledSeries& series : view.repeat.samples) {
        if (series.metric == "softirq.count" && series.label("kind") == kind &&
            series.label("cpu") == std::to_string(cpu))
            rate += mean_over(series, phase).mean;
    }
    return rate;
}

// What its interrupts are for, where /proc/softirqs was sampled.
std::string interrupts_text(const JobView& view, const result::Phase& phase, const CpuLoad& cpu) {
    const double received = softirqs(view, phase, cpu.cpu, "NET_RX");
    const double completed = softirqs(view, phase, cpu.cpu, "BLOCK");
    const char* path = "the receive path of a network or the completion path of a block device";
    if (received > completed) path = "the receive path of the network";
    if (completed > received) path = "the completion path of a block device";
    return fmt::format(" {} of that were interrupts (softirq): {}.", percent_text((cpu.irq + cpu.softirq) / cpu.busy()),
                       path);
}

std::string others_text(const std::vector<const CpuLoad*>& hot) {
    constexpr std::size_t listed = 8;
    if (hot.size() < 2) return "";
    std::string text;
    for (std::size_t at = 1; at < std::min(hot.size(), listed); ++at)
        text += fmt::format("{}{}", at == 1 ? "" : ", ", hot[at]->cpu);
    return fmt::format(" So {} CPU{} {}{}.", hot.size() == 2 ? "was" : "were", hot.size() == 2 ? "" : "s", text,
                       hot.size() > listed ? fmt::format(" and {} more", hot.size() - listed) : "");
}

std::string remedy(const result::Phase& phase, const CpuLoad& cpu) {
    if (is_interrupts(cpu))
        return fmt::format(
            "Spread its interrupts over more CPUs: IRQ affinity (/proc/irq/*/smp_affinity_list), RSS queues of the NIC "
            "(ethtool -L, -X) or the device's queue/rq_affinity; then measure again. mpstat -P {} 1 shows it.",
            cpu.cpu);
    const auto pinned = std::count_if(phase.workers.begin(), phase.workers.end(),
                                      [&](const result::Worker& worker) { return worker.cpu == cpu.cpu; });
    if (pinned > 0)
        return fmt::format("{} of this job {} pinned to it: give them more CPUs, or use more workers on others.",
                           workers_text(static_cast<double>(pinned)), pinned == 1 ? "is" : "are");
    return fmt::format(
        "See what runs there (perf top -C {}) and move it away, or report the rate as limited by one CPU.", cpu.cpu);
}

void add_load(result::Verdict& verdict, const CpuLoad& cpu, double mean) {
    add_evidence(verdict, "busiest_cpu", std::int64_t{cpu.cpu}, "", source);
    add_evidence(verdict, "busy", cpu.busy(), "CPU", source);
    add_evidence(verdict, "user", cpu.user, "CPU", source);
    add_evidence(verdict, "system", cpu.system, "CPU", source);
    add_evidence(verdict, "interrupts", cpu.irq, "CPU", source);
    add_evidence(verdict, "soft_interrupts", cpu.softirq, "CPU", source);
    add_evidence(verdict, "hot_time", cpu.hot, "of the window", source);
    add_evidence(verdict, "mean_busy", mean, "CPU", source);
    verdict.arithmetic =
        fmt::format("CPU {}: {:.1f} % user + {:.1f} % system + {:.1f} % irq + {:.1f} % softirq = {:.1f} %", cpu.cpu,
                    cpu.user * 100, cpu.system * 100, cpu.irq * 100, cpu.softirq * 100, cpu.busy() * 100);
}

result::Verdict judge_phase(const JobView& view, const result::Phase& phase) {
    result::Verdict verdict = make_verdict(cpu_hot, view, &phase);
    verdict.threshold =
        fmt::format("no CPU is {0:.0f} % busy over the window, nor from {0:.0f} % on for {1:.0f} % of it",
                    cpu_hot_least * 100, thresholds::cpu_hot_time_least * 100);
    const HostLoad load = host_load(view.repeat, phase);
    std::vector<const CpuLoad*> hot;
    const CpuLoad* busiest = nullptr;
    for (const CpuLoad& cpu : load.cpus) {
        if (busiest == nullptr || cpu.busy() > busiest->busy()) busiest = &cpu;
        if (is_hot(cpu)) hot.push_back(&cpu);
    }
    if (hot.empty() && !load.missing.empty()) {
        verdict.level = result::Level::unknown;
        verdict.message = load.missing;
        verdict.remedy = "Measure longer, with the host sampler on.";
        return verdict;
    }
    std::stable_sort(hot.begin(), hot.end(), [](const CpuLoad* a, const CpuLoad* b) { return a->busy() > b->busy(); });
    const double mean = mean_busy(load);
    const CpuLoad& cpu = hot.empty() ? *busiest : *hot.front();
    add_load(verdict, cpu, mean);
    const std::string mean_text = fmt::format("the mean over {} CPU{} was {}", load.cpus.size(),
                                              load.cpus.size() == 1 ? "" : "s", percent_text(std::min(mean, 1.0)));
    if (hot.empty()) {
        verdict.message =
            fmt::format("The busiest CPU, {}, was {} busy; {}.", cpu.cpu, percent_text(cpu.busy()), mean_text);
        return verdict;
    }
    verdict.level = result::Level::suspect;
    verdict.message =
        cpu.busy() >= cpu_hot_least
            ? fmt::format("CPU {} was {} busy; {}.", cpu.cpu, percent_text(std::min(cpu.busy(), 1.0)), mean_text)
            : fmt::format("CPU {} was at least {:.0f} % busy for {} of the time, {} over all of it; {}.", cpu.cpu,
                          cpu_hot_least * 100, percent_text(std::min(cpu.hot, 1.0)), percent_text(cpu.busy()),
                          mean_text);
    verdict.message += others_text(hot);
    if (is_interrupts(cpu)) verdict.message += interrupts_text(view, phase, cpu);
    if (hot.size() > 1 && hot.size() == load.cpus.size()) {
        verdict.message += " No CPU was left: the rate may be this machine's, not the target's.";
        verdict.remedy = "Stop what does not belong to the run (top), or load the target from more machines.";
        return verdict;
    }
    verdict.message += " What runs on one CPU cannot get faster than it: the rate may be that CPU's, not the target's.";
    verdict.remedy = remedy(phase, cpu);
    return verdict;
}

std::vector<result::Verdict> check(const JobView& view) {
    if (view.repeat.samples.empty()) return {}; // sampling is off
    std::vector<result::Verdict> verdicts;
    for (const result::Phase* phase : measured_phases(view.job))
        verdicts.push_back(judge_phase(view, *phase));
    return verdicts;
}

} // namespace

const Check cpu_hot{"cpu.hot", 1, "one CPU at its limit whatever the mean, and whether interrupts keep it there",
                    check};

} // namespace assay::verdict
