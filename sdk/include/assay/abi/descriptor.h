/* The descriptor: everything there is to know about a plugin without creating an instance of it.
 *
 * Static data; lives as long as the plugin is loaded, that is, until the process ends.
 */
#ifndef ASSAY_ABI_DESCRIPTOR_H
#define ASSAY_ABI_DESCRIPTOR_H

#include "base.h"
#include "option.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_plugin_kind;
enum { ASSAY_KIND_WORKLOAD = 1, ASSAY_KIND_SAMPLER = 2, ASSAY_KIND_CLUSTER = 3 };

/* What it may do to its target, depending on options. */
enum { ASSAY_EFFECT_READS = 1u << 0, ASSAY_EFFECT_WRITES = 1u << 1, ASSAY_EFFECT_DESTROYS = 1u << 2 };

typedef int32_t assay_op_kind;
enum { ASSAY_OP_READ = 1, ASSAY_OP_WRITE = 2, ASSAY_OP_OTHER = 3 };

/* An operation that a workload counts (see worker.h for where). */
struct assay_operation {
    uint32_t struct_size;
    assay_op_kind kind;
    uint32_t histogram_count;
    uint32_t reserved;
    const char* name; /* "read", "fsync" */
    const char* help;
    /* Names of its histograms; the first is completion latency. All are in nanoseconds. */
    const char* const* histogram_names;
};

typedef int32_t assay_metric_kind;
enum { ASSAY_METRIC_COUNTER = 1, ASSAY_METRIC_GAUGE = 2 };

/* What the host may conclude from a metric. */
typedef int32_t assay_metric_role;
enum {
    ASSAY_ROLE_NONE = 0,
    /* Counter, ns: integral of the number of requests in flight over time. Its growth divided by the time is the
     * mean in flight of the lane. */
    ASSAY_ROLE_IN_FLIGHT_TIME = 1,
    /* Counter, ns: sum over requests of the time their slot was free, that is, the generator's own time between a
     * completion and the next submission on the same slot. Divided by operations: generator time an operation. */
    ASSAY_ROLE_GENERATOR_TIME = 2,
    /* Counter: requests of an open loop (arrival.h) that found every slot taken when they were due. */
    ASSAY_ROLE_LATE_STARTS = 3,
    /* Gauge, ns, one lane a worker: intended start of the request that the worker starts next, as CLOCK_MONOTONIC. It
     * is published before the worker waits for anything, so that the host can tell how far a stuck one has fallen
     * behind. 0 in a closed loop, and once the worker starts no more. */
    ASSAY_ROLE_NEXT_START = 4
};

struct assay_metric {
    uint32_t struct_size;
    assay_metric_kind kind;
    assay_metric_role role;
    uint32_t reserved;
    const char* key; /* lower snake case, unit last */
    const char* unit;
    const char* help;
};

struct assay_descriptor {
    uint32_t struct_size;
    assay_plugin_kind kind;
    const char* id;         /* reverse DNS: "org.assay.block" */
    const char* name;       /* what users type: "block" */
    const char* version;    /* semantic version */
    const char* summary;    /* one line */
    const char* help;       /* a paragraph or more */
    const char* privileges; /* what it wants beyond an ordinary user, and when; "" if nothing */
    const char* example;    /* one complete command line after `assay ` */
    uint32_t effects;
    uint32_t operation_count;
    uint32_t operation_stride;
    uint32_t metric_count;
    uint32_t metric_stride;
    uint32_t reserved;
    struct assay_option_table options;
    const struct assay_operation* operations; /* workloads */
    const struct assay_metric* metrics;       /* workloads */
    /* const struct assay_workload* or const struct assay_sampler*, by kind */
    const void* interface;
};

ASSAY_STATIC_ASSERT(offsetof(struct assay_operation, name) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_metric, key) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_descriptor, id) == 8, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_descriptor, options) == 88, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_descriptor, interface) == 128, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
