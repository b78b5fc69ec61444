// A latency histogram in the core: dense copy of the ABI's buckets with merge, difference and percentiles.
//
// Plain value, not thread-safe; reading a live ABI histogram is (relaxed loads).
#pragma once

#include "assay/abi/recorder.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace assay {

class Histogram {
public:
    Histogram() = default;

    // Copies (and adds) what a live recorder holds now.
    void add_live(const assay_histogram& live);
    void merge(const Histogram& other);
    // Adds `count` values that all lie in bucket `index`; for reading a stored histogram back, with set_extremes()
    // before or after. An index past the last bucket is ignored.
    void add_bucket(std::uint32_t index, std::uint64_t count);
    void set_extremes(std::uint64_t sum_ns, std::uint64_t min_ns, std::uint64_t max_ns, bool extremes_exact);

    // What was recorded between two snapshots of the same recorder. min and max are exact where they can be (the
    // extreme moved inside the window, or the window starts at zero), else the bound of the outermost bucket that grew,
    // clamped to the recorder's extremes; extremes_exact() says which.
    static Histogram difference(const Histogram& later, const Histogram& earlier);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t sum_ns() const { return sum_ns_; }
    // 0 when empty. Bounds of the outermost buckets where nobody set the extremes.
    [[nodiscard]] std::uint64_t min_ns() const;
    [[nodiscard]] std::uint64_t max_ns() const;
    [[nodiscard]] bool extremes_exact() const { return extremes_exact_; }
    [[nodiscard]] double mean_ns() const;
    // Of the population, from bucket midpoints; relative error below 0.8 % a value.
    [[nodiscard]] double stddev_ns() const;
    // Nearest-rank percentile, 0 < p <= 100: midpoint of the bucket that holds rank ceil(p/100 * count), clamped to
    // [min, max]; p = 100 is max_ns(). 0 when empty.
    [[nodiscard]] std::uint64_t percentile_ns(double p) const;
    // (bucket index, count) of the non-empty buckets in order.
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint64_t>> sparse() const;

private:
    std::uint64_t count_ = 0;
    std::uint64_t sum_ns_ = 0;
    std::uint64_t min_ns_ = UINT64_MAX;
    std::uint64_t max_ns_ = 0;
    bool extremes_exact_ = true;
    std::vector<std::uint64_t> buckets_; // empty or ASSAY_HISTOGRAM_BUCKETS
};

} // namespace assay
