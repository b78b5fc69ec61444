/* A shared object that is no plugin, and whose constructor must not run: it would end the process. */
#include <stdlib.h>

__attribute__((constructor)) static void start(void) { abort(); }

__attribute__((visibility("default"))) int assay_entry_draft_of_something_else(void) { return 0; }
