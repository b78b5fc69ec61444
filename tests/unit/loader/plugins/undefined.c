/* Calls a function that nobody has: RTLD_NOW must refuse it when it is loaded, not when it is called. */
#include "assay/abi/entry.h"

int assay_test_nowhere(void);

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) {
    return (const struct assay_entry*)(uintptr_t)assay_test_nowhere();
}
