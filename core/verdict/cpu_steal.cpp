#include "core/verdict/checks.hpp"
#include "core/verdict/host_load.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

constexpr const char* source = "host sampler, /proc/stat";

result::Verdict judge_phase(const JobView& view, const result::Phase& phase) {
    result::Verdict verdict = make_verdict(cpu_steal, view, &phase);
    verdict.threshold = fmt::format("at most {:.0f} % of the CPU time goes to others", thresholds::steal_most * 100);
    const HostLoad load = host_load(view.repeat, phase);
    if (load.cpus.empty()) {
        verdict.level = result::Level::unknown;
        verdict.message = load.missing;
        verdict.remedy = "Measure longer, with the host sampler on.";
        return verdict;
    }
    double sum = 0;
    const CpuLoad* worst = &load.cpus.front();
    for (const CpuLoad& cpu : load.cpus) {
        sum += cpu.steal;
        if (cpu.steal > worst->steal) worst = &cpu;
    }
    const auto count = static_cast<double>(load.cpus.size());
    const double share = sum / count;
    verdict.arithmetic = fmt::format("{:.3f} s stolen a second / {:.0f} CPUs = {:.2f} %", sum, count, share * 100);
    add_evidence(verdict, "steal_sum", sum, "CPUs", source);
    add_evidence(verdict, "cpus", static_cast<std::int64_t>(load.cpus.size()), "CPUs", source);
    add_evidence(verdict, "worst_cpu", std::int64_t{worst->cpu}, "", source);
    add_evidence(verdict, "worst_steal", worst->steal, "CPU", source);
    if (share <= thresholds::steal_most) {
        verdict.message = fmt::format("The hypervisor gave {} of the CPU time to others.", percent_text(share));
        return verdict;
    }
    verdict.level = result::Level::suspect;
    verdict.message = fmt::format(
        "The hypervisor gave {} of the CPU time to others, of CPU {} {}. Rates and latencies hold what the neighbours "
        "did.",
        percent_text(std::min(share, 1.0)), worst->cpu, percent_text(std::min(worst->steal, 1.0)));
    verdict.remedy = "Repeat at another time and compare, or measure on CPUs that are not shared (a dedicated host).";
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

const Check cpu_steal{"cpu.steal", 1, "CPU time that the hypervisor gave to others", check};

} // namespace assay::verdict
