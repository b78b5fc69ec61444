/* A complete workload in plain C that does nothing, as tables that a test plugin fills in or spoils. */
#ifndef ASSAY_TEST_LOADER_SAMPLE_H
#define ASSAY_TEST_LOADER_SAMPLE_H

#include "assay/abi/entry.h"
#include "assay/abi/workload.h"

static assay_status sample_create(const struct assay_host* host, void** instance) {
    *instance = (void*)(uintptr_t)host;
    return ASSAY_OK;
}
static void sample_destroy(void* instance) { (void)instance; }
static assay_status sample_configure(void* instance, const struct assay_job* job) {
    (void)instance, (void)job;
    return ASSAY_OK;
}
static assay_status sample_phases(void* instance, const struct assay_phase_list** phases) {
    static const struct assay_phase phase = {sizeof(struct assay_phase), ASSAY_PHASE_MEASURED, "idle", 0};
    static const struct assay_phase_list list = {sizeof list, 1, sizeof phase, 1, &phase};
    (void)instance;
    *phases = &list;
    return ASSAY_OK;
}
static assay_status sample_prepare(void* instance) {
    (void)instance;
    return ASSAY_OK;
}
static assay_status sample_run(void* instance, struct assay_worker* worker, uint32_t phase) {
    (void)instance, (void)worker, (void)phase;
    return ASSAY_OK;
}
static assay_status sample_finish(void* instance) {
    (void)instance;
    return ASSAY_OK;
}

static const struct assay_workload sample_workload = {
    .struct_size = sizeof(struct assay_workload),
    .create = sample_create,
    .destroy = sample_destroy,
    .configure = sample_configure,
    .phases = sample_phases,
    .prepare = sample_prepare,
    .run = sample_run,
    .finish = sample_finish,
};

static const char* const sample_histograms[] = {"completion"};
static const struct assay_operation sample_operation = {
    .struct_size = sizeof(struct assay_operation),
    .kind = ASSAY_OP_OTHER,
    .histogram_count = 1,
    .name = "idle",
    .help = "Nothing at all.",
    .histogram_names = sample_histograms,
};
static const struct assay_option sample_option = {
    .struct_size = sizeof(struct assay_option),
    .type = ASSAY_TYPE_SIZE,
    .key = "block_size",
    .help = "Bytes of nothing an operation moves.",
    .default_text = "4KiB",
    .unit = "B",
    .group = "General",
    .example = "4KiB",
};

#define SAMPLE_DESCRIPTOR(its_name, its_id)                                                                          \
    {                                                                                                                \
        .struct_size = sizeof(struct assay_descriptor), .kind = ASSAY_KIND_WORKLOAD, .id = its_id, .name = its_name, \
        .version = "1.0.0", .summary = "Does nothing.", .help = "", .privileges = "", .example = "",                 \
        .operation_count = 1, .operation_stride = sizeof(struct assay_operation),                                    \
        .metric_stride = sizeof(struct assay_metric),                                                                \
        .options = {sizeof(struct assay_option_table), 1, sizeof(struct assay_option), 0, &sample_option},           \
        .operations = &sample_operation, .interface = &sample_workload,                                              \
    }

#endif
