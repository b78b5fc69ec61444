// Every threshold of every check, each with its reason, so that it can be argued with.
#pragma once

namespace assay::verdict::thresholds {

// phase.short. A read phase below roughly ten seconds measures start-up transients and caches (the worked example of
// a 1.2 s read phase at 1.9 times the cold rate).
inline constexpr double measured_least_s = 10.0;
// The window is read off a clock by two snapshots; a run of 10 s must not be suspect for a late first or early second.
inline constexpr double window_jitter_s = 0.05;

// cache.client. Below this share of an application's bytes on the device, the rest came from memory. Above it may be
// read-ahead, partial caching of metadata and the edges of the window.
inline constexpr double device_share_least = 0.9;
// Device counters are read when a job's window opens and closes; if they cover less of it than this, they prove
// nothing.
inline constexpr double device_window_least = 0.95;
// A dataset of five times the memory leaves at most a fifth of it cached, whatever the replacement policy.
inline constexpr double dataset_memory_factor = 5.0;

// little.law. Waiting for k of N completions at a time leaves up to k/2 slots empty, 6 % at k = N/8; the rest is the
// stamps' resolution.
inline constexpr double little_fine = 0.10;
// Two figures that agree this well describe the same queue, and it was full (worked example: 7120 against 6955).
inline constexpr double little_confirms = 0.025;
// Half or double: no rounding, reaping or sampling explains it.
inline constexpr double little_invalid_factor = 2.0;
// Where a workload does not measure its own time between operations, this much may be it: the generators we measured
// spend 0.7 to 1.4 us of CPU an operation, kernel included.
inline constexpr double generator_unmeasured_most_ns = 2'000;
// Ramp and drain are not full queues. Where they may be more than this share of the window, nothing can be said.
inline constexpr double little_ramp_most = 0.4;
// Failed operations leave no latency behind; beyond this share their time is missing in the sum.
inline constexpr double little_errors_most = 0.01;
// At depth 1 the time between operations belongs to the generator; where it is more than half, the device was idle for
// most of the run. (Honest psync on a device of 500 ns: 0.78.)
inline constexpr double busy_at_depth_one_least = 0.5;

} // namespace assay::verdict::thresholds
