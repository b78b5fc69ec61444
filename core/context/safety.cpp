#include "core/base/fd.hpp"
#include "core/base/text.hpp"
#include "core/context/block_device.hpp"
#include "core/context/facts.hpp"
#include "core/context/mounts.hpp"
#include "core/context/signatures.hpp"
#include "core/context/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace assay {
namespace {

using context::BlockDevice;

// One reason not to write, with its subject: "it is mounted on /srv", "its partition sda1 is used as swap".
using Reasons = std::vector<std::string>;

std::optional<dev_t> block_number(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return std::nullopt;
    return status.st_rdev;
}

// Devices and files that are used as swap.
std::vector<std::string> swaps() {
    std::vector<std::string> paths;
    const std::string table = context::read_text("/proc/swaps").value_or("");
    for (const std::string_view line : split(table, '\n'))
        if (line.starts_with('/')) paths.push_back(context::unescape_octal(line.substr(0, line.find_first_of(" \t"))));
    return paths;
}

// Everything that can use a device, read once for all devices looked at.
class Users {
public:
    Users() {
        for (const context::Mount& mount : context::read_mounts()) {
            add(mount.device, "is mounted on " + context::printable(mount.mount_point));
            // btrfs and its like have an anonymous number; their source names the device.
            const std::optional<dev_t> source =
                mount.source.starts_with("/dev/") ? block_number(mount.source) : std::nullopt;
            if (source && *source != mount.device)
                add(*source, "is mounted on " + context::printable(mount.mount_point));
        }
        for (const std::string& swap : swaps())
            if (const std::optional<dev_t> number = block_number(swap)) add(*number, "is used as swap");
    }

    // The uses of `device`, each once, and what is built on it.
    void reasons_for(const BlockDevice& device, const std::string& subject, Reasons& reasons) const {
        constexpr int max_named = 3; // a file system may be bind-mounted a hundred times
        int named = 0;
        for (const auto& [number, use] : uses_) {
            if (number != device.number || ++named > max_named) continue;
            reasons.push_back(subject + " " + use);
        }
        for (const std::string& holder : context::holders_of(device))
            reasons.push_back(subject + " is in use by " + holder);
    }

private:
    void add(dev_t number, std::string use) {
        const std::pair<dev_t, std::string> entry(number, std::move(use));
        if (std::find(uses_.begin(), uses_.end(), entry) == uses_.end()) uses_.push_back(entry);
    }

    std::vector<std::pair<dev_t, std::string>> uses_;
};

// What a loop device lies on, as the kernel knows it: names may be those of another root or mount namespace.
std::optional<loop_info64> loop_status(const BlockDevice& device) {
    const Fd fd(::open(("/dev/" + device.disk).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    loop_info64 info{};
    if (!fd.valid() || ::ioctl(fd.get(), LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
    return info;
}

bool same_backing(const BlockDevice& one, const BlockDevice& other) {
    const std::optional<loop_info64> a = loop_status(one);
    const std::optional<loop_info64> b = loop_status(other);
    if (!a || !b) return context::loop_backing_file(one) == context::loop_backing_file(other);
    return a->lo_device == b->lo_device && a->lo_inode == b->lo_inode;
}

// Writing to a loop device is writing to what is below, which may be in use in other ways.
void reasons_below_loop(const BlockDevice& device, const Users& users, Reasons& reasons) {
    if (context::loop_backing_file(device).empty()) return;
    const std::optional<loop_info64> status = loop_status(device);
    const std::optional<BlockDevice> below =
        status && status->lo_rdevice != 0 ? context::find_block_device(status->lo_rdevice) : std::nullopt;
    if (below) users.reasons_for(*below, "the device below it, " + below->name + ",", reasons);
    for (const std::string& name : context::list_directory("/sys/class/block")) {
        if (!name.starts_with("loop") || name == device.disk) continue;
        const std::optional<BlockDevice> other = context::find_block_device(name);
        if (!other || other->is_partition() || context::loop_backing_file(*other).empty()) continue;
        if (same_backing(device, *other))
            users.reasons_for(*other, name + ", which has the same backing file,", reasons);
    }
}

Reasons reasons_in_use(const BlockDevice& device) {
    const Users users;
    Reasons reasons;
    users.reasons_for(device, "it", reasons);
    for (const BlockDevice& partition : context::partitions_of(device))
        users.reasons_for(partition, "its partition " + partition.name, reasons);
    if (device.is_partition()) {
        if (const std::optional<BlockDevice> disk = context::find_block_device(device.disk))
            users.reasons_for(*disk, "its disk " + disk->name, reasons);
    }
    reasons_below_loop(device, users, reasons);
    return reasons;
}

// Signatures on the device and on its partitions, also on those whose table has been wiped since: the kernel still
// knows them.
Status add_signatures(int fd, const std::optional<BlockDevice>& device, Reasons& reasons) {
    const auto add = [&](const std::string& subject, std::int64_t offset_bytes, std::int64_t size_bytes) -> Status {
        const Result<std::vector<std::string>> found = context::signatures_on(fd, offset_bytes, size_bytes);
        if (!found) return found.status();
        for (const std::string& signature : *found)
            reasons.push_back(subject + " " + signature);
        return {};
    };
    Status status = add("it", 0, 0);
    if (!status.ok() || !device) return status;
    for (const BlockDevice& partition : context::partitions_of(*device)) {
        const auto start = context::read_integer(partition.directory + "/start"); // 512 B sectors, both
        const auto size = context::read_integer(partition.directory + "/size");
        constexpr std::int64_t max_sectors = std::int64_t{1} << 54;
        if (!start || !size || *start < 0 || *size <= 0 || *start > max_sectors || *size > max_sectors) continue;
        status = add("its partition " + partition.name, *start * 512, *size * 512);
        if (!status.ok()) return status;
    }
    return {};
}

// By opening it: whether anybody holds it exclusively, and what it carries.
Status add_reasons_from_opening(const std::string& path, const std::optional<BlockDevice>& device, Reasons& reasons) {
    constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    Fd fd(::open(path.c_str(), flags | O_EXCL));
    if (!fd.valid() && errno == EBUSY) {
        // Mounts and holders that this process can see have been named already.
        if (reasons.empty()) reasons.push_back("it is held open exclusively by the kernel or another program");
        fd = Fd(::open(path.c_str(), flags));
    }
    if (!fd.valid()) {
        const int error = errno;
        if (!reasons.empty()) return {};                                        // refused whatever else it carries
        if (error == ENXIO || error == ENOMEDIUM || error == ENODEV) return {}; // nothing is there to be lost
        const bool denied = error == EACCES || error == EPERM;
        return run_error(fmt::format("cannot open {} to see whether writing is safe: {}{}", path, std::strerror(error),
                                     denied ? "; run as root or as a member of its group, outside of a container that "
                                              "hides its devices"
                                            : ""));
    }
    return add_signatures(fd.get(), device, reasons).wrap("cannot see whether writing to " + path + " is safe");
}

bool is_read_only(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    int read_only = 0;
    return fd.valid() && ::ioctl(fd.get(), BLKROGET, &read_only) == 0 && read_only != 0;
}

bool is_same_file(const std::string& path, const struct stat& status) {
    struct stat other {};
    return ::stat(path.c_str(), &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino;
}

// A file that is in use as something else than a file.
Reasons reasons_of_file(const struct stat& status) {
    Reasons reasons;
    for (const std::string& swap : swaps())
        if (is_same_file(swap, status)) reasons.push_back("it is used as swap");
    std::optional<Users> users;
    for (const std::string& name : context::list_directory("/sys/class/block")) {
        const std::optional<BlockDevice> loop =
            name.starts_with("loop") ? context::find_block_device(name) : std::nullopt;
        if (!loop || loop->is_partition()) continue;
        const std::optional<loop_info64> info = loop_status(*loop);
        if (!info || info->lo_device != status.st_dev || info->lo_inode != status.st_ino) continue;
        if (!users) users.emplace();
        users->reasons_for(*loop, name + ", a loop device on it,", reasons);
        for (const BlockDevice& partition : context::partitions_of(*loop))
            users->reasons_for(partition, partition.name + ", on a loop device on it,", reasons);
    }
    return reasons;
}

Status refusal(const std::string& path, const Reasons& reasons) {
    std::string text;
    for (const std::string& reason : reasons)
        text += (text.empty() ? "" : ", ") + reason;
    return unsafe_error(fmt::format(
        "will not write to {}: {}. If everything on it may be lost, name it again: --destroy {}", path, text, path));
}

} // namespace

Status check_safe_to_write(const std::string& path, const std::vector<std::string>& destroy) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return {};
        return run_error(fmt::format("cannot examine {}: {}", path, std::strerror(errno)));
    }
    if (S_ISREG(status.st_mode)) {
        const auto same = [&](const std::string& name) { return is_same_file(name, status); };
        if (std::any_of(destroy.begin(), destroy.end(), same)) return {};
        const Reasons in_use = reasons_of_file(status);
        return in_use.empty() ? Status() : refusal(path, in_use);
    }
    if (!S_ISBLK(status.st_mode)) return {};
    if (is_read_only(path))
        return usage_error(
            fmt::format("{} is a read-only device and cannot be written: make it writable (blockdev "
                        "--setrw {}) or use a reading pattern",
                        path, path));
    const auto named = [&](const std::string& name) { return block_number(name) == status.st_rdev; };
    if (std::any_of(destroy.begin(), destroy.end(), named)) return {};

    const std::optional<BlockDevice> device = context::find_block_device(status.st_rdev);
    Reasons reasons;
    if (device) reasons = reasons_in_use(*device);
    Status opened = add_reasons_from_opening(path, device, reasons);
    if (!opened.ok()) return opened;
    return reasons.empty() ? Status() : refusal(path, reasons);
}

} // namespace assay
