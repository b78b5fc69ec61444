// One series as the core keeps it: a checked, bounded copy of what a sampler plugin listed.
//
// A plugin's list is hostile until it was read here: counts, strides, pointers, widths, groups, texts and labels are
// checked, and nothing points into the plugin afterwards. Plain values; any thread.
#pragma once

#include "assay/abi/sampler.h"
#include "core/base/status.hpp"
#include "core/sample/difference.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::sample {

inline constexpr std::uint32_t series_max = 100'000;
inline constexpr std::uint32_t groups_max = 65'536;

struct SeriesSpec {
    std::string plugin;
    std::string metric; // "disk.read"
    std::string unit;   // of a value after scaling
    std::string labels; // "device=vda"
    std::string help;
    bool counter = false;
    assay_series_value value = ASSAY_VALUE_U64;
    CounterRule rule;
    double scale = 1;
    std::uint32_t group = 0;
    bool duplicate = false; // of an earlier one with this name: its values are not used

    // "disk.read{device=vda}": what --select matches, and what a series is known by.
    [[nodiscard]] std::string name() const;
    // Unit of what a timeline holds: of a counter its unit a second.
    [[nodiscard]] std::string rate_unit() const;
    // The value of one label as listed, still escaped; "" if there is none.
    [[nodiscard]] std::string_view label(std::string_view key) const;
    [[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> label_pairs() const;
    // Whether its metric or its name matches one of these patterns (fnmatch).
    [[nodiscard]] bool matches_any(const std::vector<std::string>& globs) const;
    // Whether values of one can be differenced with values of the other.
    [[nodiscard]] bool same_shape(const SeriesSpec& other) const;
};

// "%2C" -> ",": label values carry what would break their form as %XX. Control characters stay escaped.
std::string unescaped(std::string_view label_value);

struct SeriesTable {
    std::vector<SeriesSpec> series;
    std::uint32_t group_count = 0;
    std::uint64_t generation = 0;
};

// Reads the plugin's list through struct_size and stride. A run error names the series, the field and the rule.
Result<SeriesTable> read_series_list(std::string_view plugin_name, const assay_series_list* list);

} // namespace assay::sample
