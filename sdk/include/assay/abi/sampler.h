/* A sampler: reads counters and gauges of the machine around a workload.
 *
 * It hands over raw values with the instant they were read and never computes a rate: one piece of host code turns
 * two readings into a rate and knows about wraps, saturation and resets, from what the series list says.
 *
 * All calls on one host thread, never concurrently for one instance.
 */
#ifndef ASSAY_ABI_SAMPLER_H
#define ASSAY_ABI_SAMPLER_H

#include "base.h"
#include "host.h"
#include "option.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_series_kind;
enum { ASSAY_SERIES_COUNTER = 1, ASSAY_SERIES_GAUGE = 2 };

typedef int32_t assay_series_value;
enum { ASSAY_VALUE_U64 = 1, ASSAY_VALUE_I64 = 2, ASSAY_VALUE_F64 = 3, ASSAY_VALUE_U128 = 4 };

typedef int32_t assay_overflow;
enum {
    ASSAY_OVERFLOW_WRAPS = 1,    /* modulo 2^width_bits */
    ASSAY_OVERFLOW_SATURATES = 2 /* sticks at all ones: a difference that touches it is invalid */
};

struct assay_series {
    uint32_t struct_size;
    assay_series_kind kind;
    assay_series_value value;
    assay_overflow overflow; /* counters only */
    uint32_t width_bits;     /* counters only: 1..128 */
    uint32_t group;          /* index of the timestamp that its values carry */
    const char* metric;      /* "disk.read" */
    const char* unit;        /* of a value after scaling: "B", "s", "packets" */
    const char* labels;      /* "device=vda", comma-separated; "" if none */
    const char* help;
    double scale; /* raw value * scale is in `unit`: 512 for sectors, 4 for InfiniBand data */
    /* Counters only: by how many raw units the source may step back without having been reset, as the kernel does when
     * it corrects a CPU's idle time. Such a step counts as no growth until the old value is passed again; any other
     * decrease is a wrap or a reset. 0, or beyond struct_size: it never steps back. */
    uint64_t step_back_max;
};

/* Borrowed until the generation changes or destroy(). */
struct assay_series_list {
    uint32_t struct_size;
    uint32_t count;
    uint32_t stride;
    uint32_t group_count;
    uint64_t generation; /* grows when something was plugged in or out; values are then in the new list's order */
    const struct assay_series* series;
};

struct assay_sample_value {
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
    } as;
    uint64_t high;    /* upper half of a U128 */
    uint32_t present; /* 0: could not be read this time */
    uint32_t reserved;
};

/* Filled by read(); the arrays are the host's, sized by the list. */
struct assay_reading {
    uint32_t struct_size;
    uint32_t value_count;
    uint32_t group_count;
    uint32_t reserved;
    struct assay_sample_value* values; /* value i belongs to series i */
    int64_t* group_ns;                 /* CLOCK_MONOTONIC instant at which the group was read */
};

struct assay_sampler {
    uint32_t struct_size;
    uint32_t reserved;
    assay_status (*create)(const struct assay_host* host, void** instance);
    void (*destroy)(void* instance);
    assay_status (*configure)(void* instance, const struct assay_option_value* values, uint32_t count, uint32_t stride);
    assay_status (*list)(void* instance, const struct assay_series_list** list);
    /* ASSAY_CANCELLED if the generation changed: list() again. */
    assay_status (*read)(void* instance, struct assay_reading* reading);
    const void* (*get_extension)(void* instance, const char* id);
};

ASSAY_STATIC_ASSERT(offsetof(struct assay_series, metric) == 24, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_series, scale) == 56, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_series, step_back_max) == 64, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_series_list, series) == 24, "ABI offset");
ASSAY_STATIC_ASSERT(sizeof(struct assay_sample_value) == 24, "fixed: arrays of it carry no stride");
ASSAY_STATIC_ASSERT(offsetof(struct assay_reading, group_ns) == 24, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_sampler, get_extension) == 48, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
