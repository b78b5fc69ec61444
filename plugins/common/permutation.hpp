// A random order that visits each of n things exactly once, without remembering which were visited.
//
// Problem: a random map as a bitmap costs memory in proportion to the device and a search near the end of a pass.
// Here a keyed bijection takes its place: a Feistel network of three rounds on pairs (high, low) with low < 2^k and
// high < c, where c * 2^k is n rounded up by less than one part in sqrt(n). What falls beyond n is permuted again
// ("cycle walking"), which then happens too rarely to cost anything; on the next power of two, as many do it, it would
// be needed up to every other time, with a branch that cannot be predicted: 14 ns against 4. Hot: inline.
#pragma once

#include "plugins/common/prng.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace assay::common {

class Permutation {
public:
    // n: 1 .. 2^62.
    constexpr Permutation(std::uint64_t n, std::uint64_t key) : n_(n) {
        const auto bits = static_cast<std::uint32_t>(n > 2 ? std::bit_width(n - 1) : 1);
        low_bits_ = (bits + 1) / 2;
        low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
        high_count_ = (n + low_mask_) >> low_bits_;
        rekey(key);
    }
    // Another order of the same n.
    constexpr void rekey(std::uint64_t key) {
        for (std::uint64_t i = 0; i < rounds; ++i)
            rounds_[i] = {derive_seed(key, 3 * i), derive_seed(key, 3 * i + 1) | 1u, derive_seed(key, 3 * i + 2) | 1u};
    }
    // i: 0 .. n-1.
    [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t i) const {
        do
            i = scramble(i);
        while (i >= n_);
        return i;
    }

private:
    static constexpr std::uint64_t rounds = 3;
    struct Round {
        std::uint64_t add;
        std::uint64_t multiply;
        std::uint64_t multiply_again;
    };

    // Each step moves one half by an amount that the other half decides, so each can be undone.
    [[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t number) const {
        std::uint64_t high = number >> low_bits_;
        std::uint64_t low = number & low_mask_;
        high = turn(high, random_of(low, rounds_[0]));
        low = (low + (random_of(high, rounds_[1]) >> 24)) & low_mask_;
        high = turn(high, random_of(low, rounds_[2]));
        return high << low_bits_ | low;
    }
    [[nodiscard]] static constexpr std::uint64_t random_of(std::uint64_t half, const Round& round) {
        const std::uint64_t once = (half + round.add) * round.multiply;
        return (once ^ (once >> 32)) * round.multiply_again;
    }
    // high + (0 .. c-1, from the upper bits of `random`) modulo c.
    [[nodiscard]] constexpr std::uint64_t turn(std::uint64_t high, std::uint64_t random) const {
        const std::uint64_t sum = high + (((random >> 32) * high_count_) >> 32);
        return std::min(sum, sum - high_count_); // the subtraction wraps around where sum < c
    }

    std::uint64_t n_;
    std::uint64_t low_mask_ = 0;
    std::uint64_t high_count_ = 1; // c; below 2^32
    Round rounds_[rounds] = {};
    std::uint32_t low_bits_ = 0;
};

} // namespace assay::common
