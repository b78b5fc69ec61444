#include "core/verdict/client_bytes.hpp"

#include "assay/abi/target.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

using result::OperationKind;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

double overlap_share(std::int64_t start, std::int64_t end, std::int64_t from, std::int64_t to) {
    const std::int64_t both = std::min(end, to) - std::max(start, from);
    return both <= 0 || end <= start ? 0 : static_cast<double>(both) / static_cast<double>(end - start);
}

// What another job's phase moved between two instants: from its series, warm-up included, else from its mean rate.
double bytes_between(const result::Phase& phase, OperationKind kind, std::int64_t from, std::int64_t to) {
    if (phase.series.empty())
        return bytes_of(phase, kind) * overlap_share(phase.window_start_ns, phase.window_end_ns, from, to);
    double bytes = 0;
    for (const result::SeriesPoint& interval : phase.series) {
        const double share = overlap_share(interval.start_ns, interval.end_ns, from, to);
        if (share == 0) continue;
        for (std::size_t at = 0; at < std::min(interval.operations.size(), phase.operations.size()); ++at) {
            if (phase.operations[at].kind == kind) bytes += static_cast<double>(interval.operations[at].bytes) * share;
        }
    }
    return bytes;
}

double bytes_between(const result::Job& job, OperationKind kind, std::int64_t from, std::int64_t to) {
    double bytes = 0;
    for (const result::Phase& phase : job.phases)
        bytes += bytes_between(phase, kind, from, to);
    return bytes * (kind == OperationKind::read ? written_share(job) : 1);
}

std::string why_no_device(const result::Target& target) {
    for (const result::Fact& fact : target.context) {
        const auto* why = std::get_if<std::string>(&fact.value);
        if (fact.key == "devices_unknown_why" && why != nullptr) return ": " + *why;
    }
    return "";
}

// O_DIRECT on a block device leaves no cache in between: counters that stand still then do not count at all.
bool never_counts(const result::Job& job) {
    const auto is_device = [](const result::Target& target) { return target.kind == "block device"; };
    const auto still = [](const result::DeviceDelta& device) {
        return device.read_operations + device.write_operations == 0;
    };
    return bool_fact(job, ASSAY_FACT_DIRECT_IN_FORCE).value_or(false) &&
           std::all_of(job.targets.begin(), job.targets.end(), is_device) &&
           std::all_of(job.devices.begin(), job.devices.end(), still);
}

} // namespace

std::vector<std::string> devices_of(const result::Job& job) {
    std::vector<std::string> devices;
    for (const result::Target& target : job.targets)
        for (const std::string& device : target.devices)
            if (!contains(devices, device)) devices.push_back(device);
    return devices;
}

bool is_direct(const result::Job& job) {
    const bool asked = std::all_of(job.targets.begin(), job.targets.end(),
                                   [](const result::Target& target) { return target.direct || !is_path(target); });
    return bool_fact(job, ASSAY_FACT_DIRECT_IN_FORCE).value_or(asked);
}

double bytes_of(const result::Phase& phase, OperationKind kind) {
    double bytes = 0;
    for (const result::Operation& operation : phase.operations)
        if (operation.kind == kind) bytes += static_cast<double>(operation.bytes);
    return bytes;
}

double written_share(const result::Job& job) {
    double region = 0;
    double bare = 0;
    for (const result::Target& target : job.targets) {
        if (!target.extents || !target.extents->known) continue;
        region += static_cast<double>(target.extents->region_bytes);
        bare += static_cast<double>(target.extents->unwritten_bytes) + static_cast<double>(target.extents->hole_bytes);
    }
    return region <= 0 ? 1 : std::clamp(1 - bare / region, 0.0, 1.0);
}

Obstacle obstacle_to_comparing(const result::Job& job, const result::Phase& phase) {
    for (const result::Target& target : job.targets) {
        if (is_path(target) && target.devices.empty())
            return {
                fmt::format("No block device is known below {}{}. How much came from memory cannot be told.",
                            target.name, why_no_device(target)),
                "Use a target on a block device that counts, or compare with the counters of the server that holds the "
                "data."};
    }
    for (const std::string& name : devices_of(job)) {
        const auto found = std::find_if(job.devices.begin(), job.devices.end(),
                                        [&](const result::DeviceDelta& device) { return device.device == name; });
        if (found == job.devices.end() || !found->valid)
            return {fmt::format(
                        "The counters of {} could not be read, or went backwards, while the phase was measured.", name),
                    "Run again; if the device came and went, find out why first."};
        const double covered = static_cast<double>(found->window_ns) / (phase.window_s() * 1e9);
        if (covered < thresholds::device_window_least)
            return {fmt::format("The counters of {} cover {} of the measured {}.", name,
                                duration_text(static_cast<double>(found->window_ns)),
                                duration_text(phase.window_s() * 1e9)),
                    "Measure longer."};
    }
    if (never_counts(job))
        return {fmt::format("The counters of {} did not move, although every read and write went there directly.",
                            job.targets[0].name),
                "Turn its accounting on (echo 1 > /sys/block/DEVICE/queue/iostats); some drivers (brd) have none."};
    return {};
}

ClientBytes client_bytes(const JobView& view, const result::Phase& phase, OperationKind kind) {
    ClientBytes bytes;
    bytes.direct = is_direct(view.job);
    bytes.own = bytes_of(phase, kind) * (kind == OperationKind::read ? written_share(view.job) : 1);
    bytes.client_least = bytes.client_most = bytes.own;
    bytes.jobs = {view.job.name};
    const std::vector<std::string> devices = devices_of(view.job);
    for (const result::DeviceDelta& device : view.job.devices) {
        if (!contains(devices, device.device)) continue;
        bytes.device_most +=
            static_cast<double>(kind == OperationKind::read ? device.read_bytes : device.written_bytes);
    }
    bytes.device_least = bytes.device_most;
    for (const result::Job& other : view.repeat.jobs) {
        if (&other == &view.job) continue;
        const std::vector<std::string> theirs = devices_of(other);
        const auto shared = [&](const std::string& device) { return contains(devices, device); };
        if (std::none_of(theirs.begin(), theirs.end(), shared)) continue;
        const double moved = bytes_between(other, kind, phase.window_start_ns, phase.window_end_ns);
        if (moved == 0) continue;
        const double surely = std::all_of(theirs.begin(), theirs.end(), shared) ? moved : 0;
        if (is_direct(other) == bytes.direct) {
            bytes.client_least += surely;
            bytes.client_most += moved;
            bytes.jobs.push_back(other.name);
        } else if (!bytes.direct) {
            bytes.device_least = std::max(0.0, bytes.device_least - moved);
            bytes.device_most = std::max(0.0, bytes.device_most - surely);
        }
    }
    return bytes;
}

} // namespace assay::verdict
