/* The ABI headers as C sees them and as C++ sees them: the same things compiled twice, for one test to compare. */
#ifndef ASSAY_TEST_SDK_LANGUAGES_H
#define ASSAY_TEST_SDK_LANGUAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One line of sdk/abi-baseline/layout.def, and what the compiler says. A struct has no field name. */
struct layout_row {
    const char* of;
    const char* field;
    size_t expected_offset, expected_bytes;
    size_t offset, bytes;
};

struct language {
    const char* name;
    const struct layout_row* rows;
    size_t row_count;
    uint32_t (*histogram_index)(uint64_t value_ns);
    uint64_t (*histogram_lower_ns)(uint32_t index);
    uint64_t (*histogram_upper_ns)(uint32_t index);
    uint64_t (*clock_ns)(uint64_t mult, uint32_t shift, uint64_t from_ticks, uint64_t to_ticks);
};

extern const struct language language_c;
extern const struct language language_cpp;

#ifdef __cplusplus
}
#endif
#endif
