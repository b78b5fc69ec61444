// What the outputs repeat or need of the options that a job was given. The parser has refused what is malformed.
//
// Pure functions; any thread.
#pragma once

#include "tools/assay/dialects/fio/invocation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::cli::fio {

// The value of an option of a job, of its own or of [global]; "" where neither has it.
std::string option_of(const Invocation& invocation, const Job& job, const std::string& key);

// How many requests the job hands over at once.
std::uint32_t submit_batch_of(const Invocation& invocation, const Job& job, std::uint32_t depth);

// Errors do not end it, they are counted.
bool continues_on_error(const Invocation& invocation, const Job& job);

struct LatencyGoal {
    std::uint64_t target_ns = 0; // 0: none
    std::uint64_t window_us = 0;
    double percentile = 100;
};
LatencyGoal latency_goal_of(const Invocation& invocation, const Job& job);

// Of the job, or fio's default list.
const std::vector<double>& percentiles_of(const Reporting& reporting);

} // namespace assay::cli::fio
