#include "tools/assay/dialects/fio/asked.hpp"

#include "core/base/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace assay::cli::fio {
namespace {

// fio's times where a bare number is microseconds; 0 for what is none.
std::uint64_t time_ns(const std::string& text) {
    static constexpr std::array<std::pair<const char*, double>, 9> units = {{{"", 1e3},
                                                                             {"us", 1e3},
                                                                             {"usec", 1e3},
                                                                             {"ms", 1e6},
                                                                             {"msec", 1e6},
                                                                             {"s", 1e9},
                                                                             {"m", 60e9},
                                                                             {"h", 3600e9},
                                                                             {"d", 86400e9}}};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const Result<std::int64_t> number = parse_integer(text.substr(0, digits));
    for (const auto& [suffix, factor_ns] : units)
        if (number && text.substr(digits) == suffix)
            return static_cast<std::uint64_t>(std::min(static_cast<double>(*number) * factor_ns, 9e18));
    return 0;
}

} // namespace

std::string option_of(const Invocation& invocation, const Job& job, const std::string& key) {
    for (const Pairs* pairs : {&job.options, &invocation.global_options})
        for (const auto& [name, value] : *pairs)
            if (name == key) return value;
    return {};
}

std::uint32_t submit_batch_of(const Invocation& invocation, const Job& job, std::uint32_t depth) {
    for (const char* key : {"iodepth_batch", "iodepth_batch_submit"}) {
        const Result<std::int64_t> batch = parse_integer(option_of(invocation, job, key));
        if (!batch) continue;
        return *batch <= 0 || *batch > depth ? depth : static_cast<std::uint32_t>(*batch);
    }
    return 1;
}

bool continues_on_error(const Invocation& invocation, const Job& job) {
    const std::string value = option_of(invocation, job, "continue_on_error");
    return !value.empty() && value != "none" && value != "0";
}

LatencyGoal latency_goal_of(const Invocation& invocation, const Job& job) {
    LatencyGoal goal;
    goal.target_ns = time_ns(option_of(invocation, job, "latency_target"));
    goal.window_us = time_ns(option_of(invocation, job, "latency_window")) / 1000;
    const Result<double> percentile = parse_number(option_of(invocation, job, "latency_percentile"));
    if (percentile) goal.percentile = *percentile;
    return goal;
}

const std::vector<double>& percentiles_of(const Reporting& reporting) {
    static const std::vector<double> usual = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                              80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
    return reporting.percentiles.empty() ? usual : reporting.percentiles;
}

} // namespace assay::cli::fio
