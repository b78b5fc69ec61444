// Checks that what a plugin's entry function returned keeps the ABI's contract, so that the rest of the core may use it
// without asking again: sizes, versions, strings, tables and function pointers.
//
// Everything is read through struct_size and stride. Failures are usage errors without the plugin's path, naming the
// field, its value and the rule. Control thread only.
#pragma once

#include "assay/abi/entry.h"
#include "core/base/status.hpp"
#include "core/schema/schema.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace assay {

inline constexpr std::uint32_t descriptors_max = 64;
inline constexpr std::uint32_t operations_max = 16;
inline constexpr std::uint32_t histograms_max = 8;
inline constexpr std::uint32_t metrics_max = 64;
inline constexpr std::uint32_t stride_max_bytes = 4096;

// The entry itself: its ABI version, its size, and what must be in it.
Status check_entry(const assay_entry* entry);

struct CheckedDescriptor {
    const assay_descriptor* descriptor = nullptr;
    std::string name;
    std::string id;
    std::shared_ptr<const Schema> schema;
};
Result<CheckedDescriptor> check_descriptor(const assay_descriptor* descriptor);

} // namespace assay
