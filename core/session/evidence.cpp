#include "core/session/evidence.hpp"

#include "core/base/clock.hpp"

#include <algorithm>
#include <filesystem>

namespace assay {
namespace {

// Warnings while a run goes on look at its last minute: it may go on for days.
constexpr std::int64_t live_window_ns = 60'000'000'000;

std::vector<std::string> devices_of(const result::Job& job) {
    std::vector<std::string> devices;
    for (const result::Target& target : job.targets) {
        for (const std::string& device : target.devices) {
            if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
        }
    }
    return devices;
}

bool is_path(const result::Target& target) { return target.kind == "file" || target.kind == "block device"; }

} // namespace

Status EvidenceHooks::targets_declared(result::Job& job) {
    for (result::Target& target : job.targets) {
        if (!is_path(target)) continue;
        if (Status alone = check_not_shared(job, target); !alone.ok()) return alone;
        if (target.writes) {
            Status safe = check_safe_to_write(target.name, setup_.destroy);
            if (!safe.ok()) return safe;
        }
        TargetContext below = target_context(target.name);
        target.context = std::move(below.facts);
        target.devices = std::move(below.devices);
        devices_.insert(devices_.end(), target.devices.begin(), target.devices.end());
    }
    return {};
}

Status EvidenceHooks::check_not_shared(const result::Job& job, const result::Target& target) {
    std::error_code error;
    const bool missing = !std::filesystem::exists(target.name, error);
    const bool exclusive = target.kind == "block device" ? target.writes : missing;
    if (!exclusive) return {};
    const std::string path = std::filesystem::weakly_canonical(target.name, error).string();
    const auto [entry, first] = written_by_.emplace(error ? target.name : path, job.name);
    if (first) return {};
    return usage_error("jobs " + entry->second + " and " + job.name + " both " +
                       (missing ? "would make " : "write to ") + target.name +
                       (missing ? ", which does not exist yet: let an earlier stage lay it out"
                                : ", and a device has one writer: give it to one job with more workers"));
}

void EvidenceHooks::setup_finished(result::Job& job) {
    for (result::Target& target : job.targets) {
        if (target.kind == "file" && (target.reads || target.writes)) // what is trimmed is written
            target.extents = read_extents(target.name, target.offset_bytes, target.length_bytes);
    }
}

void EvidenceHooks::window_opened(result::Job& job) {
    if (setup_.sampling != nullptr) setup_.sampling->read_now();
    process_reads_[job.name] = process_read_bytes();
    opened_[job.name] = read_disks(devices_of(job));
}

void EvidenceHooks::window_closed(result::Job& job) {
    job.devices = difference(read_disks(devices_of(job)), opened_[job.name]);
    std::optional<std::uint64_t>& reads = process_reads_[job.name];
    const std::optional<std::uint64_t> now = process_read_bytes();
    reads = reads && now && *now >= *reads ? std::optional(*now - *reads) : std::nullopt;
    if (setup_.sampling != nullptr) setup_.sampling->read_now();
}

void EvidenceHooks::measured_so_far(std::vector<result::Job> jobs) {
    result::Repeat so_far{std::move(jobs), {}};
    for (result::Job& job : so_far.jobs) {
        const auto opened = opened_.find(job.name);
        if (opened != opened_.end() && job.devices.empty())
            job.devices = difference(read_disks(devices_of(job)), opened->second);
    }
    if (setup_.sampling != nullptr)
        so_far.samples = setup_.sampling->take(setup_.epoch_ns, monotonic_ns() - live_window_ns);
    warnings_.clear();
    for (result::Verdict& verdict : setup_.judge_so_far(std::move(so_far)))
        if (verdict.level >= result::Level::suspect) warnings_.push_back(std::move(verdict));
}

void EvidenceHooks::progress(const std::vector<JobProgress>& jobs) {
    HostGlance host;
    if (setup_.sampling != nullptr) {
        setup_.sampling->poke(setup_.interval_ns / 2);
        host = setup_.sampling->glance(devices_);
    }
    host.warnings = warnings_;
    observer_.progress(jobs, host);
}

void EvidenceHooks::add_facts(result::Job& job) const {
    const auto found = process_reads_.find(job.name);
    if (found == process_reads_.end() || !found->second) return;
    job.facts.push_back({"process_read_bytes", static_cast<std::int64_t>(*found->second), "B", "/proc/self/io"});
}

void EvidenceHooks::log(assay_severity severity, const std::string& job, const std::string& text) {
    observer_.message(severity, job + ": " + text);
}

} // namespace assay
