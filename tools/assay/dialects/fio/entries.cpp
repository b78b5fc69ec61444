#include "tools/assay/dialects/fio/entries.hpp"

#include "assay/abi/target.h"
#include "assay/abi/worker.h"
#include "tools/assay/dialects/fio/measured.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <utility>

namespace assay::cli::fio {
namespace {

constexpr double ns_per_s = 1e9;

double rate(double amount, std::int64_t time_ns) {
    return time_ns > 0 ? amount / static_cast<double>(time_ns) * ns_per_s : 0;
}

std::uint32_t depth_of(const result::Job& job) {
    const result::Fact* fact = job.fact(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH);
    const auto* depth = fact == nullptr ? nullptr : std::get_if<std::int64_t>(&fact->value);
    return depth == nullptr ? 1 : static_cast<std::uint32_t>(std::clamp<std::int64_t>(*depth, 1, UINT32_MAX));
}

std::uint32_t complete_batch_of(const result::Job& job) {
    const result::Fact* fact = job.fact(ASSAY_FACT_MEAN_REAP_BATCH);
    const auto* mean = fact == nullptr ? nullptr : std::get_if<double>(&fact->value);
    return mean == nullptr ? 1 : static_cast<std::uint32_t>(std::clamp<double>(std::round(*mean), 1, UINT32_MAX));
}

// The code that most of the failed operations had; EIO where something failed without one.
int error_of(const std::vector<result::Operation>& operations, bool failed) {
    const result::ErrorCount* most = nullptr;
    for (const result::Operation& operation : operations) {
        failed = failed || operation.errors > 0;
        for (const result::ErrorCount& count : operation.error_counts)
            if (count.domain == ASSAY_ERROR_DOMAIN_ERRNO && (most == nullptr || count.count > most->count))
                most = &count;
    }
    if (most != nullptr) return static_cast<int>(std::min<std::uint32_t>(most->code, INT32_MAX));
    return failed ? EIO : 0;
}

std::optional<std::size_t> direction_of(const result::Operation& operation) {
    if (operation.kind == result::OperationKind::read) return 0;
    if (operation.kind == result::OperationKind::write) return 1;
    if (operation.name == "trim" || operation.name == "discard") return 2;
    return std::nullopt;
}

void add(Entry& entry, const std::vector<result::Operation>& operations, std::int64_t runtime_ns) {
    for (const result::Operation& operation : operations) {
        const std::optional<std::size_t> at = direction_of(operation);
        if (!at) {
            entry.syncs += operation.operations;
            if (!operation.histograms.empty()) entry.sync_latency.merge(operation.histograms.front().second);
            continue;
        }
        Direction& direction = entry.directions[*at];
        direction.bytes += operation.bytes;
        direction.operations += operation.operations;
        direction.failed += operation.errors;
        for (const result::ErrorCount& count : operation.error_counts)
            if (count.domain == ASSAY_ERROR_DOMAIN_SHORT) direction.short_transfers += count.count;
        if (!operation.histograms.empty()) direction.latency.merge(operation.histograms.front().second);
        if (operation.operations + operation.errors > 0) direction.runtime_ns = runtime_ns;
    }
}

std::int64_t runtime_of(const result::Worker& worker, const result::Phase& phase) {
    return std::max<std::int64_t>(
        std::min(worker.ended_ns, phase.window_end_ns) - std::max(worker.started_ns, phase.window_start_ns), 0);
}

// The entries of one job: one, or one a clone where these are told apart.
class JobEntries {
public:
    JobEntries(const Invocation& invocation, const Job& job, const Measured& measured)
        : invocation_(invocation), job_(job), measured_(measured) {}

    std::vector<Entry> make() const {
        if (measured_.phase == nullptr) return {with_error({})};
        const std::vector<result::Worker>& workers = measured_.phase->workers;
        const bool known = std::all_of(workers.begin(), workers.end(),
                                       [](const result::Worker& worker) { return !worker.each_operation.empty(); });
        if (workers.size() < 2 || job_.group_reporting || !known) return {whole()};
        std::vector<Entry> entries;
        for (const result::Worker& worker : workers)
            entries.push_back(clone(worker));
        return entries;
    }

private:
    Entry with_error(const std::vector<result::Operation>& operations) const {
        Entry entry;
        entry.job = &job_;
        const bool ended_it = measured_.job == nullptr || !measured_.job->failure.empty();
        const int error = error_of(operations, ended_it);
        entry.continues = continues_on_error(invocation_, job_);
        if (entry.continues) entry.first_error = error;
        if (!entry.continues || ended_it) entry.error = error;
        entry.goal = latency_goal_of(invocation_, job_);
        return entry;
    }

    Entry clone(const result::Worker& worker) const {
        Entry entry = with_error(worker.each_operation);
        add(entry, worker.each_operation, runtime_of(worker, *measured_.phase));
        add_worker(entry, worker);
        finish(entry);
        return entry;
    }

    Entry whole() const {
        const result::Phase& phase = *measured_.phase;
        Entry entry = with_error(phase.operations);
        entry.clones = std::max(job_.numjobs, 1U);
        add(entry, phase.operations, phase.window_end_ns - phase.window_start_ns);
        for (const result::Worker& worker : phase.workers)
            add_worker(entry, worker);
        for (std::size_t at = 0; at < entry.directions.size() && job_.reporting.latency; ++at) {
            if (entry.directions[at].issued() == 0) continue;
            entry.directions[at].bandwidth = samples_of(interval_rates(phase, at, true));
            entry.directions[at].iops = samples_of(interval_rates(phase, at, false));
        }
        finish(entry);
        return entry;
    }

    void add_worker(Entry& entry, const result::Worker& worker) const {
        entry.clones_runtime_ns += runtime_of(worker, *measured_.phase);
        entry.cpu_user_ns += worker.cpu_user_ns;
        entry.cpu_system_ns += worker.cpu_system_ns;
    }

    void finish(Entry& entry) const {
        entry.ended_ns = measured_.phase->window_end_ns;
        entry.depth = depth_of(*measured_.job);
        std::uint64_t issued = 0;
        for (const Direction& direction : entry.directions)
            issued += direction.issued();
        if (issued == 0) return;
        entry.operations_at_depth[entry.depth] = issued;
        entry.operations_at_submit_batch[submit_batch_of(invocation_, job_, entry.depth)] = issued;
        entry.operations_at_complete_batch[complete_batch_of(*measured_.job)] = issued;
    }

    // Bytes in KiB or operations a second, an interval each. The rest of a window that is no multiple of the interval
    // is left out if it is short: it says more about the clock than about the device.
    static std::vector<double> interval_rates(const result::Phase& phase, std::size_t direction, bool bandwidth) {
        std::int64_t longest_ns = 0;
        for (const result::SeriesPoint& point : phase.series)
            if (!point.warmup) longest_ns = std::max(longest_ns, point.end_ns - point.start_ns);
        std::vector<double> rates;
        for (const result::SeriesPoint& point : phase.series) {
            const std::int64_t time_ns = point.end_ns - point.start_ns;
            if (point.warmup || time_ns <= 0 || time_ns < longest_ns / 2) continue;
            double amount = 0;
            for (std::size_t at = 0; at < std::min(point.operations.size(), phase.operations.size()); ++at) {
                if (direction_of(phase.operations[at]) != direction) continue;
                amount += bandwidth ? static_cast<double>(point.operations[at].bytes) / 1024
                                    : static_cast<double>(point.operations[at].operations);
            }
            rates.push_back(rate(amount, time_ns));
        }
        return rates;
    }

    const Invocation& invocation_;
    const Job& job_;
    const Measured measured_;
};

} // namespace

std::vector<Entry> entries_of(const Invocation& invocation, const Job& job, const result::Run& run) {
    return JobEntries(invocation, job, find_measured(run, job)).make();
}

double Direction::bytes_per_s() const { return rate(static_cast<double>(bytes), runtime_ns); }
double Direction::operations_per_s() const { return rate(static_cast<double>(operations), runtime_ns); }
// Down, as fio does; a rate that is whole but for the rounding of a double is whole.
std::uint64_t Direction::whole_bytes_per_s() const { return static_cast<std::uint64_t>(bytes_per_s() + 1e-3); }

Histogram Entry::latency() const {
    Histogram all;
    if (!job->reporting.latency || !(job->reporting.total || job->reporting.completion)) return all;
    for (const Direction& direction : directions)
        all.merge(direction.latency);
    return all;
}

bool Entry::idle() const {
    return error == 0 && syncs == 0 &&
           std::all_of(directions.begin(), directions.end(), [](const Direction& one) { return one.issued() == 0; });
}

std::uint64_t Entry::failed() const {
    std::uint64_t sum = 0;
    for (const Direction& direction : directions)
        sum += direction.failed;
    return sum;
}

double Entry::cpu_percent(std::int64_t cpu_ns) const {
    return clones_runtime_ns > 0 ? 100.0 * static_cast<double>(cpu_ns) / static_cast<double>(clones_runtime_ns) : 0;
}

Samples samples_of(const std::vector<double>& values) {
    Samples samples;
    if (values.empty()) return samples;
    samples.count = values.size();
    samples.min = *std::min_element(values.begin(), values.end());
    samples.max = *std::max_element(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    for (const double value : values)
        samples.mean += value / count;
    double squares = 0;
    for (const double value : values)
        squares += (value - samples.mean) * (value - samples.mean);
    if (values.size() > 1) samples.deviation = std::sqrt(squares / (count - 1));
    return samples;
}

Samples summed(const Samples& a, const Samples& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    return {a.min + b.min, a.max + b.max, a.mean + b.mean, std::hypot(a.deviation, b.deviation), a.count + b.count};
}

} // namespace assay::cli::fio
