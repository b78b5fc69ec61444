// A file or block device the user named: what it is, which region of it is used, and what must be written first.
//
// inspect() opens nothing for writing and never waits (a FIFO without a peer, an absent device). Control thread.
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/block/config.hpp"
#include "plugins/common/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::block {

// What O_DIRECT asks for, as far as the kernel says (statx STATX_DIOALIGN, Linux 6.1).
struct DirectAlignment {
    std::uint32_t memory_bytes = 0;
    std::uint32_t offset_bytes = 0; // 0: the file does not support direct I/O
    const char* source = "statx";
};

// Which file a name led to.
struct Identity {
    dev_t device = 0; // of a block device the device itself
    ino_t inode = 0;  // 0 for a block device
    bool operator==(const Identity&) const = default;
};

struct Target {
    std::string path;
    bool block_device = false;
    bool exists = false;
    Identity identity;
    std::uint64_t present_bytes = 0; // length of the file or device as found
    std::uint64_t offset_bytes = 0;  // region used, in whole blocks
    std::uint64_t length_bytes = 0;
    std::uint64_t needed_bytes = 0; // length the target must have: the end of the region as the user gave it
    std::optional<DirectAlignment> alignment;

    // [begin, end) that layout writes with data; empty if nothing. Otherwise `reserve` bytes may be wanted.
    std::uint64_t layout_begin = 0;
    std::uint64_t layout_end = 0;
    bool reserve = false; // make the file needed_bytes long without data
    // Progress of that, for cleaning up.
    bool created = false;
    bool complete = true;
};

// Looks at `path` and works out its region and layout under `config`.
sdk::Status inspect(const std::string& path, const Config& config, Target& target);
// The first path that leads to the same file or device as an earlier one.
sdk::Status check_duplicates(const std::vector<Target>& targets);

// Opens with `flags`, never waiting for it, and makes sure that it is still the file that was inspected. O_NOATIME is
// left out where the file belongs to somebody else.
sdk::Status open_target(const Target& target, int flags, common::UniqueFd& fd);
// Nothing where the kernel does not say.
std::optional<DirectAlignment> direct_alignment(const Target& target);
// Does the alignment allow this block size and offset?
sdk::Status check_alignment(const Target& target, const Config& config);

} // namespace assay::block
