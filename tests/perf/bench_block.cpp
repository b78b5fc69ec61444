// What the block workload's generator costs a request, without any system call: where it goes, and what is written.
#include "plugins/block/stream.hpp"
#include "plugins/common/data.hpp"
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
