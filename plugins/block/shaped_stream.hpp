// The sequence of requests of one worker where anything is out of the ordinary: an open loop or think time, a
// distribution, a mix of sizes, shaped data, trims.
//
// One class for all of them, which looks at the options as it goes: 10 to 30 ns a request more than Stream, but one
// loop an engine instead of hundreds. With the same options both give out the same requests. Hot: no allocation.
// Used by one thread.
#pragma once

#include "plugins/block/stream.hpp"
#include "plugins/common/distribution.hpp"
#include "plugins/common/prng.hpp"
#include "plugins/common/request.hpp"
#include "plugins/common/shaped_data.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::block {

// Ascending requests of different sizes. Each part has a position of its own, and so has each direction; a part whose
// rest is too small for a request sits out until the pass is over for all of them.
class SizedSequence {
public:
    explicit SizedSequence(const common::OffsetSetup& setup)
        : parts_(setup.parts.begin(), setup.parts.end()), unit_(setup.block_bytes) {
        for (Position& position : positions_)
            position.done.assign(parts_.size(), 0);
    }
    // `units`: size of the request in blocks; no part is smaller.
    common::Place next(bool read, std::uint64_t units) {
        Position& position = positions_[read ? 0 : 1];
        for (std::size_t tried = 0; position.done[position.turn] + units > parts_[position.turn].blocks; ++tried) {
            advance(position);
            if (tried + 1 < parts_.size()) continue;
            std::fill(position.done.begin(), position.done.end(), 0);
            position.turn = 0;
            break;
        }
        const std::uint32_t part = position.turn;
        const std::uint64_t block = position.done[part];
        position.done[part] += units;
        advance(position);
        return {part, parts_[part].base_bytes + block * unit_};
    }

private:
    struct Position {
        std::vector<std::uint64_t> done; // by part
        std::uint32_t turn = 0;
    };
    void advance(Position& position) const {
        if (++position.turn == parts_.size()) position.turn = 0;
    }
    std::vector<common::Part> parts_;
    std::uint64_t unit_;
    std::array<Position, 2> positions_;
};

class ShapedStream {
public:
    static constexpr bool syncs = true;
    static constexpr bool writes = true;
    static constexpr bool trims = true;
    static constexpr common::Direction first = common::Direction::read;
    static constexpr common::Direction last = common::Direction::trim;

    explicit ShapedStream(const StreamSetup& setup);

    [[nodiscard]] bool more() const { return left_bytes_ != 0 || sync_due_; }
    [[nodiscard]] bool sync_due() const { return sync_due_; }
    void next(common::Request& request);
    [[nodiscard]] std::int64_t expected(const common::Request& request) const {
        return request.direction == common::Direction::sync ? 0 : static_cast<std::int64_t>(request.bytes);
    }
    void stop() {
        left_bytes_ = 0;
        sync_due_ = false;
    }

private:
    struct SizeRow {
        std::uint64_t drawn_below; // of 2^32
        std::uint32_t bytes;
    };
    std::uint32_t next_bytes();
    common::Place next_place(common::Direction direction, std::uint32_t bytes);
    void prepare_write(common::Request& request);

    // Where.
    Order order_;
    std::uint64_t unit_bytes_;
    common::BlockMap map_;
    std::vector<common::Part> parts_;
    SizedSequence sequence_;
    common::RandomOnceMany once_;
    common::Distribution distribution_;
    // In which direction, and how much.
    common::Prng direction_prng_;
    std::uint64_t read_threshold_;
    common::Direction other_; // than read
    common::Prng size_prng_;
    std::vector<SizeRow> sizes_;
    std::uint64_t left_bytes_; // UINT64_MAX: no end
    // With what, and the sync calls between.
    std::optional<common::ShapedData> data_;
    std::uint32_t stamp_stride_;
    std::uint64_t token_;
    WriteBuffers buffers_;
    std::uint32_t sync_every_;
    bool sync_due_ = false;
    std::uint32_t sync_part_ = 0;
    std::vector<std::uint32_t> since_sync_; // by part
};

} // namespace assay::block
