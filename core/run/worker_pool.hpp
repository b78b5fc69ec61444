// The threads of one job: started and pinned once, then parked between phases, so that no thread start or page fault
// lies inside a measured window.
//
// Control thread, except what worker threads do inside. If a worker never returns from run(), the pool must outlive it:
// whoever owns the pool leaks it then (see JobRun).
#pragma once

#include "assay/abi/worker.h"
#include "core/base/fd.hpp"
#include "core/base/status.hpp"
#include "core/record/region.hpp"
#include "core/run/barrier.hpp"
#include "core/run/board.hpp"
#include "core/run/cpu_time.hpp"
#include "core/run/instance.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace assay {

// How one worker fared in the current phase. Times are CLOCK_MONOTONIC.
struct WorkerReport {
    std::int64_t started_ns = 0; // 0: has not entered run() yet
    std::int64_t ended_ns = 0;   // 0: has not returned
    assay_status status = ASSAY_OK;
    CallError error;
};

// The open loop of a phase; rate 0: closed.
struct ArrivalPlan {
    assay_arrival_process process = ASSAY_ARRIVAL_CLOSED;
    double rate_per_s = 0; // over all workers
};

class WorkerPool {
public:
    // Worker i is pinned to cpus[i % size]; empty: not pinned.
    WorkerPool(Instance& instance, Region& region, std::shared_ptr<Board> board, std::vector<int> cpus,
               std::uint64_t seed);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    // All workers must have returned.
    ~WorkerPool();

    // Starts the threads; returns once all are pinned, have touched their lanes, and are parked.
    Status start();

    // Readies stop words, eventfd and barrier for a phase; no worker may be in run().
    Status begin_phase();
    // Lets all workers enter run() at `start_ns`. `deadline_ns`: when stop will be set, 0 if it is not known. Of an
    // open loop each worker gets an equal part, and constant arrivals are spread evenly over the workers.
    void release(std::uint32_t phase, std::int64_t start_ns, std::int64_t deadline_ns, const ArrivalPlan& arrival);
    void set_deadline(std::int64_t deadline_ns);
    // Stop words, then the eventfd, then whoever waits at the barrier, then interrupt().
    void stop();
    void interrupt_again() { instance_.interrupt(); }
    [[nodiscard]] bool stopping() const { return stopping_; }
    // Workers that have not returned from run() in this phase.
    [[nodiscard]] std::uint32_t running() const { return running_.load(std::memory_order_acquire); }
    [[nodiscard]] WorkerReport report(std::uint32_t worker) const;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(workers_.size()); }
    [[nodiscard]] int cpu(std::uint32_t worker) const;
    // The totals at once, for a point in time; the ticks, which cost more, into what the first call gave.
    [[nodiscard]] std::vector<ThreadCpu> cpu_totals() const;
    void read_cpu_ticks(std::vector<ThreadCpu>& into) const;

private:
    struct alignas(64) Worker {
        std::thread thread;
        assay_worker handle{};
        int cpu = -1;
        pid_t tid = 0;
        clockid_t clock = 0;
        std::optional<Status> ready; // under mutex_
        std::atomic<std::int64_t> started_ns = 0;
        std::atomic<std::int64_t> ended_ns = 0; // status and error are written before it
        assay_status status = ASSAY_OK;
        CallError error;
    };

    void thread_main(Worker& worker, std::uint32_t index);
    Status settle(Worker& worker, std::uint32_t index); // [the worker's thread]
    void run_phase(Worker& worker, std::uint32_t phase, std::int64_t start_ns);
    void write_identity(std::uint32_t index);
    void write_arrival(const ArrivalPlan& arrival, std::int64_t start_ns);
    void quit();

    Instance& instance_;
    Region& region_;
    const std::shared_ptr<Board> board_;
    const std::uint64_t seed_;
    std::vector<std::unique_ptr<Worker>> workers_;
    PhaseBarrier barrier_;
    Fd stop_event_;
    bool stopping_ = false;
    bool stop_event_used_ = true;
    std::atomic<std::uint32_t> running_ = 0;

    std::mutex mutex_; // what parks and releases the threads
    std::condition_variable parked_;
    std::condition_variable settled_;
    std::uint64_t ticket_ = 0; // grows with every phase
    std::uint32_t phase_ = 0;
    std::int64_t start_ns_ = 0;
    bool quit_ = false;
};

} // namespace assay
