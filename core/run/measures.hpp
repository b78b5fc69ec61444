// From the difference of two snapshots to what the result says about the time between them. Pure functions.
#pragma once

#include "core/record/region.hpp"
#include "core/result/model.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

std::vector<result::Operation> operations_of(const Snapshot& between, const RecorderShape& shape);
// The same of one worker; empty where the snapshots were not asked for shares.
std::vector<result::Operation> operations_of(const Snapshot& between, const RecorderShape& shape, std::uint32_t worker);
std::vector<result::Metric> metrics_of(const Snapshot& between, const RecorderShape& shape);
std::vector<result::SeriesPoint::PerOperation> interval_of(const Snapshot& between, const RecorderShape& shape);

// Growth of the IN_FLIGHT_TIME metrics over the time; 0 where the workload has none.
double mean_in_flight(const Snapshot& between, const RecorderShape& shape, std::uint32_t worker,
                      std::int64_t duration_ns);
// The same, summed over workers.
double mean_in_flight(const Snapshot& between, const RecorderShape& shape, std::int64_t duration_ns);

// Growth of the GENERATOR_TIME metrics over the operations; nothing where there is neither.
std::optional<double> generator_ns_per_operation(const Snapshot& between, const RecorderShape& shape);

// What became of the schedule of an open loop that offered `rate_per_s` between two instants (CLOCK_MONOTONIC): what a
// worker had due in that time and not started at its end is missed. `process`: ASSAY_ARRIVAL_CONSTANT or _POISSON.
result::Arrival arrival_of(const Snapshot& between, const RecorderShape& shape, assay_arrival_process process,
                           double rate_per_s, std::int64_t window_start_ns, std::int64_t window_end_ns);
// Whether a workload that counts this can run an open loop (arrival.h).
bool can_be_paced(const RecorderShape& shape);

// Completion latency of all operations together.
Histogram completion_latency(const Snapshot& between);
// Response times of all operations together; empty in a closed loop.
Histogram response_time(const Snapshot& between, const RecorderShape& shape);

} // namespace assay
