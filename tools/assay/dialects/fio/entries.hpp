// What fio's report is made of, taken from our result: entries (a clone, a job or a group), groups and disks. The
// outputs only format it, so no two of them can disagree.
//
// Plain data and pure functions; any thread.
#pragma once

#include "core/record/histogram.hpp"
#include "core/result/model.hpp"
#include "tools/assay/dialects/fio/asked.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::cli::fio {

// Of the rates of the intervals of a series.
struct Samples {
    double min = 0;
    double max = 0;
    double mean = 0;
    double deviation = 0; // of a sample: over n - 1
    std::uint64_t count = 0;
};

struct Direction {
    std::uint64_t bytes = 0;
    std::uint64_t operations = 0; // completed successfully
    std::uint64_t failed = 0;
    std::uint64_t short_transfers = 0; // of the failed
    Histogram latency;
    std::int64_t runtime_ns = 0; // 0 where nothing was done
    Samples bandwidth;           // KiB/s
    Samples iops;

    [[nodiscard]] std::uint64_t issued() const { return operations + failed; }
    [[nodiscard]] double bytes_per_s() const;
    [[nodiscard]] std::uint64_t whole_bytes_per_s() const;
    [[nodiscard]] double operations_per_s() const;
};

inline constexpr std::array<const char*, 3> direction_names = {"read", "write", "trim"};

// One element of jobs[].
struct Entry {
    const Job* job = nullptr; // the first one of a group
    unsigned clones = 1;
    int error = 0;          // errno of what ended it
    bool continues = false; // errors do not end it, but are counted
    int first_error = 0;    // errno
    LatencyGoal goal;
    std::array<Direction, direction_names.size()> directions;
    std::uint64_t syncs = 0;
    Histogram sync_latency;
    std::int64_t clones_runtime_ns = 0; // summed over clones
    std::int64_t ended_ns = 0;          // since the start of the run
    std::int64_t cpu_user_ns = 0;
    std::int64_t cpu_system_ns = 0;
    std::uint32_t depth = 1;
    std::map<std::uint32_t, std::uint64_t> operations_at_depth;
    std::map<std::uint32_t, std::uint64_t> operations_at_submit_batch;
    std::map<std::uint32_t, std::uint64_t> operations_at_complete_batch;

    [[nodiscard]] Histogram latency() const; // of all directions
    [[nodiscard]] bool idle() const;         // nothing was done, and nothing failed
    [[nodiscard]] std::uint64_t failed() const;
    [[nodiscard]] double cpu_percent(std::int64_t cpu_ns) const;
};

// The `Run status group` of one direction.
struct GroupTotal {
    std::uint64_t bytes = 0;
    double bytes_per_s = 0; // all bytes over the longest runtime
    double slowest_bytes_per_s = 0;
    double fastest_bytes_per_s = 0;
    std::int64_t shortest_ns = 0;
    std::int64_t longest_ns = 0;
};
using Group = std::array<GroupTotal, direction_names.size()>;

struct Disk {
    std::string name;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t reads_merged = 0;
    std::uint64_t writes_merged = 0;
    std::uint64_t read_ms = 0;
    std::uint64_t write_ms = 0;
    std::uint64_t queue_ms = 0;
    double busy_percent = 0;
};

struct Report {
    std::vector<Entry> entries;
    std::map<unsigned, Group> groups;
    std::vector<Disk> disks;
    std::string version;
    std::int64_t finished_ms = 0; // since 1970

    // Share of the group's bandwidth, at most 100.
    [[nodiscard]] double percent_of_group(const Entry& entry, std::size_t direction) const;
};

// Of one job: one, or one a clone where these are told apart.
std::vector<Entry> entries_of(const Invocation& invocation, const Job& job, const result::Run& run);
Report report_of(const Invocation& invocation, const result::Run& run);

// The clones' and jobs' bandwidths as if they were sampled together.
Samples summed(const Samples& a, const Samples& b);
Samples samples_of(const std::vector<double>& values);

// The shares of fio's tables, in percent, in the order of the keys. Of a share that is not zero but would print as it,
// fio says the least it prints, and so do we.
struct Bucket {
    const char* key;
    double percent;
};
std::vector<Bucket> depth_levels(const Entry& entry);
std::vector<Bucket> submit_batches(const Entry& entry);
std::vector<Bucket> complete_batches(const Entry& entry);
struct LatencyTable {
    std::vector<Bucket> ns;
    std::vector<Bucket> us;
    std::vector<Bucket> ms;
};
LatencyTable latency_table(const Entry& entry);

} // namespace assay::cli::fio
