// Which files a job works on and how much of each: fio's rules for names, size and its division.
//
// Looks at the files that are there (their size), changes nothing. Control thread.
#pragma once

#include "tools/assay/dialects/fio/settings.hpp"
#include "tools/assay/dialects/fio/shape.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli::fio {

struct FileSet {
    std::vector<std::string> targets; // in the order in which a plan job deals them over its workers
    bool devices = false;             // one of them is a block device
    bool shared = false;              // every clone works on all of them; else each has its own
    std::size_t files_per_clone = 1;
    std::uint64_t offset_bytes = 0;
    std::optional<std::uint64_t> region_bytes; // of each target; nothing: to its end
    std::uint64_t pass_bytes = 0;              // what one clone moves in one pass, in whole blocks
    std::optional<std::uint64_t> limit_bytes;  // less than a pass: size with filesize
};

FileSet files_of(Settings& settings, const Shape& shape, unsigned numjobs);

} // namespace assay::cli::fio
