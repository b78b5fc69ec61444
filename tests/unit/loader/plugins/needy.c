/* Needs a library that is not there when it is loaded. */
#include "assay/abi/entry.h"

int assay_test_absent(void);

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) {
    return (const struct assay_entry*)(uintptr_t)assay_test_absent();
}
