// Files of /proc and /sys that are read again and again: opened once, read from the start each time into one buffer
// that all sources share.
//
// One thread at a time. Sizes are not known beforehand and never trusted: at most file_bytes_max are read, and what is
// longer is cut after its last whole line.
#pragma once

#include "assay/sdk/series.hpp"
#include "plugins/common/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::host {

inline constexpr std::size_t file_bytes_max = 4u << 20;

// Where the kernel's views are mounted. Tests put captured files there.
struct Roots {
    std::string proc = "/proc";
    std::string sys = "/sys";
    std::string dev = "/dev";
};

std::int64_t monotonic_ns();

// Grows to what the largest file needed and stays there.
class Buffer {
public:
    Buffer();
    // Everything that `fd` gives from its start; nothing if it cannot be read. Valid until the next call.
    std::optional<std::string_view> fill(int fd);

private:
    std::vector<char> bytes_;
};

class KernelFile {
public:
    explicit KernelFile(std::string path) : path_(std::move(path)) {}

    // A file that could not be read is opened anew the next time: it may have come back.
    std::optional<std::string_view> read(Buffer& buffer);
    // The same, and puts the middle of the time that it took into the reading's group.
    std::optional<std::string_view> read(Buffer& buffer, const sdk::Reading& reading, std::uint32_t group);

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    common::UniqueFd fd_;
};

// For what is read rarely: no descriptor is kept.
std::optional<std::string_view> read_once(const std::string& path, Buffer& buffer);

// Names in a directory in alphabetic order, without those that begin with a dot; at most `count_max`. Empty if there is
// no such directory.
std::vector<std::string> names_in(const std::string& directory, std::size_t count_max);

} // namespace assay::host
