// Where the next request goes: small strategies, one a pattern, each with `Place next(direction)`.
//
// A worker runs over parts: what it may touch of each of its targets, in whole blocks. The *One strategies serve a
// single part without any look-up. Every strategy starts another pass when the last block is given out. Hot: inline,
// no allocation after construction. Used by one thread.
#pragma once

#include "plugins/common/permutation.hpp"
#include "plugins/common/prng.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::common {

struct Part {
    std::uint64_t base_bytes = 0;
    std::uint64_t blocks = 0; // at least 1
};

struct Place {
    std::uint32_t part;
    std::uint64_t offset_bytes;
};

// Everything a strategy may need; each takes what it uses.
struct OffsetSetup {
    std::span<const Part> parts;
    std::uint64_t block_bytes = 0;
    std::uint64_t seed = 0;
};

// Ascending. Reads and writes of a mix keep cursors of their own, as two streams over the same data would.
class SequentialOne {
public:
    explicit SequentialOne(const OffsetSetup& setup)
        : base_(setup.parts[0].base_bytes),
          end_(base_ + setup.parts[0].blocks * setup.block_bytes),
          block_(setup.block_bytes),
          cursor_{base_, base_} {}
    Place next(unsigned direction) {
        const std::uint64_t offset = cursor_[direction];
        cursor_[direction] = offset + block_ == end_ ? base_ : offset + block_;
        return {0, offset};
    }

private:
    std::uint64_t base_;
    std::uint64_t end_;
    std::uint64_t block_;
    std::array<std::uint64_t, 2> cursor_;
};

// Ascending in each part, the parts in turn; a part that is done sits out the rest of the pass.
class SequentialMany {
public:
    explicit SequentialMany(const OffsetSetup& setup)
        : parts_(setup.parts.begin(), setup.parts.end()), block_(setup.block_bytes) {
        for (const Part& part : parts_)
            total_ += part.blocks;
        for (Stream& stream : streams_)
            stream.done.assign(parts_.size(), 0);
    }
    Place next(unsigned direction) {
        Stream& stream = streams_[direction];
        if (stream.given == total_) {
            std::fill(stream.done.begin(), stream.done.end(), 0);
            stream.given = 0;
            stream.turn = 0;
        }
        while (stream.done[stream.turn] == parts_[stream.turn].blocks)
            advance(stream);
        const std::uint32_t part = stream.turn;
        const std::uint64_t block = stream.done[part]++;
        ++stream.given;
        advance(stream);
        return {part, parts_[part].base_bytes + block * block_};
    }

private:
    struct Stream {
        std::vector<std::uint64_t> done;
        std::uint64_t given = 0;
        std::uint32_t turn = 0;
    };
    void advance(Stream& stream) const {
        if (++stream.turn == parts_.size()) stream.turn = 0;
    }
    std::vector<Part> parts_;
    std::uint64_t block_;
    std::uint64_t total_ = 0;
    std::array<Stream, 2> streams_;
};

// Which part block number `block`, counted over all parts, lies in.
class BlockMap {
public:
    explicit BlockMap(const OffsetSetup& setup) : block_(setup.block_bytes) {
        for (const Part& part : setup.parts) {
            rows_.push_back({total_, part.base_bytes});
            total_ += part.blocks;
        }
    }
    [[nodiscard]] std::uint64_t total() const { return total_; }
    [[nodiscard]] Place locate(std::uint64_t block) const {
        std::size_t low = 0;
        std::size_t count = rows_.size();
        while (count > 1) {
            const std::size_t half = count / 2;
            low = rows_[low + half].first_block <= block ? low + half : low;
            count -= half;
        }
        const Row& row = rows_[low];
        return {static_cast<std::uint32_t>(low), row.base_bytes + (block - row.first_block) * block_};
    }

private:
    struct Row {
        std::uint64_t first_block;
        std::uint64_t base_bytes;
    };
    std::vector<Row> rows_;
    std::uint64_t total_ = 0;
    std::uint64_t block_;
};

// BlockMap's interface for one part.
class SinglePart {
public:
    explicit SinglePart(const OffsetSetup& setup)
        : base_(setup.parts[0].base_bytes), total_(setup.parts[0].blocks), block_(setup.block_bytes) {}
    [[nodiscard]] std::uint64_t total() const { return total_; }
    [[nodiscard]] Place locate(std::uint64_t block) const { return {0, base_ + block * block_}; }

private:
    std::uint64_t base_;
    std::uint64_t total_;
    std::uint64_t block_;
};

// Random, each block of all parts exactly once a pass, another order each pass.
template <class Map>
class RandomOnce {
public:
    explicit RandomOnce(const OffsetSetup& setup)
        : map_(setup), order_(map_.total(), setup.seed), seed_(setup.seed), total_(map_.total()) {}
    Place next(unsigned /*direction*/) {
        if (given_ == total_) [[unlikely]] {
            given_ = 0;
            order_.rekey(derive_seed(seed_, ++pass_));
        }
        return map_.locate(order_(given_++));
    }

private:
    Map map_;
    Permutation order_;
    std::uint64_t seed_;
    std::uint64_t total_;
    std::uint64_t given_ = 0;
    std::uint64_t pass_ = 0;
};

// Random, every block equally likely every time.
template <class Map>
class RandomFree {
public:
    explicit RandomFree(const OffsetSetup& setup) : map_(setup), prng_(setup.seed), total_(map_.total()) {}
    Place next(unsigned /*direction*/) { return map_.locate(prng_.below(total_)); }

private:
    Map map_;
    Prng prng_;
    std::uint64_t total_;
};

using RandomOnceOne = RandomOnce<SinglePart>;
using RandomOnceMany = RandomOnce<BlockMap>;
using RandomFreeOne = RandomFree<SinglePart>;
using RandomFreeMany = RandomFree<BlockMap>;

} // namespace assay::common
