#include "core/run/measures.hpp"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// A plugin with domains of its own could report thousands of kinds; the rarest are summed up past this many.
constexpr std::size_t error_kinds_max = 64;

result::OperationKind kind_of(assay_op_kind kind) {
    switch (kind) {
        case ASSAY_OP_READ:
            return result::OperationKind::read;
        case ASSAY_OP_WRITE:
            return result::OperationKind::write;
        default:
            return result::OperationKind::other;
    }
}

std::vector<result::ErrorCount> errors_of(std::vector<ErrorCount> counts) {
    std::stable_sort(counts.begin(), counts.end(),
                     [](const ErrorCount& a, const ErrorCount& b) { return a.count > b.count; });
    std::vector<result::ErrorCount> errors;
    for (std::size_t at = 0; at < counts.size(); ++at) {
        const ErrorCount& count = counts[at];
        if (at < error_kinds_max)
            errors.push_back({result::error_text(count.domain, count.code), count.domain, count.code, count.count});
        else if (at == error_kinds_max)
            errors.push_back(
                {result::error_text(ASSAY_ERROR_DOMAIN_OTHER, 0), ASSAY_ERROR_DOMAIN_OTHER, 0, count.count});
        else
            errors.back().count += count.count;
    }
    return errors;
}

double growth(const Snapshot& between, const RecorderShape& shape, assay_metric_role role, std::uint32_t worker) {
    double sum = 0;
    for (std::size_t metric = 0; metric < shape.metrics.size(); ++metric) {
        if (shape.metrics[metric].role == role) sum += static_cast<double>(between.worker_metrics[worker][metric]);
    }
    return sum;
}

namespace {

const Histogram* response_of(const OperationSnapshot& counted, const OperationShape& shape) {
    for (std::size_t index = 0; index < shape.histograms.size(); ++index)
        if (shape.histograms[index] == ASSAY_HISTOGRAM_RESPONSE) return &counted.histograms[index];
    return nullptr;
}

} // namespace

std::vector<result::Operation> operations_of(const std::vector<OperationSnapshot>& all, const RecorderShape& shape) {
    std::vector<result::Operation> operations;
    for (std::size_t at = 0; at < shape.operations.size(); ++at) {
        const OperationSnapshot& counted = all[at];
        result::Operation operation;
        operation.name = shape.operations[at].name;
        operation.kind = kind_of(shape.operations[at].kind);
        operation.operations = counted.operations;
        operation.bytes = counted.bytes;
        operation.errors = counted.errors;
        operation.error_counts = errors_of(counted.error_counts);
        for (std::size_t index = 0; index < counted.histograms.size(); ++index) {
            const std::string& histogram = shape.operations[at].histograms[index];
            const bool unused = histogram == ASSAY_HISTOGRAM_RESPONSE && counted.histograms[index].count() == 0;
            if (!unused) operation.histograms.emplace_back(histogram, counted.histograms[index]);
        }
        operations.push_back(std::move(operation));
    }
    return operations;
}

} // namespace

std::vector<result::Operation> operations_of(const Snapshot& between, const RecorderShape& shape) {
    return operations_of(between.operations, shape);
}

std::vector<result::Operation> operations_of(const Snapshot& between, const RecorderShape& shape,
                                             std::uint32_t worker) {
    if (worker >= between.worker_shares.size()) return {};
    return operations_of(between.worker_shares[worker], shape);
}

std::vector<result::Metric> metrics_of(const Snapshot& between, const RecorderShape& shape) {
    std::vector<result::Metric> metrics;
    for (std::size_t at = 0; at < shape.metrics.size(); ++at) {
        if (shape.metrics[at].role == ASSAY_ROLE_NEXT_START) continue; // instants: their sum means nothing
        result::Metric metric{shape.metrics[at].key, shape.metrics[at].unit,
                              shape.metrics[at].kind == ASSAY_METRIC_COUNTER, 0};
        for (const std::vector<std::uint64_t>& worker : between.worker_metrics)
            metric.value += worker[at];
        metrics.push_back(std::move(metric));
    }
    return metrics;
}

std::vector<result::SeriesPoint::PerOperation> interval_of(const Snapshot& between, const RecorderShape& shape) {
    std::vector<result::SeriesPoint::PerOperation> operations;
    for (std::size_t at = 0; at < between.operations.size(); ++at) {
        const OperationSnapshot& counted = between.operations[at];
        const Histogram& latency = counted.histograms.front();
        operations.push_back({counted.operations, counted.bytes, counted.errors,
                              static_cast<std::uint64_t>(latency.mean_ns()), latency.percentile_ns(50),
                              latency.percentile_ns(99), latency.max_ns()});
        const Histogram* response = response_of(counted, shape.operations[at]);
        if (response != nullptr && response->count() > 0)
            operations.back().response = {response->percentile_ns(50), response->percentile_ns(99), response->max_ns()};
    }
    return operations;
}

double mean_in_flight(const Snapshot& between, const RecorderShape& shape, std::uint32_t worker,
                      std::int64_t duration_ns) {
    if (duration_ns <= 0) return 0;
    return growth(between, shape, ASSAY_ROLE_IN_FLIGHT_TIME, worker) / static_cast<double>(duration_ns);
}

double mean_in_flight(const Snapshot& between, const RecorderShape& shape, std::int64_t duration_ns) {
    double sum = 0;
    for (std::uint32_t worker = 0; worker < between.worker_metrics.size(); ++worker)
        sum += mean_in_flight(between, shape, worker, duration_ns);
    return sum;
}

std::optional<double> generator_ns_per_operation(const Snapshot& between, const RecorderShape& shape) {
    const bool declared = std::any_of(shape.metrics.begin(), shape.metrics.end(), [](const MetricShape& metric) {
        return metric.role == ASSAY_ROLE_GENERATOR_TIME;
    });
    std::uint64_t operations = 0;
    for (const std::uint64_t worker : between.worker_operations)
        operations += worker;
    if (!declared || operations == 0) return std::nullopt;
    double time_ns = 0;
    for (std::uint32_t worker = 0; worker < between.worker_metrics.size(); ++worker)
        time_ns += growth(between, shape, ASSAY_ROLE_GENERATOR_TIME, worker);
    return time_ns / static_cast<double>(operations);
}

bool can_be_paced(const RecorderShape& shape) {
    return std::any_of(shape.metrics.begin(), shape.metrics.end(),
                       [](const MetricShape& metric) { return metric.role == ASSAY_ROLE_NEXT_START; });
}

result::Arrival arrival_of(const Snapshot& between, const RecorderShape& shape, assay_arrival_process process,
                           double rate_per_s, std::int64_t window_start_ns, std::int64_t window_end_ns) {
    result::Arrival arrival;
    arrival.process = process == ASSAY_ARRIVAL_POISSON ? "poisson" : "constant";
    arrival.offered_per_s = rate_per_s;
    const double window_s = static_cast<double>(std::max<std::int64_t>(window_end_ns - window_start_ns, 0)) * 1e-9;
    const double each_per_s = rate_per_s / static_cast<double>(std::max<std::size_t>(between.worker_metrics.size(), 1));
    double missed = 0;
    for (std::uint32_t worker = 0; worker < between.worker_metrics.size(); ++worker) {
        arrival.late_starts += static_cast<std::uint64_t>(growth(between, shape, ASSAY_ROLE_LATE_STARTS, worker));
        const double next_ns = growth(between, shape, ASSAY_ROLE_NEXT_START, worker); // a gauge: its value
        const double behind_ns = static_cast<double>(window_end_ns) - next_ns;
        if (next_ns <= 0 || behind_ns <= 0) continue;
        // The one that is due at next_ns, and those in the time since; what the warm-up left behind is not the
        // window's.
        const double due = std::floor(behind_ns * 1e-9 * each_per_s) + 1;
        missed += std::min(due, window_s * each_per_s);
    }
    arrival.missed_starts = static_cast<std::uint64_t>(missed);
    return arrival;
}

Histogram response_time(const Snapshot& between, const RecorderShape& shape) {
    Histogram response;
    for (std::size_t at = 0; at < between.operations.size(); ++at)
        if (const Histogram* one = response_of(between.operations[at], shape.operations[at]); one != nullptr)
            response.merge(*one);
    return response;
}

Histogram completion_latency(const Snapshot& between) {
    Histogram latency;
    for (const OperationSnapshot& operation : between.operations)
        latency.merge(operation.histograms.front());
    return latency;
}

} // namespace assay
