/* The option table: the single source for parsing, defaults, ranges, help, plan checks, JSON schema and completion.
 *
 * A plugin describes its options as data; only the host parses text, and the plugin receives typed values in the
 * table's order (value i belongs to option i). Defaults and bounds are text and go through the same parser as the
 * user's input, so they carry units too.
 *
 * Thread: none, this is static data. Ownership: the table lives as long as the plugin is loaded, that is, forever.
 */
#ifndef ASSAY_ABI_OPTION_H
#define ASSAY_ABI_OPTION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Type of an option and the form its value reaches the plugin in (see assay_scalar). */
typedef int32_t assay_option_type;
enum {
    ASSAY_TYPE_BOOL = 1,       /* yes/no, true/false, on/off, 1/0          -> integer 0 or 1 */
    ASSAY_TYPE_INT = 2,        /* whole number, no unit                    -> integer */
    ASSAY_TYPE_FLOAT = 3,      /* number, no unit                          -> real */
    ASSAY_TYPE_STRING = 4,     /*                                          -> text */
    ASSAY_TYPE_ENUM = 5,       /* one of enum_names                        -> integer: index into enum_names */
    ASSAY_TYPE_SIZE = 6,       /* 4KiB, 10MB, 512B; the unit is required   -> integer: bytes */
    ASSAY_TYPE_DURATION = 7,   /* 10s, 250ms, 3min; the unit is required   -> integer: nanoseconds */
    ASSAY_TYPE_RATE = 8,       /* 100MB/s, or 5000/s where unit is "op/s"  -> integer: bytes or operations a second */
    ASSAY_TYPE_PERCENTAGE = 9, /* 70%; the sign is required                -> real: 0..100 */
    ASSAY_TYPE_PATH = 10,      /* file-system path                         -> text */
    ASSAY_TYPE_ENDPOINT = 11   /* host:port, [v6]:port                     -> text */
};

/* Option flags. */
enum {
    ASSAY_OPTION_LIST = 1u << 0,        /* comma-separated list of values */
    ASSAY_OPTION_WEIGHTED = 1u << 1,    /* list whose items may carry a weight: 4KiB:70,64KiB:30 (implies LIST) */
    ASSAY_OPTION_REQUIRED = 1u << 2,    /* no default; the user must give it */
    ASSAY_OPTION_SECRET = 1u << 3,      /* masked everywhere; never taken from the command line */
    ASSAY_OPTION_DESTRUCTIVE = 1u << 4, /* giving it allows data to be lost; said in the help */
    ASSAY_OPTION_DEPRECATED = 1u << 5,
    ASSAY_OPTION_NEEDS_SETUP = 1u << 6 /* another value needs the setup phases again (a sweep re-lays the file) */
};

struct assay_option {
    uint32_t struct_size;
    assay_option_type type;
    uint32_t flags;
    uint32_t enum_count;
    const char* key;               /* lower snake case, unique in the table; --key-with-dashes on the command line */
    const char* help;              /* one sentence or two: what it does, in the field's terms */
    const char* default_text;      /* NULL: none, the value is absent (count 0) unless given */
    const char* min_text;          /* NULL: unbounded below; inclusive */
    const char* max_text;          /* NULL: unbounded above; inclusive */
    const char* unit;              /* what a number counts: "B", "op/s", "requests"; "" where it has none */
    const char* group;             /* heading in the help */
    const char* example;           /* a value that parses */
    const char* const* enum_names; /* enum_count names, in the order of their values */
    const char* const* enum_help;  /* one line each, or NULL */
};

struct assay_option_table {
    uint32_t struct_size;
    uint32_t count;
    uint32_t stride; /* bytes from one option to the next */
    uint32_t reserved;
    const struct assay_option* options;
};

/* One typed value. Which member counts is fixed by the option's type. */
struct assay_scalar {
    union {
        int64_t integer;
        double real;
        const char* text; /* borrowed until destroy() */
    } as;
    double weight; /* 1.0 unless the option is WEIGHTED and the user gave one; > 0 */
};

enum { ASSAY_VALUE_GIVEN = 1u << 0 /* the user gave it; otherwise it is the default */ };

struct assay_option_value {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t count; /* 0: absent; 1 for anything but a list */
    uint32_t reserved;
    const struct assay_scalar* items; /* borrowed until destroy() */
};

ASSAY_STATIC_ASSERT(sizeof(struct assay_scalar) == 16, "assay_scalar is fixed: arrays of it carry no stride");
ASSAY_STATIC_ASSERT(offsetof(struct assay_option, key) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_option, enum_help) == 88, "ABI offset");
ASSAY_STATIC_ASSERT(offsetof(struct assay_option_table, options) == 16, "ABI offset");
ASSAY_STATIC_ASSERT(sizeof(struct assay_option_table) == 24, "fixed: the descriptor holds one by value");
ASSAY_STATIC_ASSERT(offsetof(struct assay_option_value, items) == 16, "ABI offset");

#ifdef __cplusplus
}
#endif
#endif
