// What the host sampler saw of the CPUs while a phase's window was open, and means of any of its series over it.
//
// Samples begin and end when the sampler read, not when the window did: a point counts by the share of it that lies
// inside. Pure functions of the result; any thread.
#pragma once

#include "core/result/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::verdict {

struct SampledMean {
    double mean = 0;    // weighted by time
    double covered = 0; // share of the window that points cover
};
SampledMean mean_over(const result::SampledSeries& series, const result::Phase& phase);

// Shares of one CPU's time (core/base/cpu_share.hpp), means over what is covered of the window.
struct CpuLoad {
    int cpu = -1;
    double user = 0; // nice included, and the guests that the kernel counts there
    double system = 0;
    double irq = 0;
    double softirq = 0;
    double steal = 0;
    double hot = 0;     // share of the window in intervals in which it was busy from cpu_hot_least on
    double covered = 0; // of the window, by all of these

    [[nodiscard]] double busy() const { return user + system + irq + softirq; } // no iowait: that is idle time
};

struct HostLoad {
    std::vector<CpuLoad> cpus; // that are covered well enough, by number
    std::string missing;       // what is not, as a sentence; empty: nothing
};
HostLoad host_load(const result::Repeat& repeat, const result::Phase& phase);

double mean_busy(const HostLoad& load);

} // namespace assay::verdict
