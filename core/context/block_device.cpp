#include "core/context/block_device.hpp"
#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace assay::context {
namespace {

constexpr int max_stack_depth = 8;

// A '/' in a device's name is a '!' in /sys.
std::string kernel_name(std::string name) {
    std::replace(name.begin(), name.end(), '!', '/');
    return name;
}

std::string sysfs_name(std::string name) {
    std::replace(name.begin(), name.end(), '/', '!');
    return name;
}

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

std::optional<BlockDevice> device_in(const std::string& link) {
    std::error_code error;
    const std::filesystem::path directory = std::filesystem::canonical(link, error);
    if (error) return std::nullopt;
    const std::string number_text = read_text(directory / "dev", 64).value_or("");
    const std::vector<std::string_view> numbers = split(number_text, ':');
    const auto major_number = to_integer(numbers[0]);
    const auto minor_number = numbers.size() == 2 ? to_integer(numbers[1]) : std::nullopt;
    if (!major_number || !minor_number) return std::nullopt;
    BlockDevice device;
    device.number = makedev(static_cast<unsigned>(*major_number), static_cast<unsigned>(*minor_number));
    device.directory = directory;
    device.name = kernel_name(directory.filename());
    device.disk = exists(directory / "partition") ? kernel_name(directory.parent_path().filename()) : device.name;
    return device;
}

std::string disk_directory(const BlockDevice& device) {
    return device.is_partition() ? std::filesystem::path(device.directory).parent_path().string() : device.directory;
}

std::string file_below_text(const std::string& path, int depth);

std::string stack_text(const BlockDevice& device, int depth) {
    const std::string file = loop_backing_file(device);
    if (!file.empty()) return file_below_text(file, depth);
    std::string text;
    for (const std::string& name : slaves_of(device)) {
        text += (text.empty() ? "" : ", ") + name;
        const std::optional<BlockDevice> slave = find_block_device(name);
        const std::string below = slave && depth < max_stack_depth ? stack_text(*slave, depth + 1) : "";
        if (!below.empty()) text += " (" + below + ")";
    }
    return text;
}

std::string file_below_text(const std::string& path, int depth) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return path;
    const std::optional<BlockDevice> device =
        find_block_device(S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev);
    if (!device) return path;
    const std::string below = depth < max_stack_depth ? stack_text(*device, depth + 1) : "";
    return fmt::format("{} (on {}{})", path, device->name, below.empty() ? "" : " (" + below + ")");
}

// "none [mq-deadline] kyber" -> "mq-deadline"
std::string chosen(const std::string& text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return text;
    return text.substr(open + 1, close - open - 1);
}

void add_queue_facts(Facts& facts, const std::string& directory) {
    const std::string queue = directory + "/queue/";
    facts.flag_file("device_rotational", queue + "rotational");
    facts.integer_file("logical_block_bytes", queue + "logical_block_size", "B");
    facts.integer_file("physical_block_bytes", queue + "physical_block_size", "B");
    facts.integer_file("minimum_io_bytes", queue + "minimum_io_size", "B");
    facts.integer_file("optimal_io_bytes", queue + "optimal_io_size", "B");
    if (const auto scheduler = read_text(queue + "scheduler"))
        facts.text("queue_scheduler", chosen(*scheduler), queue + "scheduler");
    facts.integer_file("queue_requests", queue + "nr_requests", "requests");
    facts.integer_file("queue_read_ahead_bytes", queue + "read_ahead_kb", "B", 1024);
    facts.integer_file("queue_max_request_bytes", queue + "max_sectors_kb", "B", 1024);
    facts.integer_file("queue_max_segments", queue + "max_segments", "");
    facts.text_file("queue_write_cache", queue + "write_cache");
    facts.integer_file("queue_wbt_latency_us", queue + "wbt_lat_usec", "us");
    facts.integer_file("queue_nomerges", queue + "nomerges", "");
    facts.integer_file("queue_affinity", queue + "rq_affinity", "");
    facts.text_file("device_zoned", queue + "zoned");
    const std::size_t hardware_queues = list_directory(directory + "/mq").size();
    if (hardware_queues > 0)
        facts.integer("queue_hardware_queues", static_cast<std::int64_t>(hardware_queues), "", directory + "/mq");
}

} // namespace

std::optional<BlockDevice> find_block_device(dev_t number) {
    return device_in(fmt::format("/sys/dev/block/{}:{}", major(number), minor(number)));
}

std::optional<BlockDevice> find_block_device(const std::string& name) {
    return device_in("/sys/class/block/" + sysfs_name(name));
}

std::vector<BlockDevice> partitions_of(const BlockDevice& device) {
    std::vector<BlockDevice> partitions;
    if (device.is_partition()) return partitions;
    for (const std::string& name : list_directory(device.directory)) {
        const std::string directory = device.directory + "/" + name;
        if (!exists(directory + "/partition")) continue;
        if (std::optional<BlockDevice> partition = device_in(directory)) partitions.push_back(std::move(*partition));
    }
    return partitions;
}

std::vector<std::string> holders_of(const BlockDevice& device) {
    std::vector<std::string> names = list_directory(device.directory + "/holders");
    std::transform(names.begin(), names.end(), names.begin(), kernel_name);
    return names;
}

std::vector<std::string> slaves_of(const BlockDevice& device) {
    std::vector<std::string> names = list_directory(device.directory + "/slaves");
    std::transform(names.begin(), names.end(), names.begin(), kernel_name);
    return names;
}

std::string loop_backing_file(const BlockDevice& device) {
    return read_text(disk_directory(device) + "/loop/backing_file").value_or("");
}

std::string below_text(const BlockDevice& device) { return stack_text(device, 0); }

bool counts_io(const BlockDevice& device) {
    if (device.disk.starts_with("zram")) return true; // counts whatever that file says (seen on Linux 6.18)
    return read_integer(disk_directory(device) + "/queue/iostats").value_or(1) != 0;
}

void add_device_facts(Facts& facts, const BlockDevice& device) {
    const std::string disk = disk_directory(device);
    facts.text("device", device.disk, disk);
    facts.text("device_number", fmt::format("{}:{}", major(device.number), minor(device.number)), device.directory);
    facts.text_file("disk_number", disk + "/dev"); // what a cgroup's I/O limits name
    if (device.is_partition()) {
        facts.text("partition", device.name, device.directory);
        facts.integer_file("partition_start_bytes", device.directory + "/start", "B", 512);
        facts.integer_file("partition_size_bytes", device.directory + "/size", "B", 512);
    }
    facts.integer_file("device_size_bytes", disk + "/size", "B", 512);
    facts.text_file("device_vendor", disk + "/device/vendor");
    facts.text_file("device_model", disk + "/device/model");
    facts.text_file("device_firmware", disk + "/device/firmware_rev"); // NVMe
    facts.text_file("device_firmware", disk + "/device/rev");          // SCSI; no device has both
    facts.text_file("device_transport", disk + "/device/transport");
    facts.text("device_driver", link_name(disk + "/device/driver"), disk + "/device/driver");
    facts.integer_file("device_numa_node", disk + "/device/numa_node", "");
    facts.flag_file("device_read_only", disk + "/ro");
    add_queue_facts(facts, disk);
    facts.flag("queue_counts_io", counts_io(device), disk + "/queue/iostats");
    // What is special about the layered ones.
    facts.text("device_below", below_text(device), disk);
    facts.flag_file("loop_direct_io", disk + "/loop/dio");
    facts.text_file("dm_name", disk + "/dm/name");
    facts.text_file("dm_uuid", disk + "/dm/uuid");
    facts.text_file("md_level", disk + "/md/level");
    facts.integer_file("md_disks", disk + "/md/raid_disks", "");
    facts.text_file("md_sync_action", disk + "/md/sync_action");
    if (const auto algorithm = read_text(disk + "/comp_algorithm"))
        facts.text("zram_compression", chosen(*algorithm), disk + "/comp_algorithm");
}

} // namespace assay::context
