// The result of an invocation: everything a report, a check or a later audit may need, and nothing that can be
// derived. result/io turns it into result.json and back without loss.
//
// Plain data; no thread rules. Times named *_ns are CLOCK_MONOTONIC relative to Result::started, unless said otherwise.
#pragma once

#include "core/record/histogram.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay::result {

// Version of result.json; grows by one with every change that an older reader would misread.
inline constexpr int format_version = 1;

using Value = std::variant<std::string, std::int64_t, double, bool>;

struct Fact {
    std::string key;
    Value value;
    std::string unit;
    std::string source;
};

struct ErrorCount {
    std::string what; // "EIO (Input/output error)", "short transfer", "other"
    std::uint32_t domain = 0;
    std::uint32_t code = 0;
    std::uint64_t count = 0;
};

enum class OperationKind { read, write, other };

struct Operation {
    std::string name;
    OperationKind kind = OperationKind::other;
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
    std::vector<ErrorCount> error_counts;
    std::vector<std::pair<std::string, Histogram>> histograms; // the first is completion latency
};

struct Metric {
    std::string key;
    std::string unit;
    bool counter = true;     // growth over the window; a gauge is its last value
    std::uint64_t value = 0; // summed over workers
};

struct Worker {
    std::uint32_t index = 0;
    int cpu = -1; // pinned to, -1: not pinned
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    std::int64_t started_ns = 0;
    std::int64_t ended_ns = 0;
    std::int64_t cpu_user_ns = 0; // of the thread, in the window
    std::int64_t cpu_system_ns = 0;
    double mean_in_flight = 0; // 0 where the workload does not measure it
    // In the window the thread was ready and waited for a CPU; nothing where the kernel does not count it.
    std::optional<std::int64_t> run_wait_ns = {};
    // Its share of Phase::operations, in that order; empty unless the plan asks (per_worker).
    std::vector<Operation> each_operation = {};
};

// One interval of the series of one job and phase; differences, never totals.
struct SeriesPoint {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    struct PerOperation {
        std::uint64_t operations = 0;
        std::uint64_t bytes = 0;
        std::uint64_t errors = 0;
        std::uint64_t mean_ns = 0;
        std::uint64_t p50_ns = 0;
        std::uint64_t p99_ns = 0;
        std::uint64_t max_ns = 0;
        // Of an open loop, from the intended start; of those that completed in the interval.
        struct Response {
            std::uint64_t p50_ns = 0;
            std::uint64_t p99_ns = 0;
            std::uint64_t max_ns = 0;
        };
        std::optional<Response> response = {};
    };
    std::vector<PerOperation> operations; // in the order of Phase::operations
    double in_flight = 0;
    bool warmup = false;
};

// A phase whose requests started by a schedule (assay/abi/arrival.h).
struct Arrival {
    std::string process;           // "constant", "poisson"
    double offered_per_s = 0;      // over all workers
    std::uint64_t late_starts = 0; // in the window: every slot was taken when they were due
    // Due before the window closed and not started by then. Of a Poisson process the expectation.
    std::uint64_t missed_starts = 0;
};

enum class PhaseKind { setup, measured, teardown };
enum class PhaseEnd { time, work, stopped, failed, hung };

struct Phase {
    std::string name;
    PhaseKind kind = PhaseKind::measured;
    PhaseEnd end = PhaseEnd::time;
    std::int64_t warmup_ns = 0;       // cut out before the window
    std::int64_t window_start_ns = 0; // what the numbers below cover
    std::int64_t window_end_ns = 0;
    std::vector<Operation> operations;
    std::vector<Metric> metrics;
    std::vector<Worker> workers;
    std::vector<SeriesPoint> series;
    // Over the window, from the plugin's own measures; 0 / nullopt where it has none.
    double mean_in_flight = 0;                        // summed over workers
    std::optional<double> generator_ns_per_operation; // see ASSAY_ROLE_GENERATOR_TIME
    std::int64_t process_cpu_ns = 0;                  // user + system of the whole process, io_uring workers included
    std::optional<Arrival> arrival;                   // of an open loop

    [[nodiscard]] double window_s() const { return static_cast<double>(window_end_ns - window_start_ns) * 1e-9; }
};

// What a disk counted while a phase's window was open; whole-device, everyone's I/O.
struct DeviceDelta {
    std::string device; // "vda", "loop3", "zram0"
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t read_operations = 0;
    std::uint64_t write_operations = 0;
    bool valid = true;  // false: a counter went backwards or could not be read
    std::string source; // "/proc/diskstats"
    std::int64_t window_ns = 0;
};

struct Extents { // FIEMAP over the region of a file target
    bool known = false;
    std::string why_unknown;
    std::uint64_t region_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t unwritten_bytes = 0; // allocated, never written
    std::uint64_t hole_bytes = 0;
};

struct Target {
    std::string name; // as the user named it
    std::string kind; // "file", "block device", ...
    bool reads = false;
    bool writes = false;
    bool direct = false; // asked for
    std::uint64_t offset_bytes = 0;
    std::uint64_t length_bytes = 0;
    std::uint64_t unique_bytes = 0;
    std::vector<Fact> context;        // mount, file system, device and its queue settings below
    std::vector<std::string> devices; // block devices that carry it, whole disks whose counters are compared
    std::optional<Extents> extents;   // of files, taken right before measuring
};

struct Job {
    std::string name;
    std::string workload;
    std::vector<std::pair<std::string, std::string>> options; // canonical text, table order
    std::vector<std::string> given_options;                   // keys the user set
    std::uint32_t workers = 1;
    std::vector<Target> targets;
    std::vector<Fact> facts;
    std::vector<Phase> phases;
    std::vector<DeviceDelta> devices; // over the measured window of the last measured phase
    std::string failure;              // empty: fine; else the sentence that ended it
    bool cut_short = false;

    [[nodiscard]] const Fact* fact(const std::string& key) const;
    [[nodiscard]] const std::string* option(const std::string& key) const;
};

enum class Level { pass, note, unknown, suspect, invalid };

struct Evidence {
    std::string name;
    Value value;
    std::string unit;
    std::string source;
};

struct Verdict {
    std::string check; // "cache.client"
    int version = 1;   // of the check
    Level level = Level::pass;
    // Where it applies, e.g. "stage 1, point 2, repeat 1, job oltp, randread".
    std::string scope;
    // The same for programs, inside the repeat that holds the verdict; an empty phase or operation means all of them.
    std::string job;
    std::string phase;
    std::string operation;
    std::string message;    // what happened
    std::string arithmetic; // with the numbers filled in
    std::string threshold;  // the rule
    std::string remedy;     // what to do next
    std::vector<Evidence> evidence;
};

// What a sampler's series did around the load: of a counter its growth a second, of a gauge its value.
struct SampledSeries {
    std::string sampler; // "host"
    std::string metric;  // "cpu.softirq"
    std::string labels;  // "cpu=3"; as sampler.h lists them
    std::string unit;    // of the values: of a counter "B/s" and the like
    bool counter = false;
    struct Point {
        std::int64_t start_ns = 0; // of a gauge also the instant before it
        std::int64_t end_ns = 0;
        double value = 0;
    };
    std::vector<Point> points;
    std::uint64_t gaps = 0; // readings without a value: resets, wraps, failures

    // The value of one label; "" if there is none.
    [[nodiscard]] std::string_view label(std::string_view key) const;
};

struct Repeat {
    std::vector<Job> jobs;
    std::vector<Verdict> verdicts;
    std::vector<SampledSeries> samples = {}; // from before its first phase to after its last
};

struct Point {
    std::vector<std::pair<std::string, std::string>> parameters; // swept option -> text; empty without a sweep
    std::vector<Repeat> repeats;
};

struct Stage {
    std::string name;
    std::vector<Point> points;
};

struct Plugin {
    std::string name;
    std::string id;
    std::string version;
    std::string path;
    std::string sha256;
    std::string build_id;
};

struct Run {
    int format = format_version;
    std::string tool_version;
    std::string started; // UTC, ISO 8601
    std::int64_t duration_ns = 0;
    std::vector<std::string> command_line;
    std::string plan_name;
    std::string plan_yaml; // as checked and expanded
    std::vector<Fact> context;
    std::vector<Plugin> plugins;
    std::vector<Stage> stages;
    bool cut_short = false;
    std::string cut_reason; // "interrupted by SIGINT"
};

// The worst level of any verdict. pass when there is none.
Level worst_level(const Run& run);
std::string_view level_name(Level level); // "pass" ...
std::string_view phase_end_name(PhaseEnd end);
std::string_view phase_kind_name(PhaseKind kind);
std::string_view operation_kind_name(OperationKind kind);
// "EIO (Input/output error)", "short transfer", "other" for a (domain, code) of worker.h.
std::string error_text(std::uint32_t domain, std::uint32_t code);

} // namespace assay::result
