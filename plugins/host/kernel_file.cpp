#include "plugins/host/kernel_file.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace assay::host {
namespace {

struct CloseDirectory {
    void operator()(DIR* open) const { ::closedir(open); }
};

} // namespace

std::int64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Buffer::Buffer() : bytes_(64u << 10) {}

std::optional<std::string_view> Buffer::fill(int fd) {
    std::size_t have = 0;
    for (;;) {
        const ssize_t got = ::pread(fd, bytes_.data() + have, bytes_.size() - have, static_cast<off_t>(have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) break;
        have += static_cast<std::size_t>(got);
        if (have < bytes_.size()) continue;
        if (have == file_bytes_max) { // cut: a number could be half there
            const std::size_t newline = std::string_view(bytes_.data(), have).rfind('\n');
            have = newline == std::string_view::npos ? 0 : newline + 1;
            break;
        }
        bytes_.resize(std::min(file_bytes_max, have * 2));
    }
    return std::string_view(bytes_.data(), have);
}

std::optional<std::string_view> KernelFile::read(Buffer& buffer) {
    if (!fd_.valid()) fd_ = common::UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd_.valid()) return std::nullopt;
    auto text = buffer.fill(fd_.get());
    if (!text) fd_.reset();
    return text;
}

std::optional<std::string_view> KernelFile::read(Buffer& buffer, const sdk::Reading& reading, std::uint32_t group) {
    const std::int64_t before_ns = monotonic_ns();
    auto text = read(buffer);
    reading.stamp(group, before_ns + (monotonic_ns() - before_ns) / 2);
    return text;
}

std::optional<std::string_view> read_once(const std::string& path, Buffer& buffer) {
    return KernelFile(path).read(buffer);
}

std::vector<std::string> names_in(const std::string& directory, std::size_t count_max) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
    if (open == nullptr) return names;
    while (const dirent* entry = ::readdir(open.get())) {
        if (entry->d_name[0] == '.') continue;
        if (names.size() == count_max) break;
        names.emplace_back(entry->d_name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace assay::host
