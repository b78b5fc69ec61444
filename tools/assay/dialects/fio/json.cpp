// fio's JSON: its keys, types and units, in its order.
#include "tools/assay/dialects/fio/entries.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ctime>

namespace assay::cli::fio {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;

std::string local_time(std::int64_t since_1970_ms) {
    const auto seconds = static_cast<std::time_t>(since_1970_ms / 1000);
    std::tm parts{};
    std::array<char, 64> text{};
    if (localtime_r(&seconds, &parts) == nullptr) return {};
    return {text.data(), std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts)};
}

Json pairs(const Pairs& options) {
    Json object = Json::object();
    for (const auto& [key, value] : options)
        object[key] = value;
    return object;
}

Json buckets(const std::vector<Bucket>& table) {
    Json object = Json::object();
    for (const Bucket& bucket : table)
        object[bucket.key] = bucket.percent;
    return object;
}

// A whole number that cannot be more than 64 bits hold.
std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }
std::int64_t milliseconds(std::int64_t ns) { return (ns + ns_per_ms / 2) / ns_per_ms; }

class JsonReport {
public:
    JsonReport(const Invocation& invocation, const result::Run& run, bool plus)
        : invocation_(invocation), report_(report_of(invocation, run)), plus_(plus) {}

    Json document() const {
        Json root;
        root["fio version"] = report_.version;
        root["timestamp"] = report_.finished_ms / 1000;
        root["timestamp_ms"] = report_.finished_ms;
        root["time"] = local_time(report_.finished_ms);
        if (!invocation_.global_options.empty()) root["global options"] = pairs(invocation_.global_options);
        root["jobs"] = Json::array();
        for (const Entry& one : report_.entries)
            root["jobs"].push_back(entry(one));
        // Like fio: no key where no disk is known (a file system in memory).
        for (const Disk& one : report_.disks)
            root["disk_util"].push_back(disk(one));
        return root;
    }

private:
    Json entry(const Entry& entry) const {
        const Job& job = *entry.job;
        Json object;
        object["jobname"] = job.name;
        object["groupid"] = job.group;
        object["error"] = entry.error;
        object["eta"] = 0;
        object["elapsed"] = (entry.ended_ns + ns_per_s - 1) / ns_per_s;
        object["job options"] = pairs(job.options);
        for (std::size_t at = 0; at < direction_names.size(); ++at)
            object[direction_names[at]] = direction(entry, at);
        object["sync"] = {{"total_ios", entry.syncs}};
        object["sync"]["lat_ns"] = latency(job.reporting.latency ? entry.sync_latency : Histogram(), job.reporting,
                                           job.reporting.clat_percentiles);
        object["job_runtime"] = milliseconds(entry.clones_runtime_ns);
        object["usr_cpu"] = entry.cpu_percent(entry.cpu_user_ns);
        object["sys_cpu"] = entry.cpu_percent(entry.cpu_system_ns);
        for (const char* unknown : {"ctx", "majf", "minf"}) // not counted; a reader that needs the key finds it
            object[unknown] = 0;
        object["iodepth_level"] = buckets(depth_levels(entry));
        object["iodepth_submit"] = buckets(submit_batches(entry));
        object["iodepth_complete"] = buckets(complete_batches(entry));
        const LatencyTable table = latency_table(entry);
        object["latency_ns"] = buckets(table.ns);
        object["latency_us"] = buckets(table.us);
        object["latency_ms"] = buckets(table.ms);
        if (entry.continues) {
            object["total_err"] = entry.failed();
            object["first_error"] = entry.first_error;
        }
        object["latency_depth"] = entry.depth;
        object["latency_target"] = entry.goal.target_ns;
        object["latency_percentile"] = entry.goal.percentile;
        object["latency_window"] = entry.goal.window_us;
        if (!job.description.empty()) object["desc"] = job.description;
        return object;
    }

    Json direction(const Entry& entry, std::size_t at) const {
        const Direction& direction = entry.directions[at];
        const Reporting& reporting = entry.job->reporting;
        Json object;
        object["io_bytes"] = direction.bytes;
        object["io_kbytes"] = direction.bytes / 1024;
        object["bw_bytes"] = direction.whole_bytes_per_s();
        object["bw"] = direction.whole_bytes_per_s() / 1024;
        object["iops"] = direction.operations_per_s();
        object["runtime"] = milliseconds(direction.runtime_ns);
        object["total_ios"] = direction.issued();
        object["short_ios"] = direction.short_transfers;
        object["drop_ios"] = 0;
        const Histogram none;
        const bool completion = reporting.latency && reporting.completion;
        const bool total = reporting.latency && reporting.total;
        object["slat_ns"] = latency(none, reporting, false); // our loops do not stop the clock between the two
        object["clat_ns"] = latency(completion ? direction.latency : none, reporting, reporting.clat_percentiles);
        object["lat_ns"] = latency(total ? direction.latency : none, reporting, reporting.lat_percentiles);
        object["bw_min"] = whole(direction.bandwidth.min);
        object["bw_max"] = whole(direction.bandwidth.max);
        object["bw_agg"] = report_.percent_of_group(entry, at);
        object["bw_mean"] = direction.bandwidth.mean;
        object["bw_dev"] = direction.bandwidth.deviation;
        object["bw_samples"] = direction.bandwidth.count;
        object["iops_min"] = whole(direction.iops.min);
        object["iops_max"] = whole(direction.iops.max);
        object["iops_mean"] = direction.iops.mean;
        object["iops_stddev"] = direction.iops.deviation;
        object["iops_samples"] = direction.iops.count;
        return object;
    }

    Json latency(const Histogram& histogram, const Reporting& reporting, bool percentiles) const {
        Json object;
        object["min"] = histogram.min_ns();
        object["max"] = histogram.max_ns();
        object["mean"] = histogram.mean_ns();
        object["stddev"] = histogram.stddev_ns();
        object["N"] = histogram.count();
        if (!percentiles || histogram.count() == 0) return object;
        Json values = Json::object();
        for (const double percent : percentiles_of(reporting))
            values[fmt::format("{:.6f}", percent)] = histogram.percentile_ns(percent);
        object["percentile"] = std::move(values);
        if (!plus_) return object;
        Json bins = Json::object();
        for (const auto& [index, count] : histogram.sparse())
            bins[fmt::format("{}", assay_histogram_lower_ns(index))] = count;
        object["bins"] = std::move(bins);
        return object;
    }

    static Json disk(const Disk& disk) {
        return {{"name", disk.name},
                {"read_ios", disk.reads},
                {"write_ios", disk.writes},
                {"read_merges", disk.reads_merged},
                {"write_merges", disk.writes_merged},
                {"read_ticks", disk.read_ms},
                {"write_ticks", disk.write_ms},
                {"in_queue", disk.queue_ms},
                {"util", disk.busy_percent}};
    }

    const Invocation& invocation_;
    const Report report_;
    const bool plus_;
};

} // namespace

std::string to_json(const Invocation& invocation, const result::Run& run, bool plus) {
    // A file name in an option may be no UTF-8, and a reader would stop at it.
    return JsonReport(invocation, run, plus).document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace assay::cli::fio
