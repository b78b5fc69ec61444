// Random numbers for offsets, choices and data: fast, seeded, the same on every machine. Not for secrets.
//
// Hot: inline, about 1 ns a number. One generator a thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace assay::common {

// SplitMix64's finaliser (Steele, Lea, Flood 2014): every input bit reaches every output bit; a bijection.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

// A seed of its own for each (seed, stream) pair.
constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t stream) {
    return mix64(mix64(seed + golden_gamma) + (stream + 1) * golden_gamma);
}

// xoshiro256++ (Blackman, Vigna 2019).
class Prng {
public:
    explicit constexpr Prng(std::uint64_t seed) {
        for (std::uint64_t& word : state_)
            word = mix64(seed += golden_gamma);
    }
    constexpr std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // 0 .. bound-1. Multiply-shift without rejection: for any bound up to 2^40 each value's probability is within
    // 2^-24 of 1/bound, far below what a benchmark could notice.
    constexpr std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }

private:
    std::array<std::uint64_t, 4> state_{};
};

} // namespace assay::common
