// Every source there is; each is one file, and its class is nobody else's business.
#pragma once

#include "plugins/host/source.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace assay::host {

using SourcePointer = std::unique_ptr<Source>;

SourcePointer make_cpu_source(const Roots& roots);
SourcePointer make_softirq_source(const Roots& roots);
SourcePointer make_interrupt_source(const Roots& roots);
SourcePointer make_thread_source(const Roots& roots, std::size_t count);
SourcePointer make_disk_source(const Roots& roots, DeviceFilter devices);
SourcePointer make_nic_source(const Roots& roots, DeviceFilter devices);
SourcePointer make_link_source(const Roots& roots, DeviceFilter devices);
SourcePointer make_protocol_source(const Roots& roots);
SourcePointer make_memory_source(const Roots& roots);
SourcePointer make_paging_source(const Roots& roots);
SourcePointer make_pressure_source(const Roots& roots);
SourcePointer make_cgroup_source(const Roots& roots);
SourcePointer make_temperature_source(const Roots& roots);
SourcePointer make_nfs_source(const Roots& roots);
SourcePointer make_cifs_source(const Roots& roots);
SourcePointer make_lustre_source(const Roots& roots);

// What a driver says of a network interface beyond the common counters.
class DriverStatistics {
public:
    virtual ~DriverStatistics() = default;
    // Names of the statistics, in the order of values(); empty where there are none.
    virtual std::vector<std::string> names(const std::string& interface) = 0;
    // False if they cannot be read, or if their number is no longer values.size().
    virtual bool values(const std::string& interface, std::span<std::uint64_t> values) = 0;
};
std::unique_ptr<DriverStatistics> make_ethtool_statistics();
SourcePointer make_driver_source(const Roots& roots, DeviceFilter devices,
                                 std::unique_ptr<DriverStatistics> statistics);

// The 512 bytes of the SMART log of the controller at `path`; false if they cannot be had.
using SmartPage = std::array<unsigned char, 512>;
using ReadSmart = std::function<bool(const std::string& path, SmartPage& page)>;
bool read_smart(const std::string& path, SmartPage& page);
SourcePointer make_nvme_source(const Roots& roots, DeviceFilter devices, ReadSmart read);

} // namespace assay::host
