#include "tools/assay/dialects/fio/measured.hpp"

#include <algorithm>
#include <cmath>

namespace assay::cli::fio {
namespace {

struct Window {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
};

const result::Phase* last_measured(const result::Job& job) {
    const result::Phase* last = nullptr;
    for (const result::Phase& phase : job.phases)
        if (phase.kind == result::PhaseKind::measured) last = &phase;
    return last;
}

// A fio run sweeps nothing and repeats nothing: a stage has one point of one repeat.
const result::Repeat* only_repeat(const result::Stage& stage) {
    if (stage.points.empty() || stage.points.front().repeats.empty()) return nullptr;
    return &stage.points.front().repeats.front();
}

// What a sampled counter of the disk grew by in the window; 0 where nothing sampled it.
double growth(const result::Repeat& repeat, const std::string& disk, std::string_view metric, const Window& window) {
    double sum = 0;
    for (const result::SampledSeries& series : repeat.samples) {
        if (series.metric != metric || !series.counter || series.label("device") != disk) continue;
        for (const result::SampledSeries::Point& point : series.points) {
            const std::int64_t inside_ns =
                std::min(point.end_ns, window.end_ns) - std::max(point.start_ns, window.start_ns);
            if (inside_ns > 0) sum += point.value * static_cast<double>(inside_ns) * 1e-9;
        }
    }
    return sum;
}

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

struct Seen {
    const result::DeviceDelta* counted = nullptr;
    Window window;
};

std::vector<Seen> devices_of(const result::Repeat& repeat) {
    std::vector<Seen> all;
    for (const result::Job& job : repeat.jobs) {
        const result::Phase* phase = last_measured(job);
        if (phase == nullptr) continue;
        for (const result::DeviceDelta& device : job.devices) {
            if (!device.valid) continue;
            const Seen seen{&device, {phase->window_start_ns, phase->window_end_ns}};
            const auto known = std::find_if(all.begin(), all.end(),
                                            [&](const Seen& one) { return one.counted->device == device.device; });
            if (known == all.end())
                all.push_back(seen);
            else if (known->counted->read_operations + known->counted->write_operations <
                     device.read_operations + device.write_operations)
                *known = seen;
        }
    }
    return all;
}

} // namespace

Measured find_measured(const result::Run& run, const Job& job) {
    if (job.stage >= run.stages.size()) return {};
    const result::Repeat* repeat = only_repeat(run.stages[job.stage]);
    if (repeat == nullptr) return {};
    for (const result::Job& one : repeat->jobs)
        if (one.name == job.plan_job) return {&one, last_measured(one)};
    return {};
}

std::vector<Disk> disks_of(const result::Run& run) {
    struct Total {
        Disk disk;
        double busy_s = 0;
        double time_s = 0;
    };
    std::vector<Total> totals;
    for (const result::Stage& stage : run.stages) {
        const result::Repeat* repeat = only_repeat(stage);
        if (repeat == nullptr) continue;
        for (const auto& [counted, window] : devices_of(*repeat)) {
            const std::string& name = counted->device;
            auto total =
                std::find_if(totals.begin(), totals.end(), [&](const Total& one) { return one.disk.name == name; });
            if (total == totals.end()) {
                total = totals.insert(totals.end(), Total{});
                total->disk.name = name;
            }
            const auto grown = [&, &seen = window](std::string_view metric) {
                return growth(*repeat, name, metric, seen);
            };
            Disk& disk = total->disk;
            disk.reads += counted->read_operations;
            disk.writes += counted->write_operations;
            disk.reads_merged += rounded(grown("disk.reads_merged"));
            disk.writes_merged += rounded(grown("disk.writes_merged"));
            disk.read_ms += rounded(grown("disk.read_time") * 1000);
            disk.write_ms += rounded(grown("disk.write_time") * 1000);
            disk.queue_ms += rounded(grown("disk.queue_time") * 1000);
            total->busy_s += grown("disk.busy");
            total->time_s += static_cast<double>(window.end_ns - window.start_ns) * 1e-9;
        }
    }
    std::vector<Disk> disks;
    for (const Total& total : totals) {
        disks.push_back(total.disk);
        if (total.time_s > 0) disks.back().busy_percent = std::min(100.0, 100.0 * total.busy_s / total.time_s);
    }
    return disks;
}

} // namespace assay::cli::fio
