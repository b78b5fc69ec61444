/* Targets and facts: what a workload touches, and what really happened.
 *
 * A workload reports each target from configure(), before it opens anything: the host looks for mounts, holders and
 * signatures below it (and refuses to go on), finds the device or NIC that carries it, and later reconciles bytes.
 * Facts are reported whenever they become known; a later fact with the same key replaces the earlier one.
 *
 * Ownership: the host copies; nothing need outlive the call.
 */
#ifndef ASSAY_ABI_TARGET_H
#define ASSAY_ABI_TARGET_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_target_kind;
enum {
    ASSAY_TARGET_FILE = 1, /* a path; may not exist yet */
    ASSAY_TARGET_BLOCK_DEVICE = 2,
    ASSAY_TARGET_ENDPOINT = 3, /* host:port */
    ASSAY_TARGET_PORT = 4      /* a NIC or InfiniBand port */
};

enum {
    ASSAY_TARGET_READS = 1u << 0,
    ASSAY_TARGET_WRITES = 1u << 1,  /* in a measured phase or by laying out an existing target */
    ASSAY_TARGET_DIRECT = 1u << 2,  /* asked to bypass the page cache */
    ASSAY_TARGET_CREATES = 1u << 3, /* may make it where it is missing */
    ASSAY_TARGET_REMOVES = 1u << 4  /* removes it at the end, as the user asked */
};

struct assay_target {
    uint32_t struct_size;
    assay_target_kind kind;
    uint32_t flags;
    uint32_t reserved;
    const char* name;      /* as the user named it */
    uint64_t offset_bytes; /* start of the region used */
    uint64_t length_bytes; /* its length; 0: not known yet */
    uint64_t unique_bytes; /* distinct bytes that a whole pass touches; 0: not known yet */
};

typedef int32_t assay_fact_kind;
enum { ASSAY_FACT_TEXT = 1, ASSAY_FACT_INTEGER = 2, ASSAY_FACT_REAL = 3, ASSAY_FACT_BOOL = 4 };

struct assay_fact {
    uint32_t struct_size;
    assay_fact_kind kind;
    const char* key;    /* lower snake case, unit last: "registered_buffer_bytes" */
    const char* unit;   /* "B", "ns", "requests", "" */
    const char* text;   /* for TEXT */
    const char* source; /* how it is known: "io_uring_register_buffers", "statx" */
    int64_t integer;    /* for INTEGER, BOOL (0 or 1) */
    double real;        /* for REAL */
};

/* Facts that the host's checks read. */
#define ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH "effective_queue_depth" /* INTEGER, requests a worker can have in flight */
#define ASSAY_FACT_REQUESTED_QUEUE_DEPTH "requested_queue_depth" /* INTEGER, as configured */
#define ASSAY_FACT_DIRECT_IN_FORCE "direct_in_force"             /* BOOL, after F_GETFL on every target */
#define ASSAY_FACT_SYNCHRONOUS_ENGINE "synchronous_engine"       /* BOOL, one request a worker by construction */
#define ASSAY_FACT_PAUSES "pauses" /* BOOL, workers leave slots free on purpose (think time); not for open loops */
/* REAL, completions a call reaps on average; those of a call share its time stamp */
#define ASSAY_FACT_MEAN_REAP_BATCH "mean_reap_batch"

ASSAY_STATIC_ASSERT(offsetof(struct assay_target, name) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_target, unique_bytes) == 40, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_fact, key) == 8, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_fact, real) == 48, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
