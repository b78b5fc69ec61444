// A block device as the kernel's /sys tells it: its disk, its partitions, who holds it, what it lies on.
//
// Everything starts from a device number, never from a name in /dev: names there are links, and not always true ones.
// Any thread; reads only.
#pragma once

#include "core/context/facts.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace assay::context {

struct BlockDevice {
    dev_t number = 0;
    std::string name;      // the kernel's: "vda1", "dm-0", "cciss/c0d0p1"
    std::string disk;      // the whole device it is part of; its own name if it is whole
    std::string directory; // /sys/devices/…/block/vda/vda1

    [[nodiscard]] bool is_partition() const { return name != disk; }
};

std::optional<BlockDevice> find_block_device(dev_t number);
// By kernel name.
std::optional<BlockDevice> find_block_device(const std::string& name);

std::vector<BlockDevice> partitions_of(const BlockDevice& device);
// Kernel names of what is built on it (dm, md, bcache), and of what it is built on.
std::vector<std::string> holders_of(const BlockDevice& device);
std::vector<std::string> slaves_of(const BlockDevice& device);
// The file or device below a loop device; empty if it is none.
std::string loop_backing_file(const BlockDevice& device);

// "sda2, sdb2" of a dm or md device, "/var/x.img" of a loop device, with what is below those in parentheses; empty for
// one that lies on nothing.
std::string below_text(const BlockDevice& device);
// False where the kernel does not count (queue/iostats is 0): then its counters stand still.
bool counts_io(const BlockDevice& device);

// device, partition, device_model, device_rotational, logical_block_bytes, queue_scheduler and so on.
void add_device_facts(Facts& facts, const BlockDevice& device);

} // namespace assay::context
