// Which memory a write takes its data from.
//
// A slot that wrote its own buffer over and over would write the same random bytes again and again: no block alike for
// a deduplicator, thanks to the stamps, but a compressor that sees several of them keeps little more than one. So a
// write swaps its slot's buffer for the one that has been spare for longest, and where a buffer holds several requests
// it goes through it piece by piece: what was written comes back after 2 MiB (of a mix of sizes about as much), which
// is more than storage looks back, for two 16-byte swaps a write. Spare buffers are never in flight.
//
// In a mix, reads have buffers of their own, because what they leave there (zeros, say) must not be written. Hot:
// inline, no allocation. One worker's thread.
#pragma once

#include "plugins/common/request.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace assay::block {

constexpr std::uint64_t fresh_data_bytes = std::uint64_t{2} << 20; // written before any of it comes again

struct WriteBuffersSetup {
    std::span<common::Buffer> writes;      // one for each slot, then the spare ones; empty: nothing is swapped
    std::span<const common::Buffer> reads; // by slot; empty: reads go where the last request went
    std::uint32_t slots = 0;
    std::uint64_t slot_bytes = 0; // that each holds
};

class WriteBuffers {
public:
    explicit WriteBuffers(const WriteBuffersSetup& setup) : setup_(setup), turn_(setup.slots) {}

    void give_for_write(common::Request& request, std::uint64_t bytes) {
        if (setup_.writes.empty()) return;
        common::Buffer& mine = setup_.writes[request.slot];
        if (turn_ < setup_.writes.size()) {
            std::swap(mine, setup_.writes[turn_]);
            if (++turn_ == setup_.writes.size()) turn_ = setup_.slots;
        }
        if (mine.next_bytes + bytes > setup_.slot_bytes) mine.next_bytes = 0;
        request.buffer = mine.data + mine.next_bytes;
        request.buffer_index = mine.index;
        mine.next_bytes += static_cast<std::uint32_t>((bytes + piece_bytes - 1) / piece_bytes * piece_bytes);
    }
    void give_for_read(common::Request& request) const {
        if (setup_.reads.empty()) return;
        const common::Buffer& mine = setup_.reads[request.slot];
        request.buffer = mine.data;
        request.buffer_index = mine.index;
    }

private:
    static constexpr std::uint64_t piece_bytes = 512; // what direct I/O may want memory aligned to
    WriteBuffersSetup setup_;
    std::size_t turn_; // the spare buffer that comes next
};

} // namespace assay::block
