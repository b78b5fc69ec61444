// Runs the block workload in this process, as a host would, and keeps what it said and counted.
#pragma once

#include "assay/abi/workload.h"
#include "core/record/region.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::block {

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

struct SeenTarget {
    std::string name;
    assay_target_kind kind = 0;
    std::uint32_t flags = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t length_bytes = 0;
    std::uint64_t unique_bytes = 0;
};

struct BenchRun {
    OptionTexts options = {};
    std::vector<std::string> targets = {};
    std::uint32_t workers = 1;
    bool bounded_by_time = false;
    std::uint32_t queue_depth_limit = 0;
    // Open loop of the measured phase, over all workers; 0: closed.
    double rate_per_s = 0;
    assay_arrival_process arrival = ASSAY_ARRIVAL_CONSTANT;
    // Called when `phase` has started; where it returns true, every worker's stop word is set then.
    std::function<bool(const std::string& phase)> stops = {};
    // Called when the measured phase has started, with a look at what it has counted so far.
    std::function<void(const std::function<Snapshot()>& look)> during = {};
};

struct BenchOutcome {
    assay_status status = ASSAY_OK;
    std::string call; // that failed: "configure", "prepare", "run", "finish"
    std::string option;
    std::string text;
    std::vector<SeenTarget> targets;
    std::map<std::string, std::string> facts;
    std::vector<std::string> phases;
    Snapshot measured; // of the measured phase
    double measured_s = 0;

    [[nodiscard]] std::uint64_t operations(std::size_t kind) const { return measured.operations[kind].operations; }
    [[nodiscard]] std::uint64_t bytes(std::size_t kind) const { return measured.operations[kind].bytes; }
    // Requests that found all slots taken, over all workers.
    [[nodiscard]] std::uint64_t late_starts() const;
    // Of one worker, from its in_flight_time_ns.
    [[nodiscard]] double mean_in_flight(std::size_t worker = 0) const;
};

constexpr std::size_t kind_read = 0;
constexpr std::size_t kind_write = 1;
constexpr std::size_t kind_sync = 2;
constexpr std::size_t kind_trim = 3;

// All phases up to the first that fails; destroys the instance before it returns.
BenchOutcome run_block(const BenchRun& run);

} // namespace assay::block
