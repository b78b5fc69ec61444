// fio's tables of shares: how deep, how many at once, how long.
#include "tools/assay/dialects/fio/entries.hpp"

#include <algorithm>
#include <span>

namespace assay::cli::fio {
namespace {

struct Bound {
    const char* key;
    std::uint64_t below; // values that are less, and in no earlier bucket
};

constexpr std::uint64_t us = 1'000;
constexpr std::uint64_t ms = 1'000'000;
constexpr std::array<Bound, 7> levels = {
    {{"1", 2}, {"2", 4}, {"4", 8}, {"8", 16}, {"16", 32}, {"32", 64}, {">=64", UINT64_MAX}}};
constexpr std::array<Bound, 7> batches = {
    {{"0", 1}, {"4", 5}, {"8", 9}, {"16", 17}, {"32", 33}, {"64", 65}, {">=64", UINT64_MAX}}};
constexpr std::array<Bound, 10> ns_bounds = {{{"2", 2},
                                              {"4", 4},
                                              {"10", 10},
                                              {"20", 20},
                                              {"50", 50},
                                              {"100", 100},
                                              {"250", 250},
                                              {"500", 500},
                                              {"750", 750},
                                              {"1000", 1000}}};
constexpr std::array<Bound, 12> ms_bounds = {{{"2", 2 * ms},
                                              {"4", 4 * ms},
                                              {"10", 10 * ms},
                                              {"20", 20 * ms},
                                              {"50", 50 * ms},
                                              {"100", 100 * ms},
                                              {"250", 250 * ms},
                                              {"500", 500 * ms},
                                              {"750", 750 * ms},
                                              {"1000", 1000 * ms},
                                              {"2000", 2000 * ms},
                                              {">=2000", UINT64_MAX}}};
constexpr double least_depth_percent = 0.1;
constexpr double least_latency_percent = 0.01;

double percent(std::uint64_t part, std::uint64_t whole, double least) {
    if (part == 0 || whole == 0) return 0;
    return std::max(100.0 * static_cast<double>(part) / static_cast<double>(whole), least);
}

std::vector<Bucket> shares(const std::map<std::uint32_t, std::uint64_t>& counts, std::span<const Bound> bounds) {
    std::vector<std::uint64_t> sums(bounds.size());
    std::uint64_t whole = 0;
    for (const auto& [value, count] : counts) {
        std::size_t at = 0;
        while (value >= bounds[at].below)
            ++at;
        sums[at] += count;
        whole += count;
    }
    std::vector<Bucket> buckets;
    for (std::size_t at = 0; at < bounds.size(); ++at)
        buckets.push_back({bounds[at].key, percent(sums[at], whole, least_depth_percent)});
    return buckets;
}

} // namespace

std::vector<Bucket> depth_levels(const Entry& entry) { return shares(entry.operations_at_depth, levels); }
std::vector<Bucket> submit_batches(const Entry& entry) { return shares(entry.operations_at_submit_batch, batches); }
std::vector<Bucket> complete_batches(const Entry& entry) { return shares(entry.operations_at_complete_batch, batches); }

LatencyTable latency_table(const Entry& entry) {
    std::vector<Bound> bounds(ns_bounds.begin(), ns_bounds.end());
    for (const Bound& bound : ns_bounds)
        bounds.push_back({bound.key, bound.below * us});
    bounds.insert(bounds.end(), ms_bounds.begin(), ms_bounds.end());
    std::vector<std::uint64_t> sums(bounds.size());
    const Histogram latency = entry.latency();
    for (const auto& [index, count] : latency.sparse()) {
        // A bucket of ours that a bound divides goes to where its middle is.
        const std::uint64_t lower = assay_histogram_lower_ns(index);
        const std::uint64_t middle = lower + (assay_histogram_upper_ns(index) - lower) / 2;
        std::size_t at = 0;
        while (middle >= bounds[at].below)
            ++at;
        sums[at] += count;
    }
    LatencyTable table;
    for (std::size_t at = 0; at < bounds.size(); ++at) {
        const Bucket bucket{bounds[at].key, percent(sums[at], latency.count(), least_latency_percent)};
        (at < ns_bounds.size() ? table.ns : at < 2 * ns_bounds.size() ? table.us : table.ms).push_back(bucket);
    }
    return table;
}

} // namespace assay::cli::fio
