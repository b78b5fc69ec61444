// The mount table: which file system a path is on, and what is mounted from a device.
//
// /proc/self/mountinfo holds names that other people chose, with blanks and backslashes as octal escapes. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace assay::context {

struct Mount {
    std::uint64_t id = 0;
    dev_t device = 0; // st_dev of what is below; major 0 where the file system has no single device
    std::string root; // of the file system, that appears at mount_point
    std::string mount_point;
    std::string options; // of this mount
    std::string type;
    std::string source; // "/dev/vda", "server:/export", "none"
    std::string super_options;
};

// In the order mounted; lines that do not have the documented form are left out (proc(5)).
std::vector<Mount> parse_mountinfo(std::string_view text);
// Of this process's mount namespace; `root` stands in front of /proc.
std::vector<Mount> read_mounts(const std::string& root = {});

// "\040" -> " " as the kernel escapes names; what is no escape stays as it is.
std::string unescape_octal(std::string_view text);

} // namespace assay::context
