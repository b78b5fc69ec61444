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
// Of an interval of another job's series: when this much of it lies in the window, spreading its bytes evenly is wrong
// by less than what the share above allows.
inline constexpr double interval_whole_least = 0.95;
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

// Means over a window from samples. The kernel counts CPU time in ticks of 10 ms: over half a second one tick of each
// state is 2 %, over less nothing near 95 % can be told from full.
inline constexpr double host_window_least_s = 0.5;
inline constexpr double host_interval_least_s = 0.5;
// A tenth of a window that nobody saw may hold a pause, but not turn a mean of 95 % into an idle CPU.
inline constexpr double samples_cover_least = 0.9;

// cpu.hot. What is left from 95 % on is the ticks' error and the idle loop's own entry and exit; iowait is not busy.
inline constexpr double cpu_hot_least = 0.95;
// A CPU at its limit for half of the window bounds the rate of that half, whatever its mean is.
inline constexpr double cpu_hot_time_least = 0.5;
// "Mostly" interrupts: more than half of the busy time.
inline constexpr double interrupts_major = 0.5;

// cpu.client. The same limit for one thread, whose clock is exact; 5 % are left for the switches at the window's edges.
inline constexpr double client_cpu_least = 0.95;
// An open loop's generator may spin between requests and still keep up: then what it starts late is a small part of the
// response times.
inline constexpr double schedule_delay_most = 0.1;

// cpu.steal. Two runs that differ by 2 % are what a comparison is meant to find.
inline constexpr double steal_most = 0.02;

// noise.background. A twentieth of somebody else's I/O moves results by about as much.
inline constexpr double background_most = 0.05;
// Below these rates it is the system's own housekeeping (logs, a journal's commit each 5 s), whatever its share. 100
// requests a second are all that a hard disk can do.
inline constexpr double background_bytes_per_s_least = 1024.0 * 1024;
inline constexpr double background_operations_per_s_least = 100;
// What a journalling file system may add of its own: two blocks (extent tree, bitmap) a write at worst; descriptor,
// inode and commit blocks a sync.
inline constexpr double journal_bytes_per_write_most = 2 * 4096;
inline constexpr double journal_bytes_per_sync_most = 4 * 4096;
// Larger requests may reach a device in several parts (max_sectors_kb, segments, chunks); no limit is below this.
inline constexpr double unsplit_request_bytes_most = 16 * 1024;

// closed.loop. A target that keeps up completes what is offered but for what is in flight at the end; 1 % left behind
// grows with the run.
inline constexpr double arrival_completed_least = 0.99;
inline constexpr double arrival_missed_most = 0.01;

// cgroup.limit. Stopped for less than 1 % of the time changes no figure by more than that.
inline constexpr double throttled_most = 0.01;
// A rate that near to an I/O limit is the limit; one well above it was not subject to it (page cache).
inline constexpr double io_limit_reached = 0.9;
inline constexpr double io_limit_exceeded = 1.1;

// trim.empty. A trim of a hole asks no device: when most are that, the rate is the file system's.
inline constexpr double trimmed_holes_most = 0.5;

// run.stopped. The control thread wakes each 50 ms. On a machine whose every CPU is taken it is late by some scheduler
// slices, tens of milliseconds; a second is a tenth of the shortest window that measures anything.
inline constexpr double pause_most_s = 1.0;

// cpu.wait. A twentieth of the window without a CPU moves rates by as much, and one wait is a scheduler's slice, 3 ms
// and more, that a latency of microseconds does not survive.
inline constexpr double run_wait_most = 0.05;

} // namespace assay::verdict::thresholds
