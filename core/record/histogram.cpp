#include "core/record/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr std::uint32_t last_bucket = ASSAY_HISTOGRAM_BUCKETS - 1;

std::uint64_t load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

// The last bucket has no upper bound of its own: it holds everything from there on.
std::uint64_t bucket_upper_ns(std::uint32_t index) {
    return index == last_bucket ? UINT64_MAX : assay_histogram_upper_ns(index);
}

std::uint64_t bucket_middle_ns(std::uint32_t index) {
    const std::uint64_t lower = assay_histogram_lower_ns(index);
    return lower + (assay_histogram_upper_ns(index) - lower) / 2;
}

bool one_value_wide(std::uint32_t index) { return index < (2U << ASSAY_HISTOGRAM_SUB_BITS); }

std::uint32_t lowest_filled(const std::vector<std::uint64_t>& buckets) {
    std::uint32_t index = 0;
    while (index < last_bucket && buckets[index] == 0)
        ++index;
    return index;
}

std::uint32_t highest_filled(const std::vector<std::uint64_t>& buckets) {
    std::uint32_t index = last_bucket;
    while (index > 0 && buckets[index] == 0)
        --index;
    return index;
}

// Rank ceil(p/100 * count) as a person means it: 99.9 % of 1000 is 999, although 99.9 has no exact binary form.
std::uint64_t nearest_rank(double p, std::uint64_t count) {
    const long double rank = static_cast<long double>(p) * static_cast<long double>(count) / 100.0L;
    const auto whole = static_cast<std::uint64_t>(std::ceil(rank * (1.0L - 1e-15L)));
    return std::clamp<std::uint64_t>(whole, 1, count);
}

} // namespace

void Histogram::add_live(const assay_histogram& live) {
    std::uint64_t values = 0;
    std::uint32_t lowest = 0;
    std::uint32_t highest = 0;
    for (std::uint32_t index = 0; index < ASSAY_HISTOGRAM_BUCKETS; ++index) {
        const std::uint64_t value = load(live.buckets[index]);
        if (value == 0) continue;
        if (buckets_.empty()) buckets_.resize(ASSAY_HISTOGRAM_BUCKETS);
        buckets_[index] += value;
        if (values == 0) lowest = index;
        highest = index;
        values += value;
    }
    if (values == 0) return;
    std::uint64_t min_ns = load(live.min_ns);
    std::uint64_t max_ns = load(live.max_ns);
    // A writer publishes its extremes once a batch, after the buckets: until then only the outermost bucket is known.
    if (min_ns > bucket_upper_ns(lowest)) {
        min_ns = assay_histogram_lower_ns(lowest);
        extremes_exact_ = extremes_exact_ && one_value_wide(lowest);
    }
    if (max_ns < assay_histogram_lower_ns(highest)) {
        max_ns = assay_histogram_upper_ns(highest);
        extremes_exact_ = extremes_exact_ && one_value_wide(highest);
    }
    min_ns_ = std::min(min_ns_, min_ns);
    max_ns_ = std::max(max_ns_, max_ns);
    count_ += values;
    sum_ns_ += load(live.sum_ns);
}

void Histogram::merge(const Histogram& other) {
    if (other.count_ == 0) return;
    if (buckets_.empty()) buckets_.resize(ASSAY_HISTOGRAM_BUCKETS);
    for (std::size_t index = 0; index < buckets_.size(); ++index)
        buckets_[index] += other.buckets_[index];
    extremes_exact_ = (count_ == 0 || extremes_exact_) && other.extremes_exact_;
    min_ns_ = std::min(min_ns_, other.min_ns());
    max_ns_ = std::max(max_ns_, other.max_ns());
    count_ += other.count_;
    sum_ns_ += other.sum_ns_;
}

void Histogram::add_bucket(std::uint32_t index, std::uint64_t count) {
    if (index > last_bucket || count == 0) return;
    if (buckets_.empty()) buckets_.resize(ASSAY_HISTOGRAM_BUCKETS);
    buckets_[index] += count;
    count_ += count;
    if (min_ns_ > max_ns_) extremes_exact_ = false;
}

void Histogram::set_extremes(std::uint64_t sum_ns, std::uint64_t min_ns, std::uint64_t max_ns, bool extremes_exact) {
    sum_ns_ = sum_ns;
    min_ns_ = min_ns;
    max_ns_ = max_ns;
    extremes_exact_ = extremes_exact;
}

Histogram Histogram::difference(const Histogram& later, const Histogram& earlier) {
    if (earlier.count_ == 0 || later.count_ == 0) return later;
    Histogram grown;
    grown.buckets_.resize(ASSAY_HISTOGRAM_BUCKETS);
    for (std::size_t index = 0; index < grown.buckets_.size(); ++index) {
        if (later.buckets_[index] <= earlier.buckets_[index]) continue;
        grown.buckets_[index] = later.buckets_[index] - earlier.buckets_[index];
        grown.count_ += grown.buckets_[index];
    }
    if (grown.count_ == 0) return {};
    grown.sum_ns_ = later.sum_ns_ > earlier.sum_ns_ ? later.sum_ns_ - earlier.sum_ns_ : 0;

    const std::uint32_t lowest = lowest_filled(grown.buckets_);
    const std::uint32_t highest = highest_filled(grown.buckets_);
    const bool min_moved = later.min_ns() < earlier.min_ns() && assay_histogram_index(later.min_ns()) == lowest;
    const bool max_moved = later.max_ns() > earlier.max_ns() && assay_histogram_index(later.max_ns()) == highest;
    grown.min_ns_ = std::max(assay_histogram_lower_ns(lowest), later.min_ns());
    grown.max_ns_ = std::min(bucket_upper_ns(highest), later.max_ns());
    const bool min_exact = one_value_wide(lowest) || (min_moved && later.extremes_exact_);
    const bool max_exact = one_value_wide(highest) || (max_moved && later.extremes_exact_);
    grown.extremes_exact_ = min_exact && max_exact;
    return grown;
}

std::uint64_t Histogram::min_ns() const {
    if (count_ == 0) return 0;
    return min_ns_ <= max_ns_ ? min_ns_ : assay_histogram_lower_ns(lowest_filled(buckets_));
}

std::uint64_t Histogram::max_ns() const {
    if (count_ == 0) return 0;
    return min_ns_ <= max_ns_ ? max_ns_ : assay_histogram_upper_ns(highest_filled(buckets_));
}

double Histogram::mean_ns() const {
    if (count_ == 0) return 0;
    // The sum of a live recorder may lag its buckets by a batch; a mean outside the values is never the truth.
    return std::clamp(static_cast<double>(sum_ns_) / static_cast<double>(count_), static_cast<double>(min_ns()),
                      static_cast<double>(max_ns()));
}

double Histogram::stddev_ns() const {
    if (count_ == 0) return 0;
    const std::uint64_t low = min_ns();
    const std::uint64_t high = max_ns();
    double sum = 0;
    for (const auto& [index, count] : sparse())
        sum += static_cast<double>(std::clamp(bucket_middle_ns(index), low, high)) * static_cast<double>(count);
    const double mean = sum / static_cast<double>(count_);
    double squares = 0;
    for (const auto& [index, count] : sparse()) {
        const double distance = static_cast<double>(std::clamp(bucket_middle_ns(index), low, high)) - mean;
        squares += distance * distance * static_cast<double>(count);
    }
    return std::sqrt(squares / static_cast<double>(count_));
}

std::uint64_t Histogram::percentile_ns(double p) const {
    if (count_ == 0) return 0;
    if (p >= 100) return max_ns();
    const std::uint64_t rank = nearest_rank(p, count_);
    std::uint64_t seen = 0;
    for (std::uint32_t index = 0; index < buckets_.size(); ++index) {
        seen += buckets_[index];
        if (seen >= rank) return std::clamp(bucket_middle_ns(index), min_ns(), max_ns());
    }
    return max_ns();
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> Histogram::sparse() const {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> filled;
    for (std::uint32_t index = 0; index < buckets_.size(); ++index) {
        if (buckets_[index] != 0) filled.emplace_back(index, buckets_[index]);
    }
    return filled;
}

} // namespace assay
