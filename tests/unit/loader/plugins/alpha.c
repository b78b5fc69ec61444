/* An ordinary plugin: one workload, called like its file. */
#include "sample.h"

static const struct assay_descriptor descriptor_of_alpha = SAMPLE_DESCRIPTOR("alpha", "org.example.alpha");
static const struct assay_descriptor* descriptor(uint32_t index) { return index == 0 ? &descriptor_of_alpha : 0; }
static const struct assay_entry entry = {
    .struct_size = sizeof(struct assay_entry),
    .abi_major = ASSAY_ABI_MAJOR,
    .abi_minor = ASSAY_ABI_MINOR,
    .descriptor_count = 1,
    .descriptor = descriptor,
};

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) { return &entry; }
