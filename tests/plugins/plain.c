/* A workload in C11 with nothing but the ABI's headers: what a plugin author can do without our C++. */
#include "assay/abi/entry.h"
#include "assay/abi/workload.h"

#include <stdlib.h>

enum { option_operations, option_count };

struct plain {
    const struct assay_host* host;
    uint64_t operations;
};

static const struct assay_option options[option_count] = {
    {.struct_size = sizeof(struct assay_option),
     .type = ASSAY_TYPE_INT,
     .key = "operations",
     .help = "Operations of each worker.",
     .default_text = "1000",
     .min_text = "1",
     .max_text = "1000000000",
     .unit = "operations",
     .group = "General",
     .example = "500"},
};

static assay_status create(const struct assay_host* host, void** instance) {
    struct plain* me = calloc(1, sizeof(*me));
    if (me == NULL) return ASSAY_RESOURCE;
    me->host = host;
    *instance = me;
    return ASSAY_OK;
}

static void destroy(void* instance) { free(instance); }

static assay_status configure(void* instance, const struct assay_job* job) {
    struct plain* me = instance;
    me->operations = (uint64_t)job->values[option_operations].items[0].as.integer;
    if (me->operations % 2 != 0) {
        me->host->set_error(me->host, "operations", "must be even, so that reads and writes come in pairs");
        return ASSAY_INVALID_OPTION;
    }
    return ASSAY_OK;
}

static const struct assay_phase phase_table[] = {
    {.struct_size = sizeof(struct assay_phase), .kind = ASSAY_PHASE_MEASURED, .name = "pairs"},
};
static const struct assay_phase_list phase_list = {.struct_size = sizeof(struct assay_phase_list),
                                                   .count = 1,
                                                   .stride = sizeof(struct assay_phase),
                                                   .lanes_per_worker = 1,
                                                   .phases = phase_table};

static assay_status phases(void* instance, const struct assay_phase_list** list) {
    (void)instance;
    *list = &phase_list;
    return ASSAY_OK;
}

static assay_status prepare(void* instance) {
    struct plain* me = instance;
    const struct assay_fact fact = {.struct_size = sizeof(struct assay_fact),
                                    .kind = ASSAY_FACT_TEXT,
                                    .key = "language",
                                    .unit = "",
                                    .text = "C11",
                                    .source = "compiler"};
    me->host->report_fact(me->host, &fact);
    return ASSAY_OK;
}

static assay_status run(void* instance, struct assay_worker* worker, uint32_t phase) {
    struct plain* me = instance;
    (void)phase;
    for (uint64_t at = 0; at < me->operations && !assay_worker_stopped(worker); ++at) {
        char* op = assay_worker_op(worker, 0, at % 2 == 0 ? 0 : 1);
        assay_counter_add(&assay_op_counters_of(op)->operations, 1);
        assay_counter_add(&assay_op_counters_of(op)->bytes, 512);
        assay_histogram_add(assay_op_histogram(op, 0), 100 + at % 2);
    }
    return ASSAY_OK;
}

static assay_status finish(void* instance) {
    (void)instance;
    return ASSAY_OK;
}

static const struct assay_workload workload = {.struct_size = sizeof(struct assay_workload),
                                               .create = create,
                                               .destroy = destroy,
                                               .configure = configure,
                                               .phases = phases,
                                               .prepare = prepare,
                                               .run = run,
                                               .finish = finish};

static const char* const latency_names[] = {"latency"};
static const struct assay_operation operations[] = {
    {.struct_size = sizeof(struct assay_operation),
     .kind = ASSAY_OP_READ,
     .histogram_count = 1,
     .name = "read",
     .help = "Every even operation.",
     .histogram_names = latency_names},
    {.struct_size = sizeof(struct assay_operation),
     .kind = ASSAY_OP_WRITE,
     .histogram_count = 1,
     .name = "write",
     .help = "Every odd operation.",
     .histogram_names = latency_names},
};

static const struct assay_descriptor descriptor_of_plain = {
    .struct_size = sizeof(struct assay_descriptor),
    .kind = ASSAY_KIND_WORKLOAD,
    .id = "org.assay.test.plain",
    .name = "plain",
    .version = "1.0.0",
    .summary = "A workload in plain C.",
    .help = "Counts pairs of reads and writes of 512 bytes that it does not make.",
    .privileges = "",
    .example = "run plain --operations 500",
    .operation_count = 2,
    .operation_stride = sizeof(struct assay_operation),
    .metric_stride = sizeof(struct assay_metric),
    .options = {.struct_size = sizeof(struct assay_option_table),
                .count = option_count,
                .stride = sizeof(struct assay_option),
                .options = options},
    .operations = operations,
    .interface = &workload};

static const struct assay_descriptor* descriptor(uint32_t index) { return index == 0 ? &descriptor_of_plain : NULL; }

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) {
    static const struct assay_entry entry = {.struct_size = sizeof(struct assay_entry),
                                             .abi_major = ASSAY_ABI_MAJOR,
                                             .abi_minor = ASSAY_ABI_MINOR,
                                             .descriptor_count = 1,
                                             .descriptor = descriptor};
    return &entry;
}
