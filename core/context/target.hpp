// What lies below a target path: file system, mount, device, queue settings; whether writing there is safe; which
// extents hold data; what the device has counted. Control thread; reads only, never opens a device for writing.
#pragma once

#include "core/base/status.hpp"
#include "core/result/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct TargetContext {
    std::vector<result::Fact> facts; // path, file_system, mount_point, mount_options, device, device_model, ...
    // Whole block devices whose counters see this target's I/O (through partitions; dm, md and loop are devices of
    // their own and listed themselves, not what is below them). Empty: none known (tmpfs, overlay, network, a device
    // that was told not to count); the fact devices_unknown_why says why.
    std::vector<std::string> devices;
};
// `path` may not exist yet: then its directory decides.
TargetContext target_context(const std::string& path);

// Fails (unsafe) if `path` is a block device that is mounted, held (by dm, md, swap, an open O_EXCL), or carries a file
// system, partition table or RAID signature (libblkid), or has partitions of which that is true, unless it is named in
// `destroy` (compared by device number, so /dev/disk/by-id names work). So does a regular file that is used as swap, or
// that a loop device in use lies on. Fine for anything else.
Status check_safe_to_write(const std::string& path, const std::vector<std::string>& destroy);

// FIEMAP (after FIEMAP_FLAG_SYNC) over [offset, offset+length) of a regular file. What lies past its end is a hole. Not
// known where the file system has no FIEMAP (tmpfs, NFS, overlay on some), with the reason.
result::Extents read_extents(const std::string& path, std::uint64_t offset_bytes, std::uint64_t length_bytes);

struct DiskCounters {
    std::uint64_t read_operations = 0;
    std::uint64_t read_sectors = 0; // 512 B
    std::uint64_t write_operations = 0;
    std::uint64_t write_sectors = 0;
};
struct DiskReading {
    std::int64_t at_ns = 0; // CLOCK_MONOTONIC
    std::map<std::string, DiskCounters> disks;
};
// Bytes that block devices were asked for by this process and its threads (/proc/self/io, read_bytes): what the page
// cache answers is not in it, nor what a device does for others. Nothing where the kernel does not count it.
std::optional<std::uint64_t> process_read_bytes();

// /proc/diskstats for these devices; absent ones are absent. A few tens of microseconds.
DiskReading read_disks(const std::vector<std::string>& devices);
// The same from the text of that file (without a time); lines that do not have its form are left out.
DiskReading parse_diskstats(std::string_view text, const std::vector<std::string>& devices);
// One entry for each device in either reading. A counter that went backwards, or a device that one reading lacks: not
// valid, all counts zero.
std::vector<result::DeviceDelta> difference(const DiskReading& later, const DiskReading& earlier);

} // namespace assay
