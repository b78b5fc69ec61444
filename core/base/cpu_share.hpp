// A CPU's busy share from the kernel's states (/proc/stat), for everything that shows or judges one.
//
// The ticks of a CPU do not add up to the time that passed: on a tickless kernel 87 to 112 % of it were seen over a
// second. So a share is one of all the states counted in that time, not of the clock. Guests are inside user and nice.
// Pure; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace assay {

// Time in each state, all in one unit: ticks, seconds, or seconds a second.
struct CpuStates {
    double user = 0; // nice included
    double system = 0;
    double irq = 0;
    double softirq = 0;
    double steal = 0;
    double idle = 0; // iowait included: that is idle time
    bool idle_known = false;

    // The member that a metric of the host sampler belongs to ("cpu.user"); nothing for what is in another already.
    static std::optional<double CpuStates::*> member(std::string_view metric) {
        if (metric == "cpu.user" || metric == "cpu.nice") return &CpuStates::user;
        if (metric == "cpu.system") return &CpuStates::system;
        if (metric == "cpu.irq") return &CpuStates::irq;
        if (metric == "cpu.softirq") return &CpuStates::softirq;
        if (metric == "cpu.steal") return &CpuStates::steal;
        if (metric == "cpu.idle" || metric == "cpu.iowait") return &CpuStates::idle;
        return std::nullopt;
    }
    void add(std::string_view metric, double value) {
        const std::optional<double CpuStates::*> state = member(metric);
        if (!state) return;
        this->** state += value;
        idle_known = idle_known || metric == "cpu.idle";
    }

    [[nodiscard]] double busy() const { return user + system + irq + softirq; }
    [[nodiscard]] double all() const { return busy() + steal + idle; }
};

// The same as shares of all the states, from states in seconds a second. Left as they are where idle time is not among
// them (it was not selected), or where so much is missing that something was not sampled.
inline CpuStates shares_of(const CpuStates& states) {
    constexpr double believable_least = 0.5;
    const double all = states.all();
    if (!states.idle_known || !(all >= believable_least)) return states;
    CpuStates shares = states;
    for (double CpuStates::*each : {&CpuStates::user, &CpuStates::system, &CpuStates::irq, &CpuStates::softirq,
                                    &CpuStates::steal, &CpuStates::idle})
        shares.*each /= all;
    return shares;
}

} // namespace assay
