// Descriptor tables and the entry symbol.
//
//   constexpr assay_descriptor descriptor = {...};
//   ASSAY_PLUGIN(descriptor)
#pragma once

#include "assay/abi/entry.h"
#include "assay/sdk/option.hpp"

#include <cstdint>

namespace assay::sdk::inline v0 {

constexpr assay_operation operation(assay_op_kind kind, const char* name, const char* help,
                                    const char* const* histograms, std::uint32_t histogram_count) {
    return {sizeof(assay_operation), kind, histogram_count, 0, name, help, histograms};
}
constexpr assay_metric metric(assay_metric_kind kind, assay_metric_role role, const char* key, const char* unit,
                              const char* help) {
    return {sizeof(assay_metric), kind, role, 0, key, unit, help};
}

} // namespace assay::sdk::inline v0

// Defines the entry point of a plugin with one descriptor.
#define ASSAY_PLUGIN(the_descriptor)                                                                                  \
    extern "C" ASSAY_EXPORT const assay_entry* assay_entry_draft(void) {                                              \
        static constexpr assay_entry entry = {                                                                        \
            sizeof(assay_entry),                                                                                      \
            ASSAY_ABI_MAJOR,                                                                                          \
            ASSAY_ABI_MINOR,                                                                                          \
            1,                                                                                                        \
            nullptr,                                                                                                  \
            nullptr,                                                                                                  \
            +[](std::uint32_t index) -> const assay_descriptor* { return index == 0 ? &(the_descriptor) : nullptr; }, \
            nullptr};                                                                                                 \
        return &entry;                                                                                                \
    }
