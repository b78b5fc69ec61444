/* A workload: generates load in phases and counts it.
 *
 * States and calls, all on the host's control thread but for run() and interrupt():
 *   create -> configure -> phases -> prepare -> (per phase: run() once on every worker's thread) -> finish -> destroy
 * destroy() is legal in every state after create(). After a call that did not return ASSAY_OK only destroy() follows.
 *
 * Ending. The host sets the stop word, then signals the eventfd, then calls interrupt() if there is one (again every
 * 100 ms until all workers have returned); run() then drains what is in flight and returns ASSAY_OK (what was counted
 * is a result), or ASSAY_CANCELLED, which after a stop counts as a clean end too. A run() that does not return within
 * the host's drain timeout makes the plugin "hung": the result is written without it and the process leaves.
 */
#ifndef ASSAY_ABI_WORKLOAD_H
#define ASSAY_ABI_WORKLOAD_H

#include "base.h"
#include "host.h"
#include "option.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_phase_kind;
enum {
    ASSAY_PHASE_SETUP = 1,    /* runs until done; its rates are not results */
    ASSAY_PHASE_MEASURED = 2, /* ends on time or on work, whichever is first */
    ASSAY_PHASE_TEARDOWN = 3  /* runs even after a stop */
};

struct assay_phase {
    uint32_t struct_size;
    assay_phase_kind kind;
    const char* name;     /* "layout", "randread" */
    uint64_t total_bytes; /* work in it over all local workers, for progress; 0: not bounded by work */
};

/* Borrowed until destroy(). */
struct assay_phase_list {
    uint32_t struct_size;
    uint32_t count;
    uint32_t stride;
    uint32_t lanes_per_worker; /* single-writer sets of recorders each worker needs; at least 1 */
    const struct assay_phase* phases;
};

/* Borrowed until destroy(). */
struct assay_job {
    uint32_t struct_size;
    uint32_t value_count; /* equals the option table's count */
    uint32_t value_stride;
    uint32_t target_count;
    const struct assay_option_value* values; /* value i belongs to option i */
    const char* const* targets;              /* as the user named them */
    uint32_t local_workers;                  /* threads in this process */
    uint32_t global_workers;                 /* over all machines */
    uint32_t first_global_worker;            /* global index of local worker 0 */
    uint32_t bounded_by_time;                /* 1: the host ends the measured phase by time; 0: only work ends it */
    uint64_t seed;
};

struct assay_workload {
    uint32_t struct_size;
    uint32_t reserved;

    /* Makes an instance. `host` is valid until destroy() returns. No I/O. */
    assay_status (*create)(const struct assay_host* host, void** instance);
    void (*destroy)(void* instance);

    /* Takes the typed options, checks how they fit together, and reports targets. Opens nothing for writing. */
    assay_status (*configure)(void* instance, const struct assay_job* job);

    /* The phases in the order they run. */
    assay_status (*phases)(void* instance, const struct assay_phase_list** phases);

    /* Opens targets, allocates and registers memory; reports facts. Nothing is measured yet. */
    assay_status (*prepare)(void* instance);

    /* The work of one worker in one phase; `phase` is an index into the list. [the worker's thread] */
    assay_status (*run)(void* instance, struct assay_worker* worker, uint32_t phase);

    /* Wakes workers that block where neither the stop word nor the eventfd reaches them. May be NULL. [any thread] */
    void (*interrupt)(void* instance);

    /* After the last phase: reports final facts, closes. */
    assay_status (*finish)(void* instance);

    /* An extension of the instance by id, or NULL. May be NULL. [any thread] */
    const void* (*get_extension)(void* instance, const char* id);
};

ASSAY_STATIC_ASSERT(offsetof(struct assay_phase, name) == 8, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_phase_list, phases) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_job, values) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_job, seed) == 48, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_workload, create) == 8, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_workload, get_extension) == 72, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
