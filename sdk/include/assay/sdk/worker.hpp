// The hot path: a worker's stop word, clock and recorders. Everything here is inline and allocation-free.
//
// Cost (tests/perf): one clock read, one histogram update and the counters take about 15 ns an operation.
// A Recorder is used by its lane's one thread; it counts locally and publishes once a batch, so that live readers see
// whole batches and the loop keeps its sums in registers.
#pragma once

#include "assay/abi/worker.h"
#include "assay/sdk/status.hpp"

#include <algorithm>
#include <cstdint>

namespace assay::sdk::inline v0 {

// Ticks and nanoseconds with the factors in registers.
class Clock {
public:
    explicit Clock(const assay_clock& clock) : clock_(clock) {}
    [[nodiscard]] std::uint64_t ticks() const { return assay_clock_ticks(&clock_); }
    [[nodiscard]] std::uint64_t ns(std::uint64_t from_ticks, std::uint64_t to_ticks) const {
        return assay_clock_ns(&clock_, from_ticks, to_ticks);
    }

private:
    assay_clock clock_;
};

// Counts one operation kind of one lane.
class Recorder {
public:
    explicit Recorder(char* op)
        : op_(op),
          counters_(assay_op_counters_of(op)),
          latency_(assay_op_histogram(op, 0)),
          operations_(counters_->operations),
          bytes_(counters_->bytes),
          sum_ns_(latency_->sum_ns),
          min_ns_(latency_->min_ns),
          max_ns_(latency_->max_ns) {}

    // One successful operation. The bucket is visible at once, the rest after publish().
    void complete(std::uint64_t latency_ns, std::uint64_t bytes) {
        std::uint64_t* bucket = &latency_->buckets[assay_histogram_index(latency_ns)];
        __atomic_store_n(bucket, *bucket + 1, __ATOMIC_RELAXED);
        ++operations_;
        bytes_ += bytes;
        sum_ns_ += latency_ns;
        min_ns_ = std::min(min_ns_, latency_ns);
        max_ns_ = std::max(max_ns_, latency_ns);
    }
    void publish() {
        __atomic_store_n(&counters_->operations, operations_, __ATOMIC_RELAXED);
        __atomic_store_n(&counters_->bytes, bytes_, __ATOMIC_RELAXED);
        __atomic_store_n(&latency_->sum_ns, sum_ns_, __ATOMIC_RELAXED);
        __atomic_store_n(&latency_->min_ns, min_ns_, __ATOMIC_RELAXED);
        __atomic_store_n(&latency_->max_ns, max_ns_, __ATOMIC_RELAXED);
    }
    // One failed operation (cold); domain and code as in worker.h.
    void error(std::uint32_t domain, std::uint32_t code) { assay_op_error(op_, domain, code); }

    // Any further histogram the operation declares; published at once.
    void add(std::uint32_t histogram, std::uint64_t value_ns) {
        assay_histogram_add(assay_op_histogram(op_, histogram), value_ns);
    }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    char* op_;
    assay_op_counters* counters_;
    assay_histogram* latency_;
    std::uint64_t operations_;
    std::uint64_t bytes_;
    std::uint64_t sum_ns_;
    std::uint64_t min_ns_;
    std::uint64_t max_ns_;
};

class Worker {
public:
    // Only of a worker that the host made large enough; asked once before run(), so that nothing below has to.
    [[nodiscard]] static bool usable(const assay_worker* worker) {
        return ASSAY_HAS(worker, assay_worker, region) && ASSAY_HAS(worker->block, assay_worker_block, metric_count);
    }
    explicit Worker(assay_worker* worker) : worker_(worker) {}

    [[nodiscard]] bool stopped() const { return assay_worker_stopped(worker_) != 0; }
    [[nodiscard]] int stop_fd() const { return worker_->stop_fd; }
    [[nodiscard]] Clock clock() const { return Clock(worker_->block->clock); }
    [[nodiscard]] std::uint32_t index() const { return worker_->block->local_index; }
    [[nodiscard]] std::uint32_t global_index() const { return worker_->block->global_index; }
    [[nodiscard]] std::uint32_t global_count() const { return worker_->block->global_count; }
    [[nodiscard]] std::uint64_t seed() const { return worker_->block->seed; }
    [[nodiscard]] int numa_node() const { return worker_->block->numa_node; }
    // 0: as configured.
    [[nodiscard]] std::uint32_t queue_depth_limit() const {
        return __atomic_load_n(&worker_->block->queue_depth_limit, __ATOMIC_RELAXED);
    }
    [[nodiscard]] Recorder recorder(std::uint32_t operation, std::uint32_t lane = 0) const {
        return Recorder(assay_worker_op(worker_, lane, operation));
    }
    [[nodiscard]] std::uint64_t* metric(std::uint32_t metric, std::uint32_t lane = 0) const {
        return assay_worker_metric(worker_, lane, metric);
    }
    [[nodiscard]] const assay_worker_block& block() const { return *worker_->block; }
    // Waits for all local workers; a status other than fine means stop.
    [[nodiscard]] Status barrier() const {
        if (!ASSAY_HAS(worker_, assay_worker, barrier) || worker_->barrier == nullptr)
            return {ASSAY_UNSUPPORTED, "this host is older than the plugin: its workers cannot wait for each other"};
        const assay_status status = worker_->barrier(worker_);
        return status == ASSAY_OK ? Status() : Status(status, "stopped while waiting for the other workers");
    }

private:
    assay_worker* worker_;
};

} // namespace assay::sdk::inline v0
