// One request slot, and the vocabulary that all engines share.
//
// An asynchronous engine has, all hot and all on one thread:
//   room()        how many queue() calls may follow before a submit()
//   queue(r)      takes r's direction, part, offset, bytes and buffer; r stays with the engine until it is reaped
//   submit(n)     hands what is queued to the kernel and waits until n of all requests in flight have completed (0:
//                 does not wait); 0, or -errno if nothing more can be done. It may submit less: what is left goes next
//   submit_within(n, t)  the same, but waits no longer than t nanoseconds
//   reap(f)       f(request, result) for each completed request; result as pread's, or -errno
// and sync_files(), cold: flushes one part's file and waits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::common {

enum class Direction : std::uint8_t { read = 0, write = 1, sync = 2, trim = 3 };

// Memory for one transfer at a time.
struct Buffer {
    std::byte* data = nullptr;
    std::uint32_t index = 0;      // registered buffer that it lies in
    std::uint32_t next_bytes = 0; // where in it the next write begins, if there is room for it
};

// One cache line: all that is touched per operation besides the engine's own entry.
struct alignas(64) Request {
    std::uint64_t stamp_ticks = 0; // when it was submitted
    std::uint64_t offset_bytes = 0;
    std::byte* buffer = nullptr;
    std::int64_t intended_ns = 0;   // CLOCK_MONOTONIC instant at which it was due; open loops only
    std::uint32_t part = 0;         // index into the engine's files
    std::uint32_t buffer_index = 0; // registered buffer that `buffer` lies in
    std::uint32_t slot = 0;
    std::uint32_t bytes = 0; // to move; at most what the buffer holds
    Direction direction = Direction::read;
};
static_assert(sizeof(Request) == 64);

enum class SyncCall : std::uint8_t { fsync = 0, fdatasync = 1 };

} // namespace assay::common
