// What a job does with each request, in fio's words made numbers: engine, direction, sizes. Plain data.
#pragma once

#include "tools/assay/dialects/fio/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli::fio {

struct Shape {
    std::string engine = "psync"; // block's name for it
    std::string rw = "read";      // as written
    std::string pattern;          // block's name for it
    bool reads = false;
    bool writes = false;
    bool trims = false;
    double read_percent = 50;         // of a mix
    std::uint64_t block_bytes = 4096; // the smallest
    std::vector<WeightedBytes> mix;   // several sizes

    [[nodiscard]] bool mixed() const { return reads && writes; }
};

Shape shape_of(Settings& settings);

// Starts a second of one clone; nothing: as fast as it goes.
std::optional<double> rate_of(Settings& settings, const Shape& shape);

} // namespace assay::cli::fio
