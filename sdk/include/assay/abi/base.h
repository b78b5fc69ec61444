/* What every other ABI header needs: the struct_size rule, status codes, and the export macro.
 *
 * These headers are the whole boundary between the assay host and a plugin. They are plain C11, also clean as
 * C++17 and C++20, and hold no allocation, stdio, exception or C++ type.
 *
 * The struct_size rule. Every struct that crosses the boundary starts with `uint32_t struct_size`, set by the side
 * that made it to the size it was compiled with. The other side reads a field only if ASSAY_HAS() says that the
 * field lies inside that size. So a new plugin runs on an old host and the other way round, within a major
 * version. Fields are only ever appended. Arrays of structs carry their stride in bytes for the same reason.
 *
 * Strings are UTF-8, zero-terminated and borrowed: each field says for how long. Nothing is freed by the other side.
 */
#ifndef ASSAY_ABI_BASE_H
#define ASSAY_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Major 0 is the draft. It becomes 1, and is frozen, together with the entry symbol's name (see entry.h). */
#define ASSAY_ABI_MAJOR 0u
#define ASSAY_ABI_MINOR 1u

#if defined(__GNUC__)
#define ASSAY_EXPORT __attribute__((visibility("default")))
#else
#define ASSAY_EXPORT
#endif

#ifdef __cplusplus
#define ASSAY_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define ASSAY_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* True if `field` of `*pointer` lies inside the size that the struct's maker declared. */
#define ASSAY_HAS(pointer, type, field) ((pointer)->struct_size >= offsetof(type, field) + sizeof(((type*)0)->field))

/* Outcome of a call across the boundary. Negative values never occur. Per-operation errors inside a workload are
 * counters (see worker.h), not statuses: a status other than OK ends the phase. */
typedef int32_t assay_status;
enum {
    ASSAY_OK = 0,
    ASSAY_INVALID_OPTION = 1, /* a value the option table could not refuse; set_error() names the option */
    ASSAY_UNSUPPORTED = 2,    /* not possible with this kernel, device or build */
    ASSAY_UNAVAILABLE = 3,    /* what it would measure is not there; reported as skipped */
    ASSAY_PERMISSION = 4,
    ASSAY_RESOURCE = 5, /* memory, descriptors, disk space */
    ASSAY_IO = 6,
    ASSAY_TIMEOUT = 7,
    ASSAY_CANCELLED = 8,     /* ended because the stop word was set before there was a result */
    ASSAY_DATA_MISMATCH = 9, /* what was read is not what was written */
    ASSAY_INTERNAL = 10
};

#ifdef __cplusplus
}
#endif
#endif
