// fio's terse output, version 3: one line an entry, semicolons between fields, latencies in microseconds.
#include "tools/assay/dialects/fio/entries.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::cli::fio {
namespace {

constexpr std::size_t percentile_fields = 20;
constexpr double ns_per_us = 1000;

class TerseReport {
public:
    TerseReport(const Invocation& invocation, const result::Run& run) : report_(report_of(invocation, run)) {}

    std::string text() {
        for (const Entry& one : report_.entries)
            entry(one);
        return std::move(out_);
    }

private:
    template <class... Values>
    void print(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    }

    void entry(const Entry& entry) {
        print("3;{};{};{};{}", report_.version, entry.job->name, entry.job->group, entry.error);
        direction(entry, 0);
        direction(entry, 1);
        print(";{:.6f}%;{:.6f}%;0;0;0", entry.cpu_percent(entry.cpu_user_ns), entry.cpu_percent(entry.cpu_system_ns));
        for (const Bucket& bucket : depth_levels(entry))
            print(";{:.1f}%", bucket.percent);
        LatencyTable table = latency_table(entry);
        for (const Bucket& bucket : table.ns) // this version knows no nanoseconds
            table.us.front().percent += bucket.percent;
        for (const std::vector<Bucket>* buckets : {&table.us, &table.ms})
            for (const Bucket& bucket : *buckets)
                print(";{:.2f}%", bucket.percent);
        for (const Disk& disk : report_.disks)
            print(";{};{};{};{};{};{};{};{};{:.2f}%", disk.name, disk.reads, disk.writes, disk.reads_merged,
                  disk.writes_merged, disk.read_ms, disk.write_ms, disk.queue_ms, disk.busy_percent);
        if (!entry.job->description.empty()) print(";{}", entry.job->description);
        print("\n");
    }

    void direction(const Entry& entry, std::size_t at) {
        const Direction& direction = entry.directions[at];
        const Reporting& reporting = entry.job->reporting;
        const Histogram none;
        const Histogram& completion = reporting.latency && reporting.completion ? direction.latency : none;
        const Histogram& total = reporting.latency && reporting.total ? direction.latency : none;
        print(";{};{};{};{}", direction.bytes / 1024, direction.whole_bytes_per_s() / 1024,
              static_cast<std::uint64_t>(direction.operations_per_s() + 1e-3),
              (direction.runtime_ns + 500'000) / 1'000'000);
        latency(none);
        latency(completion);
        percentiles(completion, reporting);
        latency(total);
        const Samples& bandwidth = direction.bandwidth;
        print(";{};{};{:.6f}%;{:.6f};{:.6f}", static_cast<std::uint64_t>(bandwidth.min + 1e-3),
              static_cast<std::uint64_t>(bandwidth.max + 1e-3), report_.percent_of_group(entry, at), bandwidth.mean,
              bandwidth.deviation);
    }

    void latency(const Histogram& histogram) {
        print(";{};{};{:.6f};{:.6f}", histogram.min_ns() / 1000, histogram.max_ns() / 1000,
              histogram.mean_ns() / ns_per_us, histogram.stddev_ns() / ns_per_us);
    }

    // Always as many as fio can list.
    void percentiles(const Histogram& histogram, const Reporting& reporting) {
        const std::vector<double>& list = percentiles_of(reporting);
        for (std::size_t at = 0; at < percentile_fields; ++at) {
            if (at < list.size() && reporting.clat_percentiles)
                print(";{:.6f}%={}", list[at], histogram.count() == 0 ? 0 : histogram.percentile_ns(list[at]) / 1000);
            else
                print(";0%=0");
        }
    }

    const Report report_;
    std::string out_;
};

} // namespace

std::string to_terse(const Invocation& invocation, const result::Run& run) {
    return TerseReport(invocation, run).text();
}

} // namespace assay::cli::fio
