#include "core/loader/vet.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace assay {
namespace {

std::int64_t nanoseconds(const timespec& at) { return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec; }

std::string parent_of(const std::string& path) {
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    return parent.empty() ? "." : parent.string();
}

const char* type_text(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISSOCK(mode)) return "a socket";
    if (S_ISBLK(mode)) return "a block device";
    if (S_ISCHR(mode)) return "a character device";
    return "of an unknown type";
}

Status not_found(const std::string& path, int error) {
    struct stat link {};
    const bool dangling = error == ENOENT && ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
    if (dangling) return usage_error(fmt::format("{}: the symbolic link points to nothing: mend or remove it", path));
    if (error == ENOENT || error == ENOTDIR) return usage_error(fmt::format("{}: there is no such file", path));
    if (error == ELOOP) return usage_error(fmt::format("{}: the symbolic links form a loop: remove them", path));
    return usage_error(fmt::format("{}: cannot be reached: {}", path, std::strerror(error)));
}

// Why `mode` lets others write, or nothing.
std::optional<std::string> writers(mode_t mode) {
    if ((mode & S_IWOTH) != 0) return "everybody";
    if ((mode & S_IWGRP) != 0 && ::geteuid() == 0) return "its group (refused because this process is root)";
    return std::nullopt;
}

Status vet_directory_mode(const std::string& path, const struct stat& info) {
    if ((info.st_mode & S_ISVTX) != 0) return {};
    const auto who = writers(info.st_mode);
    if (!who) return {};
    return usage_error(fmt::format(
        "{}: the directory can be written by {}, mode {:04o}, so anybody of them could have put code there: "
        "chmod go-w {}",
        path, *who, info.st_mode & 07777, path));
}

// Whoever owns a file or its directory can change it. Root and the caller may; so may the owner of the program that is
// running, who could have changed that just as well (a build tree of one's own under sudo).
bool may_own(uid_t owner) {
    if (owner == 0 || owner == ::geteuid()) return true;
    struct stat program {};
    return ::stat("/proc/self/exe", &program) == 0 && program.st_uid == owner;
}

Status vet_owner(const std::string& path, const std::string& directory, const struct stat& file) {
    struct stat parent {};
    if (::stat(directory.c_str(), &parent) != 0) return not_found(directory, errno);
    // In a sticky directory others cannot replace a file, so its owner does not matter.
    const bool sticky = (parent.st_mode & S_ISVTX) != 0;
    for (const auto& [what, owner] : {std::pair<const std::string&, uid_t>(path, file.st_uid),
                                      std::pair<const std::string&, uid_t>(directory, sticky ? 0 : parent.st_uid)}) {
        if (!may_own(owner))
            return usage_error(
                fmt::format("{}: belongs to user {}, who could have changed it: only what belongs to "
                            "root, to user {} or to the owner of this program is loaded",
                            what, owner, ::geteuid()));
    }
    return {};
}

Status vet_regular(const std::string& path, const struct stat& info) {
    if (!S_ISREG(info.st_mode))
        return usage_error(
            fmt::format("{}: is {}, and a plugin is a regular file (a shared object)", path, type_text(info.st_mode)));
    if (info.st_size == 0) return usage_error(fmt::format("{}: is empty", path));
    if (info.st_size > plugin_size_max_bytes)
        return usage_error(
            fmt::format("{}: is {} bytes, and a plugin has at most {}", path, info.st_size, plugin_size_max_bytes));
    if (const auto who = writers(info.st_mode))
        return usage_error(fmt::format(
            "{}: can be written by {}, mode {:04o}, so anybody of them could have changed it: chmod go-w {}", path,
            *who, info.st_mode & 07777, path));
    return {};
}

} // namespace

FileIdentity FileIdentity::of(const struct stat& info) {
    return {info.st_dev, info.st_ino, info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

Status vet_directory(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return not_found(path, errno);
    if (!S_ISDIR(info.st_mode)) return usage_error(fmt::format("{}: is not a directory", path));
    return vet_directory_mode(path, info);
}

Result<VettedFile> vet_file(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    if (!real) return not_found(path, errno);
    VettedFile vetted{real.get(), Fd(), {}};

    // The type first: opening a FIFO or a device can block or do something.
    struct stat info {};
    if (::lstat(vetted.path.c_str(), &info) != 0) return not_found(vetted.path, errno);
    if (Status bad = vet_regular(vetted.path, info); !bad.ok()) return bad;
    vetted.file = Fd(::open(vetted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
    if (!vetted.file.valid())
        return usage_error(fmt::format("{}: cannot be read: {}", vetted.path, std::strerror(errno)));
    if (::fstat(vetted.file.get(), &info) != 0) return not_found(vetted.path, errno);
    // Again, on what was really opened.
    if (Status bad = vet_regular(vetted.path, info); !bad.ok()) return bad;

    const std::string named_in = parent_of(path);
    const std::string lies_in = parent_of(vetted.path);
    for (const std::string& directory : {named_in, lies_in})
        if (Status bad = vet_directory(directory); !bad.ok()) return bad.wrap(vetted.path);
    if (Status bad = vet_owner(vetted.path, lies_in, info); !bad.ok()) return bad;
    vetted.identity = FileIdentity::of(info);
    return vetted;
}

} // namespace assay
