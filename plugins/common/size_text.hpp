// Sizes in messages, written as people write them. Cold; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace assay::common {

// Exact, in the largest binary unit that divides it: 4096 -> "4KiB", 5000 -> "5000B".
inline std::string size_text(std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + units[unit];
}

} // namespace assay::common
