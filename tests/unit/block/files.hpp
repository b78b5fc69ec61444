// What the tests of this directory look at on a real file system: extents, contents, page cache.
#pragma once

#include "core/base/fd.hpp"
#include "tests/lab/devices.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace assay::block {

// On a real file system where there is one: O_DIRECT and extents mean nothing on tmpfs.
class FileTest : public testing::Test {
protected:
    FileTest() {
        const char* place = std::getenv("ASSAY_TEST_DIR");
        std::string name = std::string(place != nullptr ? place : ".") + "/block-test.XXXXXX";
        if (mkdtemp(name.data()) == nullptr) lab::fail("mkdtemp " + name);
        directory_ = std::filesystem::absolute(name).string();
    }
    ~FileTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }
    // A file full of one byte value.
    std::string filled(const std::string& name, std::size_t bytes, char value = 'x') const {
        std::ofstream(path(name), std::ios::binary) << std::string(bytes, value);
        return path(name);
    }
    // Direct I/O and FIEMAP need a disk file system.
    [[nodiscard]] bool on_tmpfs() const {
        struct statfs info {};
        return statfs(directory_.c_str(), &info) == 0 && info.f_type == 0x01021994;
    }

    std::string directory_;
};

inline std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::uint64_t size_of(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : UINT64_MAX;
}

inline bool exists(const std::string& path) { return size_of(path) != UINT64_MAX; }

// Numbers of the blocks of `block` bytes that hold something other than `value`.
inline std::set<std::size_t> changed_blocks(const std::string& path, std::size_t block, char value = 'x') {
    const std::string content = content_of(path);
    std::set<std::size_t> changed;
    for (std::size_t at = 0; at + block <= content.size(); at += block)
        if (content.substr(at, block) != std::string(block, value)) changed.insert(at / block);
    return changed;
}

// Bytes of [0, size) that extents cover with written data; -1 if the file system does not say.
inline std::int64_t written_bytes(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<std::uint64_t> memory((sizeof(fiemap) + 512 * sizeof(fiemap_extent)) / 8);
    auto* map = reinterpret_cast<fiemap*>(memory.data());
    map->fm_length = size_of(path);
    map->fm_flags = FIEMAP_FLAG_SYNC;
    map->fm_extent_count = 512;
    if (::ioctl(fd.get(), FS_IOC_FIEMAP, map) != 0) return -1;
    std::uint64_t written = 0;
    for (std::uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
        const fiemap_extent& extent = map->fm_extents[i];
        if ((extent.fe_flags & (FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC)) != 0) continue;
        const std::uint64_t end = std::min<std::uint64_t>(extent.fe_logical + extent.fe_length, size_of(path));
        written += end > extent.fe_logical ? end - extent.fe_logical : 0;
    }
    return static_cast<std::int64_t>(written);
}

} // namespace assay::block
