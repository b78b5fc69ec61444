// What the core adds to a reading of the host sampler: differencing, rules of overflow, and keeping the points, for as
// many series as bench_host_sampler lists on a machine of 64 CPUs.
//
// Look at cpu_percent beside that of bench_host_sampler's `everything`: both together are what sampling costs.
#include "core/sample/collector.hpp"
#include "tests/unit/sample/fake_sampler.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace assay::sample {
namespace {

constexpr double reading_interval_s = 0.1;

void collect(benchmark::State& state) {
    Fake machine;
    fake = &machine;
    std::vector<std::string> labels;
    const auto series = static_cast<std::size_t>(state.range(0));
    for (std::size_t i = 0; i < series; ++i)
        labels.push_back("cpu=" + std::to_string(i % 64) + ",interrupt=" + std::to_string(i / 64));
    for (const std::string& label : labels)
        machine.series.push_back({sizeof(assay_series), ASSAY_SERIES_COUNTER, ASSAY_VALUE_U64, ASSAY_OVERFLOW_WRAPS, 64,
                                  0, "interrupt.count", "interrupts", label.c_str(), "", 1, 0});
    machine.publish();
    std::uint64_t grown = 0;
    machine.read = [&](assay_reading& reading) {
        grown += 100;
        for (std::uint32_t i = 0; i < reading.value_count; ++i) {
            reading.values[i].as.u64 = grown;
            reading.values[i].present = 1;
        }
        reading.group_ns[0] = monotonic_ns();
        return assay_status{ASSAY_OK};
    };
    const assay_descriptor descriptor = fake_descriptor();
    std::vector<std::unique_ptr<Sampler>> samplers;
    samplers.push_back(std::move(*Sampler::create(descriptor, no_options(), {})));
    Collector collector(std::move(samplers), {});
    for (auto _ : state) {
        if (!collector.tick().ok()) return state.SkipWithError("no reading");
        benchmark::DoNotOptimize(collector.new_points().data());
    }
    state.counters["cpu_percent"] = benchmark::Counter(
        reading_interval_s / 100, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(collect)->Arg(1'000)->Arg(15'000)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace assay::sample

BENCHMARK_MAIN();
