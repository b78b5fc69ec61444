/* Two workloads in one file, none called like the file; init() and deinit() say that they ran, or fail on request. */
#include "sample.h"

#include <stdlib.h>

static const struct assay_host* host_of_init;

static assay_status init(const struct assay_host* host) {
    if (getenv("ASSAY_TEST_INIT_FAILS") != 0) {
        host->set_error(host, 0, "the moon is not full: wait");
        return ASSAY_UNAVAILABLE;
    }
    host_of_init = host;
    host->log(host, ASSAY_LOG_INFO, "init");
    return ASSAY_OK;
}
static void deinit(void) { host_of_init->log(host_of_init, ASSAY_LOG_INFO, "deinit"); }

static const struct assay_descriptor descriptors[] = {
    SAMPLE_DESCRIPTOR("left", "org.example.left"),
    SAMPLE_DESCRIPTOR("right", "org.example.right"),
};
static const struct assay_descriptor* descriptor(uint32_t index) { return index < 2 ? &descriptors[index] : 0; }
static const struct assay_entry entry = {
    .struct_size = sizeof(struct assay_entry),
    .abi_major = ASSAY_ABI_MAJOR,
    .abi_minor = ASSAY_ABI_MINOR,
    .descriptor_count = 2,
    .init = init,
    .deinit = deinit,
    .descriptor = descriptor,
};

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) { return &entry; }
