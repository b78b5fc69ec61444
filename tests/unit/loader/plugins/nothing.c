/* The entry function returns nothing. */
#include "assay/abi/entry.h"

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void) { return 0; }
