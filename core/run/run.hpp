// Runs the concurrent jobs of one point once: instances, threads, phases, snapshots, stop and watchdog.
//
// All calls from one control thread; request_stop() from anywhere, also from a signal handler. Setup phases of all
// jobs, one job after another, end before anything is measured; measured phases of different jobs run at the same time;
// inside a job, phases run one after another with a barrier between; teardown comes when all is measured, also after a
// stop.
//
// The pieces: stage.hpp drives phases side by side, phase_run.hpp is one of them, job_run.hpp owns what a job needs,
// worker_pool.hpp its threads, instance.hpp makes the calls into the plugin, host_services.hpp answers its calls.
#pragma once

#include "assay/abi/descriptor.h"
#include "assay/abi/workload.h"
#include "core/base/status.hpp"
#include "core/record/region.hpp"
#include "core/result/model.hpp"
#include "core/schema/schema.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

struct RunJob {
    std::string name;
    const assay_descriptor* descriptor = nullptr;
    OptionSet options;
    std::vector<std::string> targets;
    std::uint32_t workers = 1;
    std::vector<int> cpus;
    std::int64_t start_after_ns = 0;
    std::int64_t warmup_ns = 0;
    std::int64_t measure_ns = 0; // 0: the work ends the measured phases
    std::uint64_t seed = 0;
    // Open loop: request starts a second, over all workers, by this process; nothing in a closed loop.
    std::optional<double> rate_per_s = {};
    assay_arrival_process arrival = ASSAY_ARRIVAL_CONSTANT;
    bool per_worker = false; // keep each worker's operations and histograms: result::Worker::each_operation
};

// Set from a signal handler or another thread; a run drains and keeps what was measured. Lock-free.
class StopFlag {
public:
    void request(int signal_number) { signal_.store(signal_number == 0 ? -1 : signal_number); }
    [[nodiscard]] bool requested() const { return signal_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] int signal_number() const { return signal_.load(); }

private:
    std::atomic<int> signal_{0};
};

// What a job is doing now; for the live line. Rates are over the last interval.
struct JobProgress {
    std::string name;
    std::string phase;
    result::PhaseKind kind = result::PhaseKind::setup;
    bool warmup = false;
    double elapsed_s = 0;
    double total_s = 0; // 0: not bounded by time
    std::uint64_t done_bytes = 0;
    std::uint64_t total_bytes = 0; // 0: not bounded by work
    bool no_rate_yet = false;      // the first interval is not over
    double operations_per_s = 0;
    double bytes_per_s = 0;
    // Of all operations in the interval: completion latency, or in an open loop the response time.
    bool open_loop = false;
    std::uint64_t p50_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t max_ns = 0;
    double in_flight = 0;
    std::uint64_t errors = 0; // so far in the phase
    bool finished = false;
};

// What the invocation wants to hear and do; called on the control thread, quickly. The result::Job given for a job is
// the same object throughout.
class RunHooks {
public:
    virtual ~RunHooks() = default;
    // After configure(): job.targets is filled with what the plugin reported; fill in their context and devices. A
    // failure stops the point before anything is opened for writing.
    virtual Status targets_declared(result::Job& job) = 0;
    // All setup phases of all jobs are over; nothing measured yet (read extents here). May block.
    virtual void setup_finished(result::Job& job) = 0;
    // The measured window of a job opened / closed (read device counters here), once for each measured phase: opened
    // right before the start, or when the warm-up is over. A phase that ends within its warm-up has neither call.
    virtual void window_opened(result::Job& job) = 0;
    virtual void window_closed(result::Job& job) = 0;
    // While windows are open, once a second or an interval, whichever is longer: the jobs with what their phases have
    // counted until now.
    virtual void measured_so_far(std::vector<result::Job> jobs) = 0;
    // Every interval, and once when something changes. One entry a job, in the order of the plan.
    virtual void progress(const std::vector<JobProgress>& jobs) = 0;
    // A plugin's log line. [any thread]
    virtual void log(assay_severity severity, const std::string& job, const std::string& text) = 0;
};

struct RunSettings {
    std::int64_t interval_ns = 1'000'000'000;       // series and progress; 100 ms .. minutes
    std::int64_t drain_timeout_ns = 30'000'000'000; // after stop, before a plugin counts as hung
    std::int64_t epoch_ns = 0;                      // CLOCK_MONOTONIC that result times are relative to
};

struct PointOutcome {
    std::vector<result::Job> jobs;
    // A worker did not return: its threads and memory are abandoned; write the result, then leave by _exit.
    bool hung = false;
};

// Only configures every job and lets it go again: what is wrong with the options is known before anything runs. Opens
// nothing, asks no hook.
Status try_point(const std::vector<RunJob>& jobs);

// What fails up to and including configure() and the targets' check fails the call, as nothing was opened yet; so does
// an option that prepare() refuses. What goes wrong later is recorded in the job's `failure` and ends the point, with
// what was measured so far.
Result<PointOutcome> run_point(const std::vector<RunJob>& jobs, const RunSettings& settings, RunHooks& hooks,
                               const StopFlag& stop);

} // namespace assay
