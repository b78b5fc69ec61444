// The sequence of requests of one worker: where, in which direction, and when a sync call comes between.
//
// Composed at compile time from an address strategy (plugins/common/offsets.hpp), a choice of direction, and whether
// there are sync calls, so that no option is looked at per request. Hot: inline, no allocation. Used by one thread.
#pragma once

#include "plugins/block/write_buffers.hpp"
#include "plugins/common/data.hpp"
#include "plugins/common/distribution.hpp"
#include "plugins/common/offsets.hpp"
#include "plugins/common/prng.hpp"
#include "plugins/common/request.hpp"
#include "plugins/common/shaped_data.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace assay::block {

enum class Order : std::uint8_t { sequential, once, drawn };

struct SizeShare {
    std::uint32_t bytes = 0;
    double weight = 1; // relative to the other sizes; above 0
};

struct StreamSetup {
    common::OffsetSetup offsets;
    std::uint64_t operations = 0;     // reads and writes to give out; UINT64_MAX: no end
    std::uint64_t read_threshold = 0; // of 2^32: how many random numbers mean "read"
    std::uint32_t sync_every = 0;     // writes to a part between sync calls
    std::uint64_t salt = 0;           // makes written data differ from run to run and worker to worker
    WriteBuffersSetup buffers;        // none: each request keeps the one it has
    // What only ShapedStream looks at.
    Order order = Order::sequential;
    bool trims = false; // what is not read is trimmed instead of written
    common::DistributionSetup distribution;
    std::span<const SizeShare> sizes; // multiples of the block; none: one block each
    common::DataShape data;
};

struct ReadOnly {
    static constexpr common::Direction first = common::Direction::read;
    static constexpr common::Direction last = common::Direction::read;
    explicit ReadOnly(const StreamSetup& /*setup*/) {}
    common::Direction next() { return common::Direction::read; }
};

struct WriteOnly {
    static constexpr common::Direction first = common::Direction::write;
    static constexpr common::Direction last = common::Direction::write;
    explicit WriteOnly(const StreamSetup& /*setup*/) {}
    common::Direction next() { return common::Direction::write; }
};

class Mixed {
public:
    static constexpr common::Direction first = common::Direction::read;
    static constexpr common::Direction last = common::Direction::write;
    explicit Mixed(const StreamSetup& setup)
        : prng_(common::derive_seed(setup.offsets.seed, 1)), threshold_(setup.read_threshold) {}
    common::Direction next() {
        return prng_.next() >> 32 < threshold_ ? common::Direction::read : common::Direction::write;
    }

private:
    common::Prng prng_;
    std::uint64_t threshold_;
};

template <class Address, class Choice, bool Syncs>
class Stream {
public:
    static constexpr bool syncs = Syncs;
    static constexpr bool trims = false;
    static constexpr bool writes = Choice::last == common::Direction::write;
    // The operations it can issue: first .. last, as the descriptor numbers them.
    static constexpr common::Direction first = Choice::first;
    static constexpr common::Direction last = Syncs ? common::Direction::sync : Choice::last;

    explicit Stream(const StreamSetup& setup)
        : address_(setup.offsets),
          choice_(setup),
          left_(setup.operations),
          block_bytes_(setup.offsets.block_bytes),
          stamp_stride_(common::stamp_stride(block_bytes_)),
          token_(setup.salt),
          buffers_(setup.buffers),
          sync_every_(setup.sync_every) {
        if constexpr (Syncs) since_sync_.assign(setup.offsets.parts.size(), 0);
    }

    [[nodiscard]] bool more() const {
        if constexpr (Syncs) return left_ != 0 || sync_due_;
        return left_ != 0;
    }
    // The next request; its buffer is ready to go.
    void next(common::Request& request) {
        if constexpr (Syncs) {
            if (sync_due_) {
                sync_due_ = false;
                request.direction = common::Direction::sync;
                request.part = sync_part_;
                request.offset_bytes = 0;
                return;
            }
        }
        const common::Direction direction = choice_.next();
        const common::Place place = address_.next(static_cast<unsigned>(direction));
        request.direction = direction;
        request.part = place.part;
        request.offset_bytes = place.offset_bytes;
        --left_;
        if constexpr (writes) {
            if (direction == common::Direction::write)
                prepare_write(request);
            else
                buffers_.give_for_read(request);
        }
    }
    // What a successful request returns.
    [[nodiscard]] std::int64_t expected(const common::Request& request) const {
        if constexpr (Syncs) {
            if (request.direction == common::Direction::sync) return 0;
        }
        return static_cast<std::int64_t>(block_bytes_);
    }
    // Nothing more will be given out.
    void stop() {
        left_ = 0;
        if constexpr (Syncs) sync_due_ = false;
    }

private:
    void prepare_write(common::Request& request) {
        buffers_.give_for_write(request, block_bytes_);
        common::stamp_blocks(request.buffer, block_bytes_, stamp_stride_, request.offset_bytes, ++token_);
        if constexpr (Syncs) {
            if (++since_sync_[request.part] == sync_every_) {
                since_sync_[request.part] = 0;
                sync_due_ = true;
                sync_part_ = request.part;
            }
        }
    }

    Address address_;
    Choice choice_;
    std::uint64_t left_;
    std::uint64_t block_bytes_;
    std::uint32_t stamp_stride_;
    std::uint64_t token_;
    WriteBuffers buffers_;
    std::uint32_t sync_every_;
    bool sync_due_ = false;
    std::uint32_t sync_part_ = 0;
    std::vector<std::uint32_t> since_sync_; // by part
};

} // namespace assay::block
