/* The one symbol a plugin exports.
 *
 * It is a function (dlsym is only promised for functions), its name carries the ABI's major version, and it does
 * nothing but return a pointer to static data. While the ABI is a draft the name says so: a draft plugin does not load
 * into a host of another draft minor.
 */
#ifndef ASSAY_ABI_ENTRY_H
#define ASSAY_ABI_ENTRY_H

#include "base.h"
#include "descriptor.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ENTRY_SYMBOL "assay_entry_draft"

struct assay_entry {
    uint32_t struct_size;
    uint32_t abi_major; /* ASSAY_ABI_MAJOR and _MINOR of the headers it was compiled with */
    uint32_t abi_minor;
    uint32_t descriptor_count;
    /* init() is called after loading, before anything else; deinit() before exit, when no instance is left. A host that
     * is done and starts again calls them again, in pairs. May be NULL. [main thread] */
    assay_status (*init)(const struct assay_host* host);
    void (*deinit)(void);
    /* Descriptor `index`, or NULL. Static data. [any thread] */
    const struct assay_descriptor* (*descriptor)(uint32_t index);
    /* A library-wide extension by id, or NULL. May be NULL. [any thread] */
    const void* (*get_extension)(const char* id);
};

ASSAY_EXPORT const struct assay_entry* assay_entry_draft(void);

ASSAY_STATIC_ASSERT(offsetof(struct assay_entry, init) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_entry, get_extension) == 40, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
