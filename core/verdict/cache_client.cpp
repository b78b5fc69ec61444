#include "assay/abi/target.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/client_bytes.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

// The physics, for reads and for writes, direct and buffered: docs/design/cache-client.md.
namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += fmt::format("{}{}", text.empty() ? "" : " and ", name);
    return text;
}

// "Use at least 320 GiB (5 x 64.0 GiB RAM)": the memory that could have answered, the cgroup's limit if that is lower.
std::string dataset_text(const result::Run& run) {
    double memory = 0;
    for (const result::Fact& fact : run.context) {
        const auto* bytes = std::get_if<std::int64_t>(&fact.value);
        if (bytes == nullptr || *bytes <= 0) continue;
        if (fact.key != "memory_total_bytes" && fact.key != "memory_limit_bytes") continue;
        const auto here = static_cast<double>(*bytes);
        memory = memory == 0 ? here : std::min(memory, here);
    }
    if (memory == 0) return "a dataset of five times the memory";
    return fmt::format("at least {} ({:.0f} x {} RAM)", binary_bytes(memory * thresholds::dataset_memory_factor),
                       thresholds::dataset_memory_factor, binary_bytes(memory));
}

std::string remedy(const JobView& view, OperationKind kind, bool direct, const std::vector<std::string>& devices) {
    if (direct)
        return fmt::format(
            "Something between the workload and {} holds the data although O_DIRECT was asked for: use the "
            "device itself as target, or {}.",
            join(devices), dataset_text(view.run));
    if (kind == OperationKind::read) return fmt::format("Use {}, or direct: yes.", dataset_text(view.run));
    return "This is the page cache's rate. For the device's use direct: yes, or a run so long that writeback keeps up.";
}

std::string message(OperationKind kind, const ClientBytes& bytes, const std::vector<std::string>& devices) {
    const std::string device = join(devices);
    const std::string who = bytes.jobs.size() < 2 ? "the workload" : fmt::format("jobs {} together", join(bytes.jobs));
    const double moved = bytes.device_most;
    const double share = bytes.client_least <= 0 ? 1 : moved / bytes.client_least;
    if (kind == OperationKind::read) {
        std::string text = fmt::format("{} reached {}, {} left {}.", binary_bytes(bytes.client_least), who,
                                       binary_bytes(moved), device);
        if (share < 1) text += fmt::format(" {} came from memory.", percent_text(1 - share));
        return text;
    }
    std::string text = fmt::format("{} {} written by {}, {} reached {} meanwhile.", binary_bytes(bytes.client_least),
                                   bytes.direct ? "were" : "(buffered) were", who, binary_bytes(moved), device);
    if (share < 1) text += fmt::format(" {} stayed in memory.", percent_text(1 - share));
    return text;
}

// Enough on the device for the largest amount the clients may have moved; or too little even for the smallest.
Level level_of(OperationKind kind, const ClientBytes& bytes) {
    if (bytes.device_least >= thresholds::device_share_least * bytes.client_most) return Level::pass;
    if (bytes.device_most >= thresholds::device_share_least * bytes.surely()) return Level::unknown;
    // Buffered writes reach the device when the kernel sees fit: late is not wrong, but it is worth knowing.
    return kind == OperationKind::write && !bytes.direct ? Level::note : Level::invalid;
}

// Of the process that this job had to itself, over the window.
std::optional<double> own_device_reads(const JobView& view) {
    const auto bytes = integer_fact(view.job, "process_read_bytes");
    if (!bytes || view.repeat.jobs.size() != 1) return std::nullopt;
    return static_cast<double>(*bytes);
}

// A loop device that reads its backing file through the page cache: what reached it may still come from memory.
bool below_is_cached(const result::Job& job) {
    for (const result::Target& target : job.targets) {
        for (const result::Fact& fact : target.context) {
            const bool* direct = std::get_if<bool>(&fact.value);
            if (fact.key == "loop_direct_io" && direct != nullptr && !*direct) return true;
        }
    }
    return false;
}

// What the devices did for others can look like enough for us; the kernel's count of our own requests tells.
void look_behind_a_pass(const JobView& view, const ClientBytes& bytes, result::Verdict& verdict) {
    const std::optional<double> own = own_device_reads(view);
    if (own) add_evidence(verdict, "process_read_bytes", *own, "B", "/proc/self/io");
    const std::string devices = join(devices_of(view.job));
    if (own && *own < thresholds::device_share_least * (bytes.own - bytes.own_crossing)) {
        verdict.level = Level::invalid;
        verdict.message = fmt::format(
            "{} reached the workload, but it asked {} for {} only: the other bytes that left there were read by "
            "somebody else. {} came from memory.",
            binary_bytes(bytes.own), devices, binary_bytes(*own), percent_text(1 - *own / bytes.own));
        verdict.arithmetic =
            fmt::format("{} / {} = {:.3f}", binary_bytes(*own), binary_bytes(bytes.own), *own / bytes.own);
        verdict.remedy = remedy(view, OperationKind::read, bytes.direct, devices_of(view.job));
    } else if (own && *own < thresholds::device_share_least * bytes.own) {
        verdict.level = Level::unknown;
        verdict.message = fmt::format(
            "{} reached the workload, it asked {} for {} meanwhile. Up to {} were in flight when the window opened, "
            "and asked for before it.",
            binary_bytes(bytes.own), devices, binary_bytes(*own), binary_bytes(bytes.own_crossing));
        verdict.arithmetic =
            fmt::format("{} / {} = {:.3f}", binary_bytes(*own), binary_bytes(bytes.own), *own / bytes.own);
        verdict.remedy = "Measure longer.";
    } else if (below_is_cached(view.job)) {
        verdict.level = Level::note;
        verdict.message += fmt::format(
            " But {} reads its backing file through the page cache (direct-io is off): what "
            "left it may have come from memory.",
            devices);
        verdict.remedy = "Attach it with losetup --direct-io=on, or measure what is below it.";
    }
}

result::Verdict base(const JobView& view, const result::Phase& phase) {
    result::Verdict verdict = make_verdict(cache_client, view, &phase);
    verdict.threshold =
        fmt::format("bytes moved by the devices / bytes of the workload >= {}", thresholds::device_share_least);
    return verdict;
}

result::Verdict judge_kind(const JobView& view, const result::Phase& phase, OperationKind kind) {
    const std::vector<std::string> devices = devices_of(view.job);
    const ClientBytes bytes = client_bytes(view, phase, kind);
    result::Verdict verdict = base(view, phase);
    for (const result::Operation& operation : phase.operations)
        if (operation.kind == kind) verdict.operation = operation.name;
    verdict.level = level_of(kind, bytes);
    verdict.message = message(kind, bytes, devices);
    verdict.arithmetic =
        fmt::format("{} / {} = {:.3f}", binary_bytes(bytes.device_most), binary_bytes(bytes.client_least),
                    bytes.client_least <= 0 ? 1 : bytes.device_most / bytes.client_least);
    if (verdict.level == Level::unknown) {
        const Obstacle doubt = doubt_of(bytes);
        verdict.message += " " + doubt.reason;
        verdict.remedy = doubt.remedy;
    } else if (verdict.level != Level::pass) {
        verdict.remedy = remedy(view, kind, bytes.direct, devices);
    }
    if (kind == OperationKind::read && verdict.level == Level::pass) look_behind_a_pass(view, bytes, verdict);
    add_evidence(verdict, kind == OperationKind::read ? "bytes_read" : "bytes_written", bytes.own, "B", "workload");
    if (bytes.jobs.size() > 1) add_evidence(verdict, "bytes_of_all_jobs", bytes.client_most, "B", "workload");
    for (const result::DeviceDelta& device : view.job.devices)
        add_evidence(verdict, device.device,
                     static_cast<double>(kind == OperationKind::read ? device.read_bytes : device.written_bytes), "B",
                     device.source);
    return verdict;
}

std::vector<result::Verdict> check(const JobView& view) {
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    if (phases.empty() || std::none_of(view.job.targets.begin(), view.job.targets.end(), is_path)) return {};
    // The device counters are of the last one.
    const result::Phase& phase = *phases.back();
    const double read = bytes_of(phase, OperationKind::read) * written_share(view.job);
    const double written = bytes_of(phase, OperationKind::write);
    if (read == 0 && written == 0) return {};

    const Obstacle obstacle = obstacle_to_comparing(view.job, phase);
    if (!obstacle.reason.empty()) {
        result::Verdict verdict = base(view, phase);
        verdict.level = Level::unknown;
        verdict.message = obstacle.reason;
        verdict.remedy = obstacle.remedy;
        return {verdict};
    }
    std::vector<result::Verdict> verdicts;
    if (read > 0) verdicts.push_back(judge_kind(view, phase, OperationKind::read));
    if (written > 0) verdicts.push_back(judge_kind(view, phase, OperationKind::write));
    return verdicts;
}

} // namespace

const Check cache_client{"cache.client", 1,
                         "bytes the workload got against bytes the devices moved: what memory answered", check};

} // namespace assay::verdict
