/* The memory a worker counts in, and the handle it runs with.
 *
 * The plugin owns the hot loop; the host owns this memory. It is one memfd a job, addressed by offsets only, so a
 * child process can map it and go on counting. The host samples it live, cuts the warm-up out afterwards by
 * subtracting snapshots, and can still report when a plugin hangs or its process dies.
 *
 *   region:  assay_region | assay_worker_block[worker_count] | lanes
 *   lane:    per operation [ assay_op_counters | assay_error_slot[8] | assay_histogram[histograms] ] | metrics[]
 *
 * Rules. A lane has one writer thread. Counters only grow. Writes are plain relaxed 64-bit stores (the inline
 * functions below); publishing once a batch is enough. The control words are re-read at least once a batch, and at
 * least every 100 ms while waiting.
 */
#ifndef ASSAY_ABI_WORKER_H
#define ASSAY_ABI_WORKER_H

#include "arrival.h"
#include "base.h"
#include "clock.h"
#include "recorder.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_REGION_MAGIC UINT64_C(0x617373617972656d) /* "assayrem" read as big-endian text */
#define ASSAY_ERROR_SLOTS 8u
#define ASSAY_ERROR_DOMAIN_OTHER UINT32_MAX /* the last slot collects what found no slot */
#define ASSAY_ERROR_DOMAIN_ERRNO 1u         /* code is an errno value */
#define ASSAY_ERROR_DOMAIN_SHORT 2u         /* fewer bytes than asked for and no error; code 0 */
#define ASSAY_ERROR_DOMAIN_PLUGIN 0x1000u   /* from here on a plugin's own */

/* What one operation kind of one lane has counted. Failed operations are in `errors` only: neither in `operations`
 * nor in `bytes` nor in a histogram. */
struct assay_op_counters {
    uint64_t operations; /* completed successfully */
    uint64_t bytes;      /* moved by them */
    uint64_t errors;     /* sum of the error slots */
    uint64_t reserved[5];
};

struct assay_error_slot {
    uint32_t domain; /* 0: free */
    uint32_t code;
    uint64_t count;
};

/* One a worker, host-written but for nothing; cache lines: control | identity | layout. */
struct assay_worker_block {
    /* control, may change at any time */
    uint32_t struct_size;
    uint32_t stop;               /* non-zero: submit nothing more, drain, return */
    uint32_t control_generation; /* grows whenever a word below changed */
    uint32_t queue_depth_limit;  /* 0: as configured; else at most so many in flight */
    int64_t deadline_ns;         /* CLOCK_MONOTONIC instant at which the host will set stop; 0: none */
    /* The open loop (see arrival.h); fixed while a phase runs, all 0 in a closed loop. */
    assay_arrival_process arrival_process;
    uint32_t control_reserved_word;
    uint64_t arrival_interval_ps; /* mean time between intended starts of this worker, picoseconds; at least 1 */
    int64_t arrival_start_ns;     /* CLOCK_MONOTONIC instant that intended starts are counted from */
    uint64_t control_reserved[2];
    /* identity, fixed for the run */
    uint32_t global_index; /* 0 .. global_count-1 over all machines */
    uint32_t global_count;
    uint32_t local_index; /* 0 .. local_count-1 in this process */
    uint32_t local_count;
    int32_t cpu;       /* CPU the host pinned the thread to, or -1 */
    int32_t numa_node; /* of that CPU, or -1 */
    uint64_t seed;     /* differs per worker, derived from the job's seed */
    struct assay_clock clock;
    uint64_t identity_reserved[2];
    /* layout, in bytes; offsets from the start of the region unless said otherwise */
    uint64_t lanes_offset;
    uint64_t lane_stride;
    uint64_t metrics_offset; /* from the lane's start */
    uint32_t lane_count;
    uint32_t op_count;
    uint32_t op_stride;
    uint32_t histogram_count; /* per operation */
    uint32_t metric_count;    /* per lane */
    uint32_t layout_reserved[5];
};

struct assay_region {
    uint64_t magic;
    uint32_t struct_size;
    uint32_t worker_count;
    uint64_t region_bytes;
    uint64_t workers_offset;
    uint64_t worker_stride;
    uint64_t reserved[3];
};

/* The handle that run() gets. Process-local; valid until run() returns. */
struct assay_worker {
    uint32_t struct_size;
    int32_t stop_fd; /* eventfd, readable once stop is set; for poll loops */
    struct assay_worker_block* block;
    char* region; /* base of the mapped region */
    void* context;

    /* Waits until all local workers of the phase are here. ASSAY_CANCELLED if stop came first. [the worker's
     * thread, off the hot path] */
    assay_status (*barrier)(struct assay_worker* worker);
};

static inline uint32_t assay_worker_stopped(const struct assay_worker* worker) {
    return __atomic_load_n(&worker->block->stop, __ATOMIC_RELAXED);
}

/* Base of operation `op` in lane `lane` of a worker. */
static inline char* assay_worker_op(const struct assay_worker* worker, uint32_t lane, uint32_t op) {
    const struct assay_worker_block* block = worker->block;
    return worker->region + block->lanes_offset + lane * block->lane_stride + (uint64_t)op * block->op_stride;
}
static inline struct assay_op_counters* assay_op_counters_of(char* op) { return (struct assay_op_counters*)(void*)op; }
static inline struct assay_error_slot* assay_op_error_slots(char* op) {
    return (struct assay_error_slot*)(void*)(op + sizeof(struct assay_op_counters));
}
/* Histogram `index` in the order the operation declares them. */
static inline struct assay_histogram* assay_op_histogram(char* op, uint32_t index) {
    return (struct assay_histogram*)(void*)(op + sizeof(struct assay_op_counters) +
                                            ASSAY_ERROR_SLOTS * sizeof(struct assay_error_slot)) +
           index;
}
/* Metric `index` of the descriptor's metric table. */
static inline uint64_t* assay_worker_metric(const struct assay_worker* worker, uint32_t lane, uint32_t index) {
    const struct assay_worker_block* block = worker->block;
    return (uint64_t*)(void*)(worker->region + block->lanes_offset + lane * block->lane_stride +
                              block->metrics_offset) +
           index;
}

/* Single-writer add. */
static inline void assay_counter_add(uint64_t* counter, uint64_t amount) {
    __atomic_store_n(counter, *counter + amount, __ATOMIC_RELAXED);
}

/* Counts one failed operation. [the lane's writer; cold] */
static inline void assay_op_error(char* op, uint32_t domain, uint32_t code) {
    struct assay_error_slot* slots = assay_op_error_slots(op);
    uint32_t at = 0;
    while (at < ASSAY_ERROR_SLOTS - 1 && slots[at].domain != 0 &&
           (slots[at].domain != domain || slots[at].code != code))
        ++at;
    if (slots[at].domain == 0) {
        const uint32_t last = at == ASSAY_ERROR_SLOTS - 1;
        slots[at].code = last ? 0 : code;
        __atomic_store_n(&slots[at].domain, last ? ASSAY_ERROR_DOMAIN_OTHER : domain, __ATOMIC_RELEASE);
    }
    assay_counter_add(&slots[at].count, 1);
    assay_counter_add(&assay_op_counters_of(op)->errors, 1);
}

ASSAY_STATIC_ASSERT(sizeof(struct assay_op_counters) == 64, "one cache line");
ASSAY_STATIC_ASSERT(sizeof(struct assay_error_slot) == 16, "fixed");
ASSAY_STATIC_ASSERT(offsetof(struct assay_worker_block, global_index) == 64, "identity on its own cache line");
ASSAY_STATIC_ASSERT(offsetof(struct assay_worker_block, clock) == 96, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_worker_block, lanes_offset) == 128, "layout on its own cache line");
ASSAY_STATIC_ASSERT(sizeof(struct assay_worker_block) == 192, "whole cache lines");
ASSAY_STATIC_ASSERT(sizeof(struct assay_region) == 64, "one cache line");
ASSAY_STATIC_ASSERT(offsetof(struct assay_worker, barrier) == 32, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
