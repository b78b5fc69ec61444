// What the block workload's generator costs a request, without any system call: where it goes, and what is written.
#include "assay/sdk/arrival.hpp"
#include "plugins/block/shaped_stream.hpp"
#include "plugins/block/stream.hpp"
#include "plugins/common/data.hpp"
#include "plugins/common/distribution.hpp"
#include "plugins/common/offsets.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace assay::block {
namespace {

using common::Part;

// 4 GiB in blocks of 4 KiB is a power of two; one block less is the permutation's bad case but one.
template <class Address>
void next_offset(benchmark::State& state) {
    const auto blocks = static_cast<std::uint64_t>(state.range(0));
    const std::vector<Part> parts(static_cast<std::size_t>(state.range(1)), Part{0, blocks});
    Address address({parts, 4096, 1});
    for (auto _ : state)
        benchmark::DoNotOptimize(address.next(0));
}
BENCHMARK(next_offset<common::SequentialOne>)->Args({1 << 20, 1});
BENCHMARK(next_offset<common::RandomOnceOne>)->Args({1 << 20, 1})->Args({(1 << 20) + 1, 1});
BENCHMARK(next_offset<common::RandomFreeOne>)->Args({1 << 20, 1});
BENCHMARK(next_offset<common::SequentialMany>)->Args({1 << 20, 4});
BENCHMARK(next_offset<common::RandomOnceMany>)->Args({1 << 20, 4});
BENCHMARK(next_offset<common::RandomFreeMany>)->Args({1 << 20, 4});

template <class Choice>
void next_request(benchmark::State& state) {
    const std::vector<Part> parts = {{0, 1 << 20}};
    std::vector<std::byte> buffer(static_cast<std::size_t>(state.range(0)));
    StreamSetup setup;
    setup.offsets = {parts, buffer.size(), 1};
    setup.operations = UINT64_MAX;
    setup.read_threshold = std::uint64_t{1} << 31;
    // As many buffers as the workload has, so that the cache misses of going through them count.
    std::vector<std::byte> spare(Choice::last == common::Direction::write ? fresh_data_bytes : 0);
    std::vector<common::Buffer> buffers;
    for (std::size_t at = 0; at + buffer.size() <= spare.size(); at += buffer.size())
        buffers.push_back({spare.data() + at, 0, 0});
    setup.buffers = {buffers, {}, 1, buffer.size()};
    Stream<common::RandomOnceOne, Choice, false> stream(setup);
    common::Request request;
    request.buffer = buffer.data();
    for (auto _ : state) {
        stream.next(request);
        benchmark::DoNotOptimize(request);
        benchmark::ClobberMemory();
    }
}
BENCHMARK(next_request<ReadOnly>)->Arg(4096);
BENCHMARK(next_request<WriteOnly>)->Arg(4096)->Arg(1 << 20);
BENCHMARK(next_request<Mixed>)->Arg(4096);

// What a draw costs over 4 GiB in blocks of 4 KiB; the second argument is the exponent in hundredths.
void next_draw(benchmark::State& state) {
    const std::vector<common::Zone> zones = {{0.1, 60}, {0.2, 30}, {0.7, 10}};
    common::DistributionSetup setup;
    setup.kind = static_cast<common::DistributionKind>(state.range(0));
    setup.zipf_theta = static_cast<double>(state.range(1)) / 100;
    setup.zones = zones;
    common::Distribution distribution(1 << 20, setup, 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(distribution.next());
}
BENCHMARK(next_draw)
    ->ArgNames({"kind", "theta"})
    ->Args({0, 0})
    ->Args({1, 80})
    ->Args({1, 100})
    ->Args({1, 120})
    ->Args({2, 0})
    ->Args({3, 0})
    ->Args({4, 0});

// The stream for what is not plain: order, and what it does (0 reads, 1 plain writes, 2 writes of which half compresses
// away and half are copies, 3 writes of random data of which half are copies).
void next_shaped_request(benchmark::State& state) {
    const std::vector<Part> parts = {{0, 1 << 20}};
    std::vector<std::byte> buffer(4096);
    StreamSetup setup;
    setup.offsets = {parts, buffer.size(), 1};
    setup.operations = UINT64_MAX;
    setup.order = static_cast<Order>(state.range(0));
    setup.read_threshold = state.range(1) == 0 ? std::uint64_t{1} << 32 : 0;
    if (state.range(1) == 2) setup.data = {0.5, 0.5};
    if (state.range(1) == 3) setup.data = {0, 0.5};
    ShapedStream stream(setup);
    common::Request request;
    request.buffer = buffer.data();
    for (auto _ : state) {
        stream.next(request);
        benchmark::DoNotOptimize(request);
        benchmark::ClobberMemory();
    }
}
BENCHMARK(next_shaped_request)
    ->ArgNames({"order", "read_write_shaped"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({2, 0})
    ->Args({1, 1})
    ->Args({1, 2})
    ->Args({1, 3});

void next_arrival(benchmark::State& state) {
    assay_worker_block block{};
    block.arrival_process = static_cast<assay_arrival_process>(state.range(0));
    block.arrival_interval_ps = 100'000'000;
    sdk::Arrivals arrivals(block);
    for (auto _ : state) {
        arrivals.advance();
        benchmark::DoNotOptimize(arrivals);
    }
}
BENCHMARK(next_arrival)->ArgName("process")->Arg(ASSAY_ARRIVAL_CONSTANT)->Arg(ASSAY_ARRIVAL_POISSON);

void fill_layout_data(benchmark::State& state) {
    std::vector<std::byte> data(std::size_t{2} << 20);
    common::DataSource source(1);
    for (auto _ : state)
        source.fill(data);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(data.size()));
}
BENCHMARK(fill_layout_data);

} // namespace
} // namespace assay::block

BENCHMARK_MAIN();
