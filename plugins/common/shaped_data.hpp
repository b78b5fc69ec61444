// Data of which a chosen share compresses away and a chosen share repeats: for devices whose speed depends on what is
// written to them.
//
// A block of 4 KiB (or of the stride, where requests are smaller) begins with random bytes and ends with zeros; it is a
// function of a number alone, so writing a number again repeats a block. Hot: about 0.4 us a block of 4 KiB, less the
// more compressible it is. One thread.
#pragma once

#include "plugins/common/prng.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::common {

struct DataShape {
    double compressible_share = 0; // of each block, 0 .. 1
    double repeated_share = 0;     // of the blocks, 0 .. 1: copies of an earlier one
    [[nodiscard]] bool plain() const { return compressible_share == 0 && repeated_share == 0; }
};

class ShapedData {
public:
    // `stride`: bytes of a block. Two of these with different salts share no block.
    ShapedData(const DataShape& shape, std::uint64_t salt, std::uint32_t stride);
    void fill(std::span<std::byte> bytes);

private:
    std::uint32_t stride_;
    std::uint32_t random_bytes_;     // of a block; the rest is zero
    std::uint64_t repeat_threshold_; // of 2^32
    std::uint64_t salt_;
    std::uint64_t fresh_ = 0; // blocks so far that were no copies: numbers 0 .. fresh_-1 are taken
    Prng prng_;
};

} // namespace assay::common
