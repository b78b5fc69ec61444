/* Host services: what a plugin may ask of the process that loaded it.
 *
 * None of these is for the hot path: an I/O loop writes into its lanes (worker.h) and calls nothing.
 * Lifetime: the struct given to create() is valid until destroy() returns; the one given to init() until deinit().
 */
#ifndef ASSAY_ABI_HOST_H
#define ASSAY_ABI_HOST_H

#include "base.h"
#include "target.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_severity;
enum { ASSAY_LOG_DEBUG = 0, ASSAY_LOG_INFO = 1, ASSAY_LOG_WARNING = 2, ASSAY_LOG_ERROR = 3 };

struct assay_host {
    uint32_t struct_size;
    uint32_t abi_major; /* of the host */
    uint32_t abi_minor;
    uint32_t reserved;
    const char* name;    /* "assay" */
    const char* version; /* for logs, never for decisions: look for fields and extensions instead */
    void* context;       /* the host's own; the plugin passes the struct back and does not look inside */

    /* An extension of the host by id ("assay.<name>/<revision>"), or NULL. [any thread] */
    const void* (*get_extension)(const struct assay_host* host, const char* id);

    /* Finished text, one line, no trailing newline. Rate-limited by the host. [any thread] */
    void (*log)(const struct assay_host* host, assay_severity severity, const char* text);

    /* Why the call in progress is about to return something other than ASSAY_OK: names the option at fault (or
     * NULL), and says the value, the rule and what to do. The last call before the return counts. [any thread] */
    void (*set_error)(const struct assay_host* host, const char* option_key, const char* text);

    /* See target.h. [the thread in configure()] */
    void (*report_target)(const struct assay_host* host, const struct assay_target* target);

    /* See target.h. [any thread, outside the hot loop] */
    void (*report_fact)(const struct assay_host* host, const struct assay_fact* fact);

    /* Work done in a setup or teardown phase, over all workers; total 0 if unknown. [any thread] */
    void (*report_progress)(const struct assay_host* host, uint64_t done_bytes, uint64_t total_bytes);
};

ASSAY_STATIC_ASSERT(offsetof(struct assay_host, name) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_host, get_extension) == 40, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_host, report_progress) == 80, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
