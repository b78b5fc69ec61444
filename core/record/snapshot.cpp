#include "core/base/clock.hpp"
#include "core/record/region.hpp"

#include <algorithm>

namespace assay {
namespace {

std::uint64_t load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

std::uint64_t grown(std::uint64_t later, std::uint64_t earlier) { return later > earlier ? later - earlier : 0; }

void add_error(std::vector<ErrorCount>& counts, const ErrorCount& more) {
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const ErrorCount& count) {
        return count.domain == more.domain && count.code == more.code;
    });
    if (known == counts.end())
        counts.push_back(more);
    else
        known->count += more.count;
}

void add_errors(char* op, std::vector<ErrorCount>& counts) {
    const assay_error_slot* slots = assay_op_error_slots(op);
    for (std::uint32_t at = 0; at < ASSAY_ERROR_SLOTS; ++at) {
        const std::uint32_t domain = __atomic_load_n(&slots[at].domain, __ATOMIC_ACQUIRE);
        const std::uint64_t count = load(slots[at].count);
        if (domain != 0 && count != 0) add_error(counts, {domain, slots[at].code, count});
    }
}

struct Moved {
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
};

// Adds what one operation of one lane has counted; returns that lane's own share.
Moved add_operation(char* op, OperationSnapshot& into) {
    const assay_op_counters& counters = *assay_op_counters_of(op);
    const Moved moved{load(counters.operations), load(counters.bytes)};
    into.operations += moved.operations;
    into.bytes += moved.bytes;
    into.errors += load(counters.errors);
    add_errors(op, into.error_counts);
    for (std::uint32_t index = 0; index < into.histograms.size(); ++index)
        into.histograms[index].add_live(*assay_op_histogram(op, index));
    return moved;
}

void merge(OperationSnapshot& into, const OperationSnapshot& more) {
    into.operations += more.operations;
    into.bytes += more.bytes;
    into.errors += more.errors;
    for (const ErrorCount& count : more.error_counts)
        add_error(into.error_counts, count);
    for (std::size_t index = 0; index < into.histograms.size(); ++index)
        into.histograms[index].merge(more.histograms[index]);
}

OperationSnapshot difference(const OperationSnapshot& later, const OperationSnapshot& earlier) {
    OperationSnapshot between;
    between.operations = grown(later.operations, earlier.operations);
    between.bytes = grown(later.bytes, earlier.bytes);
    between.errors = grown(later.errors, earlier.errors);
    for (ErrorCount count : later.error_counts) {
        for (const ErrorCount& before : earlier.error_counts) {
            if (before.domain == count.domain && before.code == count.code)
                count.count = grown(count.count, before.count);
        }
        if (count.count != 0) between.error_counts.push_back(count);
    }
    for (std::size_t at = 0; at < later.histograms.size(); ++at)
        between.histograms.push_back(Histogram::difference(later.histograms[at], earlier.histograms[at]));
    return between;
}

} // namespace

Snapshot difference(const Snapshot& later, const Snapshot& earlier, const RecorderShape& shape) {
    Snapshot between;
    between.at_ns = later.at_ns - earlier.at_ns;
    for (std::size_t at = 0; at < later.operations.size(); ++at)
        between.operations.push_back(difference(later.operations[at], earlier.operations[at]));
    between.worker_metrics = later.worker_metrics;
    for (std::size_t worker = 0; worker < between.worker_metrics.size(); ++worker) {
        for (std::size_t metric = 0; metric < shape.metrics.size(); ++metric) {
            std::uint64_t& value = between.worker_metrics[worker][metric];
            if (shape.metrics[metric].kind == ASSAY_METRIC_COUNTER)
                value = grown(value, earlier.worker_metrics[worker][metric]);
        }
        between.worker_operations.push_back(grown(later.worker_operations[worker], earlier.worker_operations[worker]));
        between.worker_bytes.push_back(grown(later.worker_bytes[worker], earlier.worker_bytes[worker]));
    }
    // Where only one of the two was asked for shares there is nothing to tell.
    const std::size_t sharing = std::min(later.worker_shares.size(), earlier.worker_shares.size());
    for (std::size_t worker = 0; worker < sharing; ++worker) {
        std::vector<OperationSnapshot>& share = between.worker_shares.emplace_back();
        for (std::size_t at = 0; at < later.worker_shares[worker].size(); ++at)
            share.push_back(difference(later.worker_shares[worker][at], earlier.worker_shares[worker][at]));
    }
    return between;
}

Snapshot Region::snapshot(Shares shares) const {
    Snapshot now;
    now.operations.resize(shape_.operations.size());
    for (std::size_t op = 0; op < shape_.operations.size(); ++op)
        now.operations[op].histograms.resize(shape_.operations[op].histograms.size());
    if (shares == Shares::each_worker) now.worker_shares.assign(workers_, now.operations);
    now.worker_metrics.assign(workers_, std::vector<std::uint64_t>(shape_.metrics.size()));
    now.worker_operations.resize(workers_);
    now.worker_bytes.resize(workers_);
    now.at_ns = monotonic_ns();
    for (std::uint32_t worker = 0; worker < workers_; ++worker) {
        std::vector<OperationSnapshot>* share = now.worker_shares.empty() ? nullptr : &now.worker_shares[worker];
        for (std::uint32_t at = 0; at < shape_.lanes_per_worker; ++at) {
            char* base = lane(worker, at);
            for (std::size_t op = 0; op < shape_.operations.size(); ++op) {
                char* counted = base + op * layout_.op_stride;
                Moved moved;
                if (share == nullptr) {
                    moved = add_operation(counted, now.operations[op]);
                } else { // read once: a live lane moves on between two readings
                    OperationSnapshot lane_share;
                    lane_share.histograms.resize(shape_.operations[op].histograms.size());
                    moved = add_operation(counted, lane_share);
                    merge(now.operations[op], lane_share);
                    merge((*share)[op], lane_share);
                }
                now.worker_operations[worker] += moved.operations;
                now.worker_bytes[worker] += moved.bytes;
            }
            const auto* metrics = reinterpret_cast<const std::uint64_t*>(base + layout_.metrics_offset);
            for (std::size_t metric = 0; metric < shape_.metrics.size(); ++metric)
                now.worker_metrics[worker][metric] += load(metrics[metric]);
        }
    }
    return now;
}

} // namespace assay
