// The option table of the host sampler, and what its values mean.
#pragma once

#include "assay/sdk/option.hpp"
#include "assay/sdk/values.hpp"
#include "plugins/host/sampler.hpp"

#include <cstddef>

namespace assay::host {

inline constexpr const char* group_names[] = {"all",         "cpu",  "softirqs", "interrupts", "threads",  "disks",
                                              "nics",        "tcp",  "ethtool",  "memory",     "pressure", "cgroup",
                                              "temperature", "nvme", "nfs",      "cifs",       "lustre"};
inline constexpr const char* group_help[] = {
    "everything there is",
    "time of each CPU by what it did; context switches, forks, runnable and blocked threads",
    "soft interrupts by CPU and kind",
    "interrupts by CPU and device",
    "the threads that use most CPU time",
    "block devices: bytes, requests, times, requests in flight",
    "network interfaces: bytes, packets, drops, errors, link speed",
    "TCP and UDP: segments, retransmissions, drops",
    "what network drivers count themselves (ethtool -S)",
    "memory, paging and reclaim",
    "pressure stall information",
    "control groups of this process: CPU throttling, memory, I/O",
    "temperature sensors",
    "NVMe SMART data; needs root",
    "NFS mounts: bytes, operations and their times",
    "SMB shares: bytes and requests",
    "Lustre client statistics; newer versions need root",
};

// Indices in the table.
enum Option : std::size_t { option_groups, option_threads, option_discover_every, option_devices };
inline constexpr assay_option options[] = {
    sdk::enum_option("groups", "Which parts of the machine are read.", group_names)
        .flag(ASSAY_OPTION_LIST)
        .explain(group_help)
        .defaults("all")
        .example("cpu,disks,nics"),
    sdk::int_option("threads", "How many of the threads that use most CPU time are read; 0 for none.")
        .defaults("10")
        .range("0", "100")
        .unit("threads"),
    sdk::duration_option("discover_every",
                         "How often it looks for busy threads, devices, mounts and interrupts that are new. Less often "
                         "where looking takes more than 1 % of this time.")
        .defaults("1s")
        .range("100ms", "1h"),
    sdk::OptionBuilder(ASSAY_TYPE_STRING, "devices",
                       "Only disks, network interfaces and NVMe controllers whose name matches one of these patterns.")
        .flag(ASSAY_OPTION_LIST)
        .defaults("*")
        .example("nvme*,eth0"),
};

Settings settings_of(const sdk::Values& values);

} // namespace assay::host
