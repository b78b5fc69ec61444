/* Recorder arithmetic: how a latency becomes a bucket. This is ABI: plugins write buckets that the host reads.
 *
 * Log-linear: values 0..127 ns have a bucket each; above, every octave [2^e, 2^(e+1)) has 64 sub-buckets of
 * 2^(e-6) ns, up to 2^41 ns (2,199 s). A bucket is therefore at most 1/64 (1.6 %) of its value wide, and its midpoint
 * is within 0.8 % of any value in it. Values of 2^41 ns and above fall into the last bucket; max_ns stays exact.
 * Two histograms merge by adding their buckets. Golden vectors: sdk/abi-baseline/histogram.csv.
 *
 * Writer: one thread a histogram; plain relaxed stores, no lock prefix. Reader: the host, at any time; a
 * snapshot is consistent per field, not across fields.
 */
#ifndef ASSAY_ABI_RECORDER_H
#define ASSAY_ABI_RECORDER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_HISTOGRAM_SUB_BITS 6u  /* 64 sub-buckets an octave */
#define ASSAY_HISTOGRAM_MAX_BITS 41u /* values below 2^41 ns are told apart */
#define ASSAY_HISTOGRAM_MAX_NS ((UINT64_C(1) << ASSAY_HISTOGRAM_MAX_BITS) - 1)
#define ASSAY_HISTOGRAM_BUCKETS ((ASSAY_HISTOGRAM_MAX_BITS - ASSAY_HISTOGRAM_SUB_BITS + 1) << ASSAY_HISTOGRAM_SUB_BITS)

/* In host memory, zeroed by the host but for min_ns (UINT64_MAX). The number of values is the sum of the buckets. */
struct assay_histogram {
    uint64_t sum_ns;
    uint64_t min_ns;
    uint64_t max_ns;
    uint64_t reserved[5];
    uint64_t buckets[ASSAY_HISTOGRAM_BUCKETS];
};

/* Bucket of a value: 0 .. ASSAY_HISTOGRAM_BUCKETS - 1. */
static inline uint32_t assay_histogram_index(uint64_t value_ns) {
    if (value_ns > ASSAY_HISTOGRAM_MAX_NS) value_ns = ASSAY_HISTOGRAM_MAX_NS;
    const uint32_t top_bit = 63u - (uint32_t)__builtin_clzll(value_ns | (UINT64_C(1) << ASSAY_HISTOGRAM_SUB_BITS));
    const uint32_t shift = top_bit - ASSAY_HISTOGRAM_SUB_BITS;
    return (shift << ASSAY_HISTOGRAM_SUB_BITS) + (uint32_t)(value_ns >> shift);
}

/* Smallest value that falls into bucket `index`. */
static inline uint64_t assay_histogram_lower_ns(uint32_t index) {
    if (index < (2u << ASSAY_HISTOGRAM_SUB_BITS)) return index;
    const uint32_t shift = (index >> ASSAY_HISTOGRAM_SUB_BITS) - 1u;
    return (uint64_t)(index - (shift << ASSAY_HISTOGRAM_SUB_BITS)) << shift;
}

/* Largest value that falls into bucket `index` (the last bucket also holds everything above). */
static inline uint64_t assay_histogram_upper_ns(uint32_t index) { return assay_histogram_lower_ns(index + 1u) - 1u; }

/* Adds one value. [the histogram's single writer] */
static inline void assay_histogram_add(struct assay_histogram* histogram, uint64_t value_ns) {
    uint64_t* bucket = &histogram->buckets[assay_histogram_index(value_ns)];
    __atomic_store_n(bucket, *bucket + 1u, __ATOMIC_RELAXED);
    __atomic_store_n(&histogram->sum_ns, histogram->sum_ns + value_ns, __ATOMIC_RELAXED);
    if (value_ns < histogram->min_ns) __atomic_store_n(&histogram->min_ns, value_ns, __ATOMIC_RELAXED);
    if (value_ns > histogram->max_ns) __atomic_store_n(&histogram->max_ns, value_ns, __ATOMIC_RELAXED);
}

ASSAY_STATIC_ASSERT(ASSAY_HISTOGRAM_BUCKETS == 2304, "published constant");
ASSAY_STATIC_ASSERT(offsetof(struct assay_histogram, buckets) == 64, "buckets start on a cache line");

#ifdef __cplusplus
}
#endif
#endif
