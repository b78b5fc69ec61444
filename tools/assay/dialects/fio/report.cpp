// From entries to a report: groups, and what all jobs of one have in common.
#include "tools/assay/dialects/fio/entries.hpp"
#include "tools/assay/dialects/fio/measured.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace assay::cli::fio {
namespace {

void add(std::map<std::uint32_t, std::uint64_t>& into, const std::map<std::uint32_t, std::uint64_t>& more) {
    for (const auto& [value, count] : more)
        into[value] += count;
}

// Two jobs of one group, which is reported as one.
void merge(Entry& into, const Entry& more) {
    into.clones += more.clones;
    if (into.error == 0) into.error = more.error;
    if (into.first_error == 0) into.first_error = more.first_error;
    for (std::size_t at = 0; at < into.directions.size(); ++at) {
        Direction& direction = into.directions[at];
        const Direction& other = more.directions[at];
        direction.bytes += other.bytes;
        direction.operations += other.operations;
        direction.failed += other.failed;
        direction.short_transfers += other.short_transfers;
        direction.latency.merge(other.latency);
        direction.runtime_ns = std::max(direction.runtime_ns, other.runtime_ns);
        direction.bandwidth = summed(direction.bandwidth, other.bandwidth);
        direction.iops = summed(direction.iops, other.iops);
    }
    into.syncs += more.syncs;
    into.sync_latency.merge(more.sync_latency);
    into.clones_runtime_ns += more.clones_runtime_ns;
    into.ended_ns = std::max(into.ended_ns, more.ended_ns);
    into.cpu_user_ns += more.cpu_user_ns;
    into.cpu_system_ns += more.cpu_system_ns;
    into.depth = std::max(into.depth, more.depth);
    add(into.operations_at_depth, more.operations_at_depth);
    add(into.operations_at_submit_batch, more.operations_at_submit_batch);
    add(into.operations_at_complete_batch, more.operations_at_complete_batch);
}

std::map<unsigned, Group> groups_of(const std::vector<Entry>& entries) {
    std::map<unsigned, Group> groups;
    for (const Entry& entry : entries) {
        for (std::size_t at = 0; at < entry.directions.size(); ++at) {
            const Direction& direction = entry.directions[at];
            GroupTotal& total = groups[entry.job->group][at];
            if (direction.runtime_ns == 0) continue;
            const bool first = total.longest_ns == 0;
            const double bytes_per_s = direction.bytes_per_s();
            total.bytes += direction.bytes;
            total.slowest_bytes_per_s = first ? bytes_per_s : std::min(total.slowest_bytes_per_s, bytes_per_s);
            total.fastest_bytes_per_s = std::max(total.fastest_bytes_per_s, bytes_per_s);
            total.shortest_ns = first ? direction.runtime_ns : std::min(total.shortest_ns, direction.runtime_ns);
            total.longest_ns = std::max(total.longest_ns, direction.runtime_ns);
            total.bytes_per_s = static_cast<double>(total.bytes) * 1e9 / static_cast<double>(total.longest_ns);
        }
    }
    return groups;
}

std::int64_t since_1970_ms(const result::Run& run) {
    std::tm parts{};
    if (strptime(run.started.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return 0;
    return static_cast<std::int64_t>(timegm(&parts)) * 1000 + run.duration_ns / 1'000'000;
}

} // namespace

double Report::percent_of_group(const Entry& entry, std::size_t direction) const {
    const double all = groups.at(entry.job->group)[direction].bytes_per_s;
    return all > 0 ? std::min(100.0, 100.0 * entry.directions[direction].bandwidth.mean * 1024 / all) : 0;
}

Report report_of(const Invocation& invocation, const result::Run& run) {
    Report report;
    report.version = "fio-3.33-assay-" + run.tool_version;
    report.finished_ms = since_1970_ms(run);
    const Job* previous = nullptr;
    for (const Job& job : invocation.jobs) {
        // fio goes on with the entry of the job before if both are of one group and this one asks for it.
        const bool joins = previous != nullptr && job.group_reporting && previous->group == job.group;
        for (Entry& entry : entries_of(invocation, job, run)) {
            if (joins)
                merge(report.entries.back(), entry);
            else
                report.entries.push_back(std::move(entry));
        }
        previous = &job;
    }
    report.groups = groups_of(report.entries);
    report.disks = disks_of(run);
    return report;
}

} // namespace assay::cli::fio
