// Data that storage cannot cheat on: incompressible, and no two 4 KiB blocks alike.
//
// Filling is for setup (about 10 GB/s a core); stamping is hot (two stores a 4 KiB block). One thread a DataSource.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace assay::common {

// Fills memory with random bytes: eight xoshiro256++ streams side by side, so that the compiler vectorises them.
class DataSource {
public:
    explicit DataSource(std::uint64_t seed);
    void fill(std::span<std::byte> bytes);

private:
    static constexpr std::size_t streams = 8;
    using Lane = std::array<std::uint64_t, streams>;
    std::array<Lane, 4> state_{};
};

// Distance between stamps in a request of `bytes`: 4 KiB, or the largest power of two that divides a request that is
// no multiple of it, so that every block a deduplicating device may compare holds one.
constexpr std::uint32_t stamp_stride(std::uint64_t bytes) {
    const std::uint64_t lowest_bit = bytes & (~bytes + 1);
    return lowest_bit < 4096 ? static_cast<std::uint32_t>(lowest_bit < 16 ? 16 : lowest_bit) : 4096u;
}

// Makes the blocks of one write differ from all others: where it goes, and a token that never comes twice.
inline void stamp_blocks(std::byte* buffer, std::uint64_t bytes, std::uint32_t stride, std::uint64_t offset,
                         std::uint64_t token) {
    for (std::uint64_t at = 0; at + 16 <= bytes; at += stride) {
        const std::uint64_t words[2] = {offset + at, token};
        std::memcpy(buffer + at, words, sizeof(words));
    }
}

// A number that differs from run to run, so that a run's data is not what the last one left on the target.
std::uint64_t data_salt();

} // namespace assay::common
