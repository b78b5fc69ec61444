#include "core/verdict/host_load.hpp"

#include "core/base/cpu_share.hpp"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace assay::verdict {
namespace {

constexpr std::string_view host_sampler = "host";

// One CPU while its series are put together.
struct Gathered {
    CpuStates states; // means over the window
    double covered = 0;
    bool seen = false;
    std::map<std::pair<std::int64_t, std::int64_t>, CpuStates> intervals;
};

double inside_ns(const result::SampledSeries::Point& point, const result::Phase& phase) {
    const std::int64_t start = std::max(point.start_ns, phase.window_start_ns);
    const std::int64_t end = std::min(point.end_ns, phase.window_end_ns);
    return end <= start ? 0 : static_cast<double>(end) - static_cast<double>(start);
}

std::optional<int> cpu_of(const result::SampledSeries& series) {
    const std::string_view text = series.label("cpu");
    int cpu = -1;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    if (text.empty() || error != std::errc() || stopped != text.data() + text.size() || cpu < 0) return std::nullopt;
    return cpu;
}

void add(Gathered& cpu, const result::SampledSeries& series, const result::Phase& phase) {
    if (series.points.empty()) return; // a column that this kernel does not have
    const SampledMean mean = mean_over(series, phase);
    cpu.states.add(series.metric, mean.mean);
    cpu.covered = cpu.seen ? std::min(cpu.covered, mean.covered) : mean.covered;
    cpu.seen = true;
    for (const result::SampledSeries::Point& point : series.points)
        if (inside_ns(point, phase) > 0) cpu.intervals[{point.start_ns, point.end_ns}].add(series.metric, point.value);
}

// Short intervals are left out: a tick more or less is too much of them.
double hot_share(const Gathered& cpu, const result::Phase& phase) {
    double hot_ns = 0;
    for (const auto& [interval, counted] : cpu.intervals) {
        const auto& [start_ns, end_ns] = interval;
        const double length_s = (static_cast<double>(end_ns) - static_cast<double>(start_ns)) * 1e-9;
        CpuStates states = counted;
        // A state that stood still for long is one point of its own: not there means none, not unknown.
        states.idle_known = cpu.states.idle_known;
        const double busy = shares_of(states).busy();
        if (length_s < thresholds::host_interval_least_s || busy < thresholds::cpu_hot_least) continue;
        hot_ns += inside_ns({start_ns, end_ns, busy}, phase);
    }
    return hot_ns / (phase.window_s() * 1e9);
}

} // namespace

SampledMean mean_over(const result::SampledSeries& series, const result::Phase& phase) {
    double covered_ns = 0;
    double sum = 0;
    for (const result::SampledSeries::Point& point : series.points) {
        const double inside = inside_ns(point, phase);
        covered_ns += inside;
        sum += point.value * inside;
    }
    if (covered_ns <= 0) return {};
    return {sum / covered_ns, covered_ns / (phase.window_s() * 1e9)};
}

HostLoad host_load(const result::Repeat& repeat, const result::Phase& phase) {
    HostLoad load;
    if (phase.window_s() < thresholds::host_window_least_s) {
        load.missing = fmt::format("{} was measured for {}: the kernel counts CPU time in ticks, too coarse for that.",
                                   phase.name, duration_text(phase.window_s() * 1e9));
        return load;
    }
    std::map<int, Gathered> cpus;
    for (const result::SampledSeries& series : repeat.samples) {
        if (series.sampler != host_sampler) continue;
        if (!CpuStates::member(series.metric)) continue;
        if (const std::optional<int> cpu = cpu_of(series)) add(cpus[*cpu], series, phase);
    }
    if (cpus.empty()) load.missing = "The samples of this repeat hold no CPU times.";
    for (auto& [number, cpu] : cpus) {
        if (cpu.covered >= thresholds::samples_cover_least) {
            const CpuStates shares = shares_of(cpu.states);
            load.cpus.push_back({number, shares.user, shares.system, shares.irq, shares.softirq, shares.steal,
                                 hot_share(cpu, phase), cpu.covered});
        } else if (load.missing.empty()) {
            load.missing = fmt::format("The samples cover {} of the window for CPU {}; at least {:.0f} % are needed.",
                                       percent_text(cpu.covered), number, thresholds::samples_cover_least * 100);
        }
    }
    return load;
}

double mean_busy(const HostLoad& load) {
    double sum = 0;
    for (const CpuLoad& cpu : load.cpus)
        sum += cpu.busy();
    return load.cpus.empty() ? 0 : sum / static_cast<double>(load.cpus.size());
}

} // namespace assay::verdict
