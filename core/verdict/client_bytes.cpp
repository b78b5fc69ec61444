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

// What another job moved between two instants. `likely` spreads an interval's bytes evenly over it; they may as well
// have moved all in one part of it.
struct Moved {
    double least = 0;
    double likely = 0;
    double most = 0;
    double astride_s = 0; // the longest interval that lies on both sides of an instant

    void add(double bytes, std::int64_t start, std::int64_t end, std::int64_t from, std::int64_t to) {
        const double share = overlap_share(start, end, from, to);
        if (share == 0) return;
        likely += bytes * share;
        // Jobs that start together cut their intervals some milliseconds apart.
        const bool whole = share >= thresholds::interval_whole_least;
        least += whole ? bytes * share : 0;
        most += bytes;
        if (!whole) astride_s = std::max(astride_s, (static_cast<double>(end) - static_cast<double>(start)) * 1e-9);
    }
    void scale(double factor) {
        least *= factor;
        likely *= factor;
        most *= factor;
    }
};

// From its series, warm-up included, else from its mean rate.
void add_between(Moved& moved, const result::Phase& phase, OperationKind kind, std::int64_t from, std::int64_t to) {
    if (phase.series.empty())
        return moved.add(bytes_of(phase, kind), phase.window_start_ns, phase.window_end_ns, from, to);
    for (const result::SeriesPoint& interval : phase.series) {
        double bytes = 0;
        for (std::size_t at = 0; at < std::min(interval.operations.size(), phase.operations.size()); ++at)
            if (phase.operations[at].kind == kind) bytes += static_cast<double>(interval.operations[at].bytes);
        if (bytes > 0) moved.add(bytes, interval.start_ns, interval.end_ns, from, to);
    }
}

Moved bytes_between(const result::Job& job, OperationKind kind, std::int64_t from, std::int64_t to) {
    Moved moved;
    for (const result::Phase& phase : job.phases)
        add_between(moved, phase, kind, from, to);
    moved.scale(kind == OperationKind::read ? written_share(job) : 1);
    return moved;
}

// Bytes in flight at an instant, twice: requests of mixed sizes may be larger than their mean.
double crossing_bytes(const result::Job& job, const result::Phase& phase, OperationKind kind) {
    double operations = 0;
    for (const result::Operation& operation : phase.operations)
        if (operation.kind == kind) operations += static_cast<double>(operation.operations);
    if (operations <= 0) return 0;
    const auto depth =
        static_cast<double>(std::max<std::int64_t>(integer_fact(job, ASSAY_FACT_REQUESTED_QUEUE_DEPTH).value_or(1), 1));
    return 2 * depth * std::max(1.0, static_cast<double>(phase.workers.size())) * bytes_of(phase, kind) / operations;
}

// Phases of a job run one after another: one of them is running when another job's window opens.
double most_crossing(const result::Job& job, OperationKind kind) {
    double most = 0;
    for (const result::Phase& phase : job.phases)
        most = std::max(most, crossing_bytes(job, phase, kind));
    return most;
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
        if (!target.reads || !target.extents || !target.extents->known) continue;
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

double ClientBytes::surely() const { return std::max(0.0, client_least - crossing - astride_less); }

ClientBytes client_bytes(const JobView& view, const result::Phase& phase, OperationKind kind) {
    ClientBytes bytes;
    bytes.direct = is_direct(view.job);
    bytes.own = bytes_of(phase, kind) * (kind == OperationKind::read ? written_share(view.job) : 1);
    bytes.client_least = bytes.client_most = bytes.own;
    // Without a warm-up nothing is in flight when the window opens; at its end the devices are read last.
    bytes.own_crossing = bytes.crossing = phase.warmup_ns > 0 ? crossing_bytes(view.job, phase, kind) : 0;
    bytes.jobs = {view.job.name};
    const std::vector<std::string> devices = devices_of(view.job);
    for (const result::DeviceDelta& device : view.job.devices) {
        if (!contains(devices, device.device)) continue;
        bytes.device_most +=
            static_cast<double>(kind == OperationKind::read ? device.read_bytes : device.written_bytes);
    }
    bytes.device_least = bytes.device_most;
    double astride_s = 0;
    for (const result::Job& other : view.repeat.jobs) {
        if (&other == &view.job) continue;
        const std::vector<std::string> theirs = devices_of(other);
        const auto shared = [&](const std::string& device) { return contains(devices, device); };
        if (std::none_of(theirs.begin(), theirs.end(), shared)) continue;
        const Moved moved = bytes_between(other, kind, phase.window_start_ns, phase.window_end_ns);
        if (moved.most == 0) continue;
        const bool all_shared = std::all_of(theirs.begin(), theirs.end(), shared);
        if (is_direct(other) == bytes.direct) {
            bytes.client_least += all_shared ? moved.likely : 0;
            bytes.client_most += moved.likely;
            bytes.astride_less += all_shared ? moved.likely - moved.least : 0;
            bytes.astride_more += moved.most - moved.likely;
            if (all_shared) bytes.crossing += most_crossing(other, kind);
            bytes.jobs.push_back(other.name);
        } else if (!bytes.direct) {
            bytes.device_least = std::max(0.0, bytes.device_least - moved.likely);
            bytes.device_most = std::max(0.0, bytes.device_most - (all_shared ? moved.least : 0));
        }
        if (moved.astride_s > astride_s) {
            astride_s = moved.astride_s;
            bytes.astride_text = fmt::format("job {}'s interval of {}", other.name, duration_text(astride_s * 1e9));
        }
    }
    return bytes;
}

Obstacle doubt_of(const ClientBytes& bytes) {
    const double without_crossing = std::max(0.0, bytes.client_least - bytes.astride_less);
    if (bytes.crossing > 0 && bytes.device_most < thresholds::device_share_least * without_crossing)
        return {fmt::format("Up to {} of that were in flight when the window opened, and are the devices' before it.",
                            binary_bytes(bytes.crossing)),
                "Measure longer."};
    if (!bytes.astride_text.empty())
        return {fmt::format("How much of {} moved inside this window is not known.", bytes.astride_text),
                "Use a shorter --interval, or jobs that start and end together."};
    return {"Which of the jobs that share a device moved how much there cannot be told apart.",
            "Run them one at a time, or on targets that share all devices or none."};
}

} // namespace assay::verdict
