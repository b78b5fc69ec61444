// The `host` sampler: what it is, for people and for the loader.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/sampler.hpp"
#include "plugins/host/options.hpp"
#include "plugins/host/sampler.hpp"

namespace assay::host {
namespace {

constexpr const char* help =
    "Reads the counters of the machine from /proc and /sys: CPUs, interrupts, the busiest threads, disks, network "
    "interfaces, memory, pressure, control groups, temperatures, NVMe SMART data, NFS, SMB and Lustre clients. Values "
    "are "
    "raw and cumulative, with the instant at which each file was read; rates are made from them afterwards.\n"
    "What the machine does not have is left out. Sources that disturb what they ask are asked less often than the rest "
    "and "
    "keep the instant of their last answer: driver statistics, link state and temperatures every second, NVMe every "
    "10.";

constexpr assay_descriptor descriptor = {
    sizeof(assay_descriptor),
    ASSAY_KIND_SAMPLER,
    "org.assay.host",
    "host",
    "0.1.0",
    "CPU, interrupts, threads, disks, network, memory and file system clients of this machine",
    help,
    "Root for NVMe SMART data, and for Lustre where its statistics are in debugfs; everything else as any user.",
    "sample --plugin host --interval 1s",
    0, // it only looks
    0,
    sizeof(assay_operation),
    0,
    sizeof(assay_metric),
    0,
    sdk::option_table(options),
    nullptr,
    nullptr,
    &sdk::sampler_of<HostSampler>,
};

} // namespace
} // namespace assay::host

ASSAY_PLUGIN(assay::host::descriptor)
