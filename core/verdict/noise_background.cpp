#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/client_bytes.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// What is ours, and what must be left out of the comparison so that honest runs pass: docs/design/noise-background.md.
namespace assay::verdict {
namespace {

using namespace thresholds;
using result::Level;
using result::OperationKind;

// One direction on the devices of a job, in bytes.
struct Side {
    double device = 0;        // that the devices moved
    double ours = 0;          // of them for this run, the most that it may be
    double metadata_most = 0; // that our file system may have added
    bool certain = false;     // whether that is all that can be ours
    std::string doubt;        // what else it may be

    [[nodiscard]] double perhaps_others() const { return std::max(0.0, device - ours); }
    [[nodiscard]] double surely_others() const { return certain ? std::max(0.0, device - ours - metadata_most) : 0; }
};

bool shares_devices(const result::Job& a, const result::Job& b) {
    const std::vector<std::string> devices = devices_of(a);
    const std::vector<std::string> others = devices_of(b);
    return std::any_of(others.begin(), others.end(), [&](const std::string& device) {
        return std::find(devices.begin(), devices.end(), device) != devices.end();
    });
}

bool any_sharer(const JobView& view, bool (*what)(const result::Job&)) {
    return std::any_of(view.repeat.jobs.begin(), view.repeat.jobs.end(),
                       [&](const result::Job& job) { return shares_devices(view.job, job) && what(job); });
}

bool is_buffered(const result::Job& job) { return !is_direct(job); }

bool writes_buffered(const result::Job& job) {
    return is_buffered(job) && std::any_of(job.targets.begin(), job.targets.end(),
                                           [](const result::Target& target) { return target.writes; });
}

bool writes_files(const result::Job& job) {
    return std::any_of(job.targets.begin(), job.targets.end(),
                       [](const result::Target& target) { return target.kind == "file" && target.writes; });
}

// Also an earlier stage's, whose pages may still be on their way.
bool dirty_pages_are_ours(const JobView& view) {
    if (any_sharer(view, writes_buffered)) return true;
    for (const result::Stage& stage : view.run.stages)
        for (const result::Point& point : stage.points)
            for (const result::Repeat& repeat : point.repeats)
                for (const result::Job& job : repeat.jobs)
                    if (writes_buffered(job) && shares_devices(view.job, job)) return true;
    return false;
}

// File systems that put what they are given in its place, beside a journal of bounded size. Others copy on write, clean
// up or keep several copies.
bool writes_in_place(const result::Job& job) {
    return std::all_of(job.targets.begin(), job.targets.end(), [](const result::Target& target) {
        if (target.kind == "block device") return true;
        for (const result::Fact& fact : target.context) {
            const auto* type = std::get_if<std::string>(&fact.value);
            if (fact.key == "file_system" && type != nullptr)
                return *type == "ext4" || *type == "ext3" || *type == "ext2" || *type == "xfs" || *type == "vfat" ||
                       *type == "exfat";
        }
        return false;
    });
}

double operations_of(const result::Phase& phase, OperationKind kind) {
    double count = 0;
    for (const result::Operation& operation : phase.operations)
        if (operation.kind == kind) count += static_cast<double>(operation.operations);
    return count;
}

// Requests that crossed an edge of the window are counted on one side only; the device's counters cover a little more.
double with_edges(double ours, double operations, const JobView& view, const result::Phase& phase) {
    double stretch = 1;
    for (const result::DeviceDelta& device : view.job.devices)
        stretch = std::max(stretch, static_cast<double>(device.window_ns) * 1e-9 / phase.window_s());
    const double crossing = phase.mean_in_flight > 0 ? phase.mean_in_flight : static_cast<double>(phase.workers.size());
    const double each = operations > 0 ? ours / operations : 0;
    return ours * stretch + 2 * crossing * each;
}

Side reads(const JobView& view, const result::Phase& phase) {
    Side side;
    const ClientBytes bytes = client_bytes(view, phase, OperationKind::read);
    for (const result::DeviceDelta& device : view.job.devices)
        side.device += static_cast<double>(device.read_bytes);
    // Not only the written share: which blocks were read is not known here.
    const double unscaled = bytes_of(phase, OperationKind::read) * (1 - written_share(view.job));
    side.ours = with_edges(bytes.client_most + bytes.astride_more + unscaled, operations_of(phase, OperationKind::read),
                           view, phase);
    const auto asked = integer_fact(view.job, "process_read_bytes");
    const bool alone = view.repeat.jobs.size() == 1;
    if (asked && alone) { // read-ahead and metadata of our own are in it
        side.ours = std::max(
            side.ours, with_edges(static_cast<double>(*asked), operations_of(phase, OperationKind::read), view, phase));
        side.certain = true;
    } else if (any_sharer(view, is_buffered)) {
        side.doubt = "how much of it the page cache read ahead is not known";
    } else if (!writes_in_place(view.job)) {
        side.doubt = "its file system reads more than it is asked for";
    } else {
        side.certain = true;
    }
    return side;
}

Side writes(const JobView& view, const result::Phase& phase) {
    Side side;
    const ClientBytes bytes = client_bytes(view, phase, OperationKind::write);
    for (const result::DeviceDelta& device : view.job.devices)
        side.device += static_cast<double>(device.written_bytes);
    const double operations = operations_of(phase, OperationKind::write);
    side.ours = with_edges(bytes.client_most + bytes.astride_more, operations, view, phase);
    const bool into_files = any_sharer(view, writes_files);
    side.doubt = "its file system's own metadata may be that";
    if (into_files)
        side.metadata_most = operations * journal_bytes_per_write_most +
                             operations_of(phase, OperationKind::other) * journal_bytes_per_sync_most;
    if (dirty_pages_are_ours(view))
        side.doubt = "when the page cache writes what it was given is not known";
    else if (into_files && !writes_in_place(view.job))
        side.doubt = "its file system writes more than it is given";
    else if (into_files && view.repeat.jobs.size() > 1)
        side.doubt = "what the file system adds for each of several jobs is not known";
    else
        side.certain = true;
    return side;
}

struct Operations {
    double devices = 0;
    double ours = 0;
    bool known = false;

    [[nodiscard]] double others() const { return known ? std::max(0.0, devices - ours) : 0; }
};

// Requests of others where their bytes are few. Only where one of ours is one on the device: small, direct, on a block
// device, and nobody else's of this run there.
Operations operations(const JobView& view, const result::Phase& phase) {
    Operations found;
    double bytes = 0;
    for (const result::Operation& operation : phase.operations) {
        if (operation.kind == OperationKind::other) continue;
        found.ours += static_cast<double>(operation.operations);
        bytes += static_cast<double>(operation.bytes);
    }
    for (const result::DeviceDelta& device : view.job.devices)
        found.devices += static_cast<double>(device.read_operations) + static_cast<double>(device.write_operations);
    const bool devices_only = std::all_of(view.job.targets.begin(), view.job.targets.end(),
                                          [](const result::Target& target) { return target.kind == "block device"; });
    const auto sharers = std::count_if(view.repeat.jobs.begin(), view.repeat.jobs.end(),
                                       [&](const result::Job& job) { return shares_devices(view.job, job); });
    found.known = devices_only && sharers == 1 && is_direct(view.job) && found.ours > 0 &&
                  bytes / found.ours <= unsplit_request_bytes_most;
    found.ours = with_edges(found.ours, found.ours, view, phase);
    return found;
}

std::string device_names(const JobView& view) {
    std::string text;
    for (const std::string& device : devices_of(view.job))
        text += (text.empty() ? "" : " and ") + device;
    return text;
}

void judge(const JobView& view, const result::Phase& phase, result::Verdict& verdict) {
    const Side read = reads(view, phase);
    const Side write = writes(view, phase);
    const Operations requests = operations(view, phase);
    const double total = read.device + write.device;
    const double surely = read.surely_others() + write.surely_others();
    const double perhaps = read.perhaps_others() + write.perhaps_others();
    const auto much = [&](double bytes) {
        return bytes > background_most * total && bytes >= background_bytes_per_s_least * phase.window_s();
    };
    const double own = bytes_of(phase, OperationKind::read) + bytes_of(phase, OperationKind::write);
    add_evidence(verdict, "device_read", read.device, "B", "/proc/diskstats");
    add_evidence(verdict, "device_written", write.device, "B", "/proc/diskstats");
    add_evidence(verdict, "own_bytes", own, "B", "workload");
    add_evidence(verdict, "others_bytes", surely, "B", "difference");
    if (requests.known) add_evidence(verdict, "others_operations", requests.others(), "requests", "difference");
    const auto arithmetic = [&](double others_read, double others_written) {
        return fmt::format("({} read + {} written of others) / {} = {:.3f}", binary_bytes(others_read),
                           binary_bytes(others_written), binary_bytes(total),
                           total <= 0 ? 0 : (others_read + others_written) / total);
    };
    verdict.arithmetic = arithmetic(read.perhaps_others(), write.perhaps_others());
    const std::string devices = device_names(view);
    if (much(surely)) {
        verdict.level = Level::suspect;
        verdict.message = fmt::format("{} of what {} moved was not this run's: {} read and {} written by others.",
                                      percent_text(surely / total), devices, binary_bytes(read.surely_others()),
                                      binary_bytes(write.surely_others()));
        verdict.arithmetic = arithmetic(read.surely_others(), write.surely_others());
    } else if (requests.others() > background_most * requests.devices &&
               requests.others() >= background_operations_per_s_least * phase.window_s()) {
        verdict.level = Level::suspect;
        verdict.message = fmt::format("{} of the requests of {} were not this run's: {} a second by others.",
                                      percent_text(requests.others() / requests.devices), devices,
                                      count_text(std::round(requests.others() / phase.window_s())));
        verdict.arithmetic = fmt::format("{:.0f} requests of others / {:.0f} = {:.3f}", requests.others(),
                                         requests.devices, requests.others() / requests.devices);
    } else if (much(perhaps)) {
        verdict.level = Level::unknown;
        verdict.message = fmt::format("{} moved {} more than this run asked for; {}.", devices, binary_bytes(perhaps),
                                      write.perhaps_others() > read.perhaps_others() ? write.doubt : read.doubt);
        verdict.remedy = "Compare with iostat -x 1 before the run: at rest it should show nothing.";
    } else {
        verdict.message =
            fmt::format("Others moved {} of the bytes of {}.", percent_text(total <= 0 ? 0 : perhaps / total), devices);
    }
    if (verdict.level == Level::suspect)
        verdict.remedy = "Find who it is (iotop -ao, pidstat -d 1) and stop it, or measure on a device of its own.";
}

std::vector<result::Verdict> check(const JobView& view) {
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    if (phases.empty() || devices_of(view.job).empty()) return {};
    // The devices' counters are of the last phase; where they cannot be compared, cache.client says why.
    const result::Phase& phase = *phases.back();
    double errors = 0;
    for (const result::Operation& operation : phase.operations)
        errors += static_cast<double>(operation.errors);
    if (errors > 0 || !obstacle_to_comparing(view.job, phase).reason.empty()) return {};
    result::Verdict verdict = make_verdict(noise_background, view, &phase);
    verdict.threshold = fmt::format(
        "at most {:.0f} % of the devices' bytes or requests are others' (from {} or {:.0f} requests/s on)",
        background_most * 100, binary_rate(background_bytes_per_s_least), background_operations_per_s_least);
    judge(view, phase, verdict);
    return {verdict};
}

} // namespace

const Check noise_background{"noise.background", 1, "I/O on the devices that is not this run's", check};

} // namespace assay::verdict
