// Hot.
#include "plugins/block/shaped_stream.hpp"

#include <algorithm>

namespace assay::block {

using common::Direction;

namespace {

constexpr double draws = 4294967296.0; // a size is drawn with 32 bits

std::uint64_t bytes_of(const StreamSetup& setup) {
    std::uint64_t bytes = 0;
    return __builtin_mul_overflow(setup.operations, setup.offsets.block_bytes, &bytes) ? UINT64_MAX : bytes;
}

} // namespace

ShapedStream::ShapedStream(const StreamSetup& setup)
    : order_(setup.order),
      unit_bytes_(setup.offsets.block_bytes),
      map_(setup.offsets),
      parts_(setup.offsets.parts.begin(), setup.offsets.parts.end()),
      sequence_(setup.offsets),
      once_(setup.offsets),
      distribution_(map_.total(), setup.distribution, setup.offsets.seed),
      direction_prng_(common::derive_seed(setup.offsets.seed, 1)),
      read_threshold_(setup.read_threshold),
      other_(setup.trims ? Direction::trim : Direction::write),
      size_prng_(common::derive_seed(setup.offsets.seed, 2)),
      left_bytes_(bytes_of(setup)),
      stamp_stride_(common::stamp_stride(unit_bytes_)),
      token_(setup.salt),
      buffers_(setup.buffers),
      sync_every_(setup.sync_every),
      since_sync_(parts_.size(), 0) {
    double weights = 0;
    for (const SizeShare& size : setup.sizes)
        weights += size.weight;
    double up_to = 0;
    for (const SizeShare& size : setup.sizes) {
        up_to += size.weight;
        sizes_.push_back({static_cast<std::uint64_t>(up_to / weights * draws), size.bytes});
    }
    if (sizes_.empty()) sizes_.push_back({0, static_cast<std::uint32_t>(unit_bytes_)});
    if (!setup.data.plain()) data_.emplace(setup.data, common::derive_seed(setup.salt, 3), stamp_stride_);
}

void ShapedStream::next(common::Request& request) {
    if (sync_due_) {
        sync_due_ = false;
        request.direction = Direction::sync;
        request.part = sync_part_;
        request.offset_bytes = 0;
        return;
    }
    const Direction direction = direction_prng_.next() >> 32 < read_threshold_ ? Direction::read : other_;
    const std::uint32_t bytes = next_bytes();
    const common::Place place = next_place(direction, bytes);
    request.direction = direction;
    request.part = place.part;
    request.offset_bytes = place.offset_bytes;
    request.bytes = bytes;
    if (left_bytes_ != UINT64_MAX) left_bytes_ -= std::min<std::uint64_t>(left_bytes_, bytes);
    if (direction == Direction::write)
        prepare_write(request);
    else if (direction == Direction::read)
        buffers_.give_for_read(request);
}

std::uint32_t ShapedStream::next_bytes() {
    if (sizes_.size() == 1) return sizes_[0].bytes;
    const std::uint64_t drawn = size_prng_.next() >> 32;
    std::size_t at = 0;
    while (at + 1 < sizes_.size() && drawn >= sizes_[at].drawn_below)
        ++at;
    return sizes_[at].bytes;
}

common::Place ShapedStream::next_place(Direction direction, std::uint32_t bytes) {
    if (order_ == Order::sequential) return sequence_.next(direction == Direction::read, bytes / unit_bytes_);
    if (order_ == Order::once) return once_.next(0);
    common::Place place = map_.locate(distribution_.next());
    // One that would pass the end of its part begins as much earlier.
    const common::Part& part = parts_[place.part];
    place.offset_bytes = std::min(place.offset_bytes, part.base_bytes + part.blocks * unit_bytes_ - bytes);
    return place;
}

void ShapedStream::prepare_write(common::Request& request) {
    buffers_.give_for_write(request, request.bytes);
    if (data_)
        data_->fill({request.buffer, request.bytes});
    else
        common::stamp_blocks(request.buffer, request.bytes, stamp_stride_, request.offset_bytes, ++token_);
    if (sync_every_ != 0 && ++since_sync_[request.part] == sync_every_) {
        since_sync_[request.part] = 0;
        sync_due_ = true;
        sync_part_ = request.part;
    }
}

} // namespace assay::block
