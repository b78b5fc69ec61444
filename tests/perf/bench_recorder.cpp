// What counting costs: the null workload's operation (clock read, counters, histogram) on real recorder memory, through
// the SDK and through the bare ABI, and what a snapshot costs the host. The null operation must stay at or below 30 ns.
//
// Single-threaded; run it on a quiet CPU: `taskset -c 0 bench_recorder`.
#include "assay/sdk/worker.hpp"
#include "core/base/clock.hpp"
#include "core/record/region.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace {

using namespace assay;

constexpr std::uint64_t batch_operations = 64;

Region make_region(std::uint32_t workers) {
    const RecorderShape shape{{{"read", ASSAY_OP_READ, {"latency"}}, {"write", ASSAY_OP_WRITE, {"latency"}}}, {}, 1};
    Result<Region> region = Region::create(shape, workers);
    if (!region.ok()) std::abort();
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        region->touch(worker);
        region->block(worker).clock = hot_clock();
    }
    return std::move(*region);
}

assay_worker handle(Region& region, std::uint32_t worker) {
    return {sizeof(assay_worker), -1, &region.block(worker), region.base(), nullptr, nullptr};
}

// The acceptance figure: one operation of tests/plugins/counting.cpp.
void null_operation_through_the_sdk(benchmark::State& state) {
    Region region = make_region(1);
    assay_worker raw = handle(region, 0);
    const sdk::Worker worker(&raw);
    const sdk::Clock clock = worker.clock();
    sdk::Recorder recorder = worker.recorder(0);
    std::uint64_t before = clock.ticks();
    while (state.KeepRunningBatch(batch_operations)) {
        if (worker.stopped()) break;
        for (std::uint64_t at = 0; at < batch_operations; ++at) {
            const std::uint64_t now = clock.ticks();
            recorder.complete(clock.ns(before, now), 4096);
            before = now;
        }
        recorder.publish();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(region.snapshot().operations[0].operations));
}
BENCHMARK(null_operation_through_the_sdk);

void null_operation_through_the_abi(benchmark::State& state) {
    Region region = make_region(1);
    assay_worker raw = handle(region, 0);
    const assay_clock clock = region.block(0).clock;
    char* op = assay_worker_op(&raw, 0, 0);
    std::uint64_t before = assay_clock_ticks(&clock);
    for (auto _ : state) {
        const std::uint64_t now = assay_clock_ticks(&clock);
        assay_histogram_add(assay_op_histogram(op, 0), assay_clock_ns(&clock, before, now));
        assay_counter_add(&assay_op_counters_of(op)->operations, 1);
        assay_counter_add(&assay_op_counters_of(op)->bytes, 4096);
        before = now;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(region.snapshot().operations[0].operations));
}
BENCHMARK(null_operation_through_the_abi);

void clock_read(benchmark::State& state) {
    const assay_clock clock = hot_clock();
    for (auto _ : state)
        benchmark::DoNotOptimize(assay_clock_ticks(&clock));
}
BENCHMARK(clock_read);

// Latencies over five octaves, so that the buckets do not stay in one cache line; without a clock.
void histogram_update_of_spread_values(benchmark::State& state) {
    Region region = make_region(1);
    assay_worker raw = handle(region, 0);
    sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
    std::uint64_t random = 88172645463325252U;
    while (state.KeepRunningBatch(batch_operations)) {
        for (std::uint64_t at = 0; at < batch_operations; ++at) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            recorder.complete(20'000 + (random & 0x7ffffU), 4096);
        }
        recorder.publish();
    }
}
BENCHMARK(histogram_update_of_spread_values);

void snapshot_of_workers(benchmark::State& state) {
    const Region region = make_region(static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(region.snapshot());
}
BENCHMARK(snapshot_of_workers)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
