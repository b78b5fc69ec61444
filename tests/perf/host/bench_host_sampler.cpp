// What the host sampler costs on a machine of 64 CPUs, with 200 interrupt lines that count on every CPU, 40 disks, 20
// interfaces and 1,500 processes.
//
// The files are ordinary ones, so this is the cost of reading and parsing, without that of the kernel making them up.
// Look at CPU time and at cpu_percent: the share of one CPU that a reading every 100 ms takes. The goal is below 2 %.
#include "plugins/host/sampler.hpp"
#include "plugins/host/thread_scan.hpp"
#include "tests/perf/host/fake_machine.hpp"

#include <benchmark/benchmark.h>

namespace assay::host {
namespace {

constexpr double reading_interval_s = 0.1;
constexpr double look_interval_s = 1;

const FakeMachine& machine() {
    static const FakeMachine machine{MachineSize{}};
    return machine;
}

Settings settings(std::vector<Group> groups) {
    Settings settings;
    settings.roots = machine().roots();
    settings.groups = std::move(groups);
    return settings;
}

// Seconds of CPU a call, over the seconds from call to call.
benchmark::Counter share_of_a_cpu(double interval_s) {
    return {interval_s / 100, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
}

// Ten busy threads must be on the list, as on a machine at work: list, burn, look, list again.
void read_repeatedly(benchmark::State& state, Settings with) {
    with.discover_every_ns = 1; // the first reading looks for busy threads, then that rests for long
    HostSampler sampler(with);
    sdk::SeriesList list;
    std::vector<assay_sample_value> values;
    std::vector<std::int64_t> group_ns;
    machine().burn(0);
    for (int round = 0; round < 3; ++round) {
        list = {};
        if (!sampler.list(list).ok()) return state.SkipWithError("no list");
        values.assign(list.size(), {});
        group_ns.assign(list.groups(), 0);
        machine().burn(100);
        if (sampler.read(sdk::Reading(values, group_ns)).ok() && sampler.read(sdk::Reading(values, group_ns)).ok())
            break;
    }
    for (auto _ : state) {
        if (!sampler.read(sdk::Reading(values, group_ns)).ok()) return state.SkipWithError("the list changed");
        benchmark::DoNotOptimize(values.data());
    }
    state.counters["cpu_percent"] = share_of_a_cpu(reading_interval_s);
    state.counters["series"] = static_cast<double>(list.size());
}

void everything(benchmark::State& state) { read_repeatedly(state, settings({})); }
BENCHMARK(everything)->Unit(benchmark::kMicrosecond);

void one_group(benchmark::State& state) { read_repeatedly(state, settings({static_cast<Group>(state.range(0))})); }
BENCHMARK(one_group)
    ->DenseRange(static_cast<int>(Group::cpu), static_cast<int>(Group::temperature))
    ->Unit(benchmark::kMicrosecond);

// Looking for busy threads, once a second.
void scan_of_processes(benchmark::State& state) {
    ThreadScan scan(machine().roots().proc);
    Buffer buffer;
    for (auto _ : state)
        benchmark::DoNotOptimize(scan.scan(buffer).size());
    state.counters["cpu_percent"] = share_of_a_cpu(look_interval_s);
}
BENCHMARK(scan_of_processes)->Unit(benchmark::kMicrosecond);

// A new list, each time a device or a busy thread comes.
void listing(benchmark::State& state) {
    HostSampler sampler(settings({}));
    for (auto _ : state) {
        sdk::SeriesList list;
        benchmark::DoNotOptimize(sampler.list(list).ok());
    }
}
BENCHMARK(listing)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace assay::host

BENCHMARK_MAIN();
