// The shared memory that one job's workers count in: a sealed memfd laid out as worker.h says.
//
// Created on the control thread; each worker's thread touches its own lanes first, so that they lie on its NUMA node,
// and writes them; snapshots may be taken by any one thread at a time. Offsets are kept here and never read back from
// the shared memory, which a plugin can overwrite.
#pragma once

#include "assay/abi/descriptor.h"
#include "assay/abi/worker.h"
#include "core/base/fd.hpp"
#include "core/base/status.hpp"
#include "core/record/histogram.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// What a job counts: read once from a plugin's descriptor (through struct_size and stride).
struct OperationShape {
    std::string name;
    assay_op_kind kind = ASSAY_OP_OTHER;
    std::vector<std::string> histograms;
};
struct MetricShape {
    std::string key;
    std::string unit;
    assay_metric_kind kind = ASSAY_METRIC_COUNTER;
    assay_metric_role role = ASSAY_ROLE_NONE;
};
struct RecorderShape {
    std::vector<OperationShape> operations;
    std::vector<MetricShape> metrics;
    std::uint32_t lanes_per_worker = 1;
};
// Limits: 16 operations, 8 histograms each, 64 metrics, 1024 lanes a worker. Beyond: a failure naming the plugin.
Result<RecorderShape> recorder_shape(const assay_descriptor& descriptor, std::uint32_t lanes_per_worker);

struct ErrorCount {
    std::uint32_t domain = 0;
    std::uint32_t code = 0;
    std::uint64_t count = 0;
};

// Totals of one operation at one instant, over all lanes of all workers.
struct OperationSnapshot {
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
    std::vector<ErrorCount> error_counts;
    std::vector<Histogram> histograms; // in declaration order
};
struct Snapshot {
    std::int64_t at_ns = 0; // CLOCK_MONOTONIC, taken right before reading; of a difference: the time between the two
    std::vector<OperationSnapshot> operations;
    std::vector<std::vector<std::uint64_t>> worker_metrics; // [worker][metric], summed over lanes
    std::vector<std::uint64_t> worker_operations;           // [worker], summed over operations
    std::vector<std::uint64_t> worker_bytes;
    std::vector<std::vector<OperationSnapshot>> worker_shares; // [worker][operation]; empty where not asked for
};
// later - earlier, per field; gauges take the later value.
Snapshot difference(const Snapshot& later, const Snapshot& earlier, const RecorderShape& shape);

class Region {
public:
    // Lays out memory for `workers` workers and writes their blocks' layout. Fails naming bytes if it cannot be had.
    static Result<Region> create(const RecorderShape& shape, std::uint32_t workers);
    Region(Region&&) noexcept;
    Region& operator=(Region&&) noexcept;
    ~Region();

    // Makes the lanes of one worker ready, page by page. Once, before it runs. [the worker's thread]
    void touch(std::uint32_t worker);

    [[nodiscard]] assay_worker_block& block(std::uint32_t worker);
    [[nodiscard]] char* base() { return base_; }
    [[nodiscard]] int memfd() const { return memfd_.get(); }
    [[nodiscard]] std::uint32_t workers() const { return workers_; }
    [[nodiscard]] const RecorderShape& shape() const { return shape_; }
    // A share holds a histogram of 18 KiB for each that the worker has, so only who needs them asks.
    enum class Shares { none, each_worker };
    [[nodiscard]] Snapshot snapshot(Shares shares = Shares::none) const;
    // Zeroes every lane (between phases, while no worker runs).
    void clear();

private:
    struct Layout { // bytes
        std::size_t op_stride = 0;
        std::size_t metrics_offset = 0;
        std::size_t lane_stride = 0;
        std::size_t lanes_offset = 0;  // of worker 0
        std::size_t worker_stride = 0; // of the lanes of one worker
        std::size_t total = 0;
    };
    Region() = default;
    static Result<Layout> lay_out(const RecorderShape& shape, std::uint32_t workers);
    void write_blocks();
    [[nodiscard]] char* lane(std::uint32_t worker, std::uint32_t lane) const;

    Fd memfd_;
    char* base_ = nullptr;
    Layout layout_;
    std::uint32_t workers_ = 0;
    RecorderShape shape_;
};

} // namespace assay
