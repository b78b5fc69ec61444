// A random order that visits each of n things exactly once, without remembering which were visited.
//
// Problem: a random map as a bitmap costs memory in proportion to the device and a search near the end of a pass.
// Here a keyed bijection on the next power of two (multiply, xor-shift) is applied until it falls below n ("cycle
// walking"; fewer than two rounds on average), which is a bijection on 0 .. n-1. Hot: inline, about 2 ns.
#pragma once

#include "plugins/common/prng.hpp"

#include <bit>
#include <cstdint>

namespace assay::common {

class Permutation {
public:
    // n: 1 .. 2^62.
    constexpr Permutation(std::uint64_t n, std::uint64_t key) : n_(n) {
        const auto bits = static_cast<std::uint32_t>(n > 2 ? std::bit_width(n - 1) : 1);
        mask_ = (std::uint64_t{1} << bits) - 1;
        shift_ = (bits + 1) / 2;
        rekey(key);
    }
    // Another order of the same n.
    constexpr void rekey(std::uint64_t key) {
        add_ = derive_seed(key, 0);
        for (std::uint64_t i = 0; i < 3; ++i)
            multiply_[i] = derive_seed(key, i + 1) | 1u;
    }
    // i: 0 .. n-1.
    [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t i) const {
        do
            i = scramble(i);
        while (i >= n_);
        return i;
    }

private:
    [[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t x) const {
        x = (x + add_) & mask_;
        x = ((x ^ (x >> shift_)) * multiply_[0]) & mask_;
        x = ((x ^ (x >> shift_)) * multiply_[1]) & mask_;
        x = ((x ^ (x >> shift_)) * multiply_[2]) & mask_;
        return x ^ (x >> shift_);
    }

    std::uint64_t n_;
    std::uint64_t mask_ = 0;
    std::uint64_t add_ = 0;
    std::uint64_t multiply_[3] = {};
    std::uint32_t shift_ = 0;
};

} // namespace assay::common
