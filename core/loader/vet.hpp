// Decides whether a file may be loaded as a plugin at all, before a byte of it runs.
//
// A plugin runs with all the rights of this process, so a file that somebody else could have changed is refused: it, or
// the directory it lies in, can be written by the world (a sticky directory aside, where the file's owner must then be
// root or this user), or, for root, by the group. Symbolic links are followed first; both ends are vetted. Nothing
// here blocks on a FIFO or a device. Any thread.
#pragma once

#include "core/base/fd.hpp"
#include "core/base/status.hpp"

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace assay {

// Tells whether two looks at a file saw the same, unchanged bytes: a file cannot be rewritten without its ctime moving.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size_bytes = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;

    static FileIdentity of(const struct stat& info);
    bool operator==(const FileIdentity&) const = default;
    [[nodiscard]] bool same_file(const FileIdentity& other) const {
        return device == other.device && inode == other.inode;
    }
};

// A regular file that passed, open for reading.
struct VettedFile {
    std::string path; // absolute, without symbolic links
    Fd file;
    FileIdentity identity;
};

// Largest file that is looked at.
inline constexpr std::int64_t plugin_size_max_bytes = std::int64_t{1} << 30;

// Failures are usage errors whose message starts with the path.
Result<VettedFile> vet_file(const std::string& path);

// The rule for a directory that plugins are taken from.
Status vet_directory(const std::string& path);

} // namespace assay
