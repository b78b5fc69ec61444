/* Built for a later draft of the ABI; init() and descriptor() must never be called. */
#include "sample.h"

#include <stdlib.h>

static assay_status init(const struct assay_host* host) {
    (void)host;
    abort();
}
static const struct assay_descriptor* descriptor(uint32_t index) {
    (void)index;
    abort();
}
static const struct assay_entry entry = {
    .struct_size = sizeof(struct assay_entry),
    .abi_major = ASSAY_ABI_MAJOR,
    .abi_minor = ASSAY_ABI_MINOR + 1,
    .descriptor_count = 1,
    .init = init,
    .descriptor = descriptor,
};

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) { return &entry; }
