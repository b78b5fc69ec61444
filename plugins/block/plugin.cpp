// The descriptor: what `assay plugins show block` prints.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"
#include "plugins/block/loop.hpp"
#include "plugins/block/options.hpp"
#include "plugins/block/workload.hpp"

#include <iterator>

namespace assay::block {
namespace {

constexpr const char* latency[] = {"latency"};
constexpr const char* paced[] = {"latency", ASSAY_HISTOGRAM_RESPONSE};
static_assert(histogram_response == 1);

// Numbered as common::Direction.
constexpr assay_operation operations[] = {
    sdk::operation(ASSAY_OP_READ, "read", "one read of block_size bytes", paced, 2),
    sdk::operation(ASSAY_OP_WRITE, "write", "one write of block_size bytes", paced, 2),
    sdk::operation(ASSAY_OP_OTHER, "sync", "one fsync or fdatasync", latency, 1),
    sdk::operation(ASSAY_OP_OTHER, "trim",
                   "one discard of block_size bytes: BLKDISCARD on a device, a punched hole in a file", paced, 2)};
static_assert(static_cast<int>(common::Direction::sync) == 2 && static_cast<int>(common::Direction::trim) == 3);

constexpr assay_metric metrics[] = {
    sdk::metric(ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME, "in_flight_time_ns", "ns",
                "requests in flight, summed up over time; completions of one batch count as spread evenly over the "
                "wait that ended with them"),
    sdk::metric(ASSAY_METRIC_COUNTER, ASSAY_ROLE_GENERATOR_TIME, "generator_time_ns", "ns",
                "time between a completion and the next submission on the same slot, summed up over requests; of an "
                "open loop or with think time only what follows once the request may start"),
    sdk::metric(ASSAY_METRIC_COUNTER, ASSAY_ROLE_LATE_STARTS, "late_starts", "requests",
                "requests of an open loop that found queue_depth others in flight when they were due"),
    sdk::metric(ASSAY_METRIC_GAUGE, ASSAY_ROLE_NEXT_START, "next_start_ns", "ns",
                "open loop: when the request is due that starts next, by CLOCK_MONOTONIC")};
static_assert(std::size(metrics) == metric_count);

constexpr assay_descriptor descriptor = [] {
    assay_descriptor d{};
    d.struct_size = sizeof(assay_descriptor);
    d.kind = ASSAY_KIND_WORKLOAD;
    d.id = "org.assay.block";
    d.name = "block";
    d.version = "0.1.0";
    d.summary = "Reads, writes and trims files and block devices in blocks";
    d.help =
        "Keeps queue_depth requests of block_size bytes in flight on each worker, in ascending or random order, and "
        "measures each request's completion latency. A file that is missing or too short is first filled with "
        "data where the pattern reads. Data is incompressible, also over several blocks (a worker's random data "
        "comes again after 2 MiB), and no two 4 KiB blocks are alike, unless compressible or dedupe say otherwise. "
        "Without a measuring time, each worker makes one pass over its part of the targets, or "
        "moves `amount`.\n"
        "With a rate, requests start by a schedule instead, constant or Poisson, as soon as they are due and one of "
        "queue_depth slots is free. None is dropped: after a stall it catches up. The latency of a request then runs "
        "from its submission, its response time from its intended start; late starts are those that found every slot "
        "taken.\n"
        "A trim gives back what it finds. After one pass over the region there is nothing left to give back, and what "
        "a "
        "timed run measures from then on is the discard of blocks that are discarded already, which may be much "
        "faster: "
        "write the region before each trim run, and let it end after a pass (no measuring time). A file that is "
        "created for a trim pattern holds nothing to begin with. Blocks are multiples of what the file system or the "
        "device gives back at once.\n"
        "A fixed amount of work moves the bytes that fio moves for the same parameters: an amount is rounded up to "
        "whole requests. It stays inside the region: a last part that is smaller than block_size is left out, where "
        "fio's "
        "sequential patterns step over the end of a region that is smaller than its file.";
    d.privileges =
        "None for files. Block devices usually need root or membership in the group disk. Registered buffers count "
        "against the limit on locked memory (ulimit -l); without them a request costs about 60 ns more.";
    d.example =
        "run block --target /data/testfile --size 10GiB --pattern randread --block-size 4KiB --queue-depth 32 "
        "--workers 2 --warmup 5s --measure 30s";
    d.effects = ASSAY_EFFECT_READS | ASSAY_EFFECT_WRITES | ASSAY_EFFECT_DESTROYS;
    d.operation_count = std::size(operations);
    d.operation_stride = sizeof(assay_operation);
    d.metric_count = std::size(metrics);
    d.metric_stride = sizeof(assay_metric);
    d.options = sdk::option_table(options);
    d.operations = operations;
    d.metrics = metrics;
    d.interface = &sdk::workload_of<BlockWorkload>;
    return d;
}();

} // namespace
} // namespace assay::block

ASSAY_PLUGIN(assay::block::descriptor)
