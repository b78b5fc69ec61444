#include "assay/abi/target.h"
#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/client_bytes.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

// Whether O_DIRECT holds is asked in this order: was the file opened with it (F_GETFL), does its file system take it
// (statx, type), and did the bytes then pass the page cache (the devices' counters).
namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

struct Finding {
    Level level = Level::pass;
    std::string message;
    std::string arithmetic;
    std::string remedy;
};

const result::Value* context_of(const result::Target& target, std::string_view key) {
    for (const result::Fact& fact : target.context)
        if (fact.key == key) return &fact.value;
    return nullptr;
}

std::string context_text(const result::Target& target, std::string_view key) {
    const result::Value* value = context_of(target, key);
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return text == nullptr ? std::string() : *text;
}

std::optional<bool> supported(const result::Target& target) {
    const result::Value* value = context_of(target, "direct_io_supported");
    const auto* flag = value == nullptr ? nullptr : std::get_if<bool>(value);
    return flag == nullptr ? std::nullopt : std::optional(*flag);
}

// Whether "2.2.4-1" is older than major.minor; nothing if it is no version.
std::optional<bool> older(std::string_view version, int major, int minor) {
    int numbers[2] = {};
    for (int& number : numbers) {
        const auto [stopped, error] = std::from_chars(version.data(), version.data() + version.size(), number);
        if (error != std::errc()) return std::nullopt;
        version.remove_prefix(static_cast<std::size_t>(stopped - version.data()));
        if (version.starts_with('.')) version.remove_prefix(1);
    }
    return numbers[0] < major || (numbers[0] == major && numbers[1] < minor);
}

Finding of_zfs(const result::Target& target) {
    const std::string version = context_text(target, "zfs_version");
    const std::optional<bool> ignores = older(version, 2, 3);
    if (ignores.value_or(false))
        return {Level::invalid,
                fmt::format("{} is on ZFS {}, which accepts O_DIRECT and ignores it before 2.3: the ARC answers.",
                            target.name, version),
                "", "Use ZFS 2.3 or later, primarycache=metadata, or a dataset of five times the ARC."};
    return {Level::unknown,
            fmt::format("{} is on ZFS{}, which may keep direct I/O in its ARC (property direct, alignment).",
                        target.name, version.empty() ? "" : " " + version),
            "", "Check zfs get direct,recordsize and compare with zpool iostat while it runs."};
}

Finding of_file_system(const result::Target& target) {
    const std::string type = context_text(target, "file_system");
    const std::optional<bool> takes = supported(target);
    const std::string remedy = "Use a file system that takes direct I/O (ext4, xfs), or the block device itself.";
    if (type == "tmpfs")
        return {Level::invalid,
                fmt::format("{} is on tmpfs, whose files are memory: it accepts O_DIRECT and ignores it.", target.name),
                "", remedy};
    const bool journals_data = type.starts_with("ext") && (context_text(target, "file_system_options") + "," +
                                                           context_text(target, "mount_options"))
                                                                  .find("data=journal") != std::string::npos;
    if ((takes && !*takes) || journals_data)
        return {
            Level::invalid,
            fmt::format("{} takes no direct I/O on {} ({}): it goes through the page cache although the flag is set.",
                        type.empty() ? "Its file system" : type, target.name,
                        journals_data ? "data=journal" : "statx reports no alignment for it"),
            "",
            journals_data ? "Mount it with data=ordered."
                          : "Remove what prevents it (encryption, compression, verity, inline data, data journalling), "
                            "or use the block device itself."};
    if (type == "zfs") return of_zfs(target);
    const bool passes_on = type.starts_with("fuse") || type == "virtiofs" || type == "overlay" || type == "aufs" ||
                           type == "unionfs" || type == "ecryptfs" || type == "9p";
    if (passes_on && !takes.value_or(false))
        return {Level::unknown,
                fmt::format("{} is on {}, which passes I/O on to something that may cache it in spite of O_DIRECT.",
                            target.name, type),
                "", remedy};
    return {};
}

Finding of_target(const result::Job& job, const result::Target& target) {
    const std::optional<bool> in_force = bool_fact(job, ASSAY_FACT_DIRECT_IN_FORCE);
    if (in_force && !*in_force)
        return {
            Level::invalid,
            fmt::format("Direct I/O was asked for, but {} was not opened with O_DIRECT: the page cache is in between.",
                        target.name),
            fmt::format("F_GETFL & O_DIRECT = 0 on {}", job.targets.size() == 1 ? "it" : "at least one target"),
            "Use a target that takes O_DIRECT, or ask for direct: no and size the dataset for a cache."};
    if (target.kind == "block device") return {};
    return of_file_system(target);
}

struct Bytes {
    bool compared = false;
    Finding finding;
};

// Fewer bytes on the devices than the jobs moved: whatever the flags say, a cache was in between.
Bytes of_bytes(const JobView& view) {
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    if (phases.empty() || !is_direct(view.job)) return {};
    const result::Phase& phase = *phases.back();
    if (!obstacle_to_comparing(view.job, phase).reason.empty()) return {};
    Bytes result;
    for (const OperationKind kind : {OperationKind::read, OperationKind::write}) {
        const ClientBytes bytes = client_bytes(view, phase, kind);
        // What was never written is answered without any device.
        if (bytes.own <= 0 || (kind == OperationKind::read && written_share(view.job) < 1)) continue;
        result.compared = true;
        const double share = bytes.device_most / bytes.client_least;
        const std::string arithmetic =
            fmt::format("{} on the devices / {} by the workload = {:.3f}", binary_bytes(bytes.device_most),
                        binary_bytes(bytes.client_least), share);
        if (share >= thresholds::device_share_least) {
            if (result.finding.level == Level::pass) result.finding.arithmetic = arithmetic;
            continue;
        }
        if (bytes.device_most >= thresholds::device_share_least * bytes.surely()) {
            const Obstacle doubt = doubt_of(bytes);
            if (result.finding.level < Level::unknown)
                result.finding = {Level::unknown,
                                  fmt::format("{} of {} passed the devices. {}", binary_bytes(bytes.device_most),
                                              binary_bytes(bytes.client_least), doubt.reason),
                                  arithmetic, doubt.remedy};
            continue;
        }
        result.finding = {
            Level::invalid,
            fmt::format("O_DIRECT is set on {}, yet {} of {} {} its devices: what is below the file did not honour it.",
                        view.job.targets.front().name, binary_bytes(bytes.device_most),
                        binary_bytes(bytes.client_least),
                        kind == OperationKind::read ? "read left" : "written reached"),
            arithmetic, "Use the device itself as target, or a dataset that no cache can hold."};
    }
    return result;
}

std::vector<result::Verdict> check(const JobView& view) {
    const auto wanted = [](const result::Target& target) { return target.direct && is_path(target); };
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    if (phases.empty() || std::none_of(view.job.targets.begin(), view.job.targets.end(), wanted)) return {};

    result::Verdict verdict = make_verdict(odirect_dropped, view, nullptr);
    verdict.threshold = fmt::format(
        "O_DIRECT is in force, the file system takes it, and at least {} of the bytes pass "
        "the devices",
        thresholds::device_share_least);
    const Bytes bytes = of_bytes(view);
    Finding worst = bytes.finding;
    for (const result::Target& target : view.job.targets) {
        if (!wanted(target)) continue;
        const Finding finding = of_target(view.job, target);
        // Bytes that did reach the devices settle a doubt, but no proof.
        const bool settled = finding.level == Level::unknown && bytes.compared;
        if (finding.level > worst.level && !settled) worst = finding;
    }
    const std::optional<bool> in_force = bool_fact(view.job, ASSAY_FACT_DIRECT_IN_FORCE);
    verdict.level = worst.level;
    verdict.message = worst.message;
    verdict.arithmetic = worst.arithmetic.empty() ? fmt::format("O_DIRECT in force: {}", !in_force   ? "not reported"
                                                                                         : *in_force ? "yes"
                                                                                                     : "no")
                                                  : worst.arithmetic;
    verdict.remedy = worst.remedy;
    if (worst.level == Level::pass)
        verdict.message = bytes.compared ? "O_DIRECT is in force, and the bytes passed the devices."
                          : in_force     ? "O_DIRECT is in force and the file system takes it."
                                         : "The file system takes O_DIRECT.";
    if (in_force) add_evidence(verdict, ASSAY_FACT_DIRECT_IN_FORCE, *in_force, "", "F_GETFL");
    constexpr std::size_t listed = 4;
    for (std::size_t at = 0; at < std::min(view.job.targets.size(), listed); ++at) {
        const result::Target& target = view.job.targets[at];
        add_evidence(verdict, "target", target.name, "", target.kind);
        if (const std::string type = context_text(target, "file_system"); !type.empty())
            add_evidence(verdict, "file_system", type, "", "/proc/self/mountinfo");
        if (const std::optional<bool> takes = supported(target))
            add_evidence(verdict, "direct_io_supported", *takes, "", "statx");
    }
    return {verdict};
}

} // namespace

const Check odirect_dropped{"odirect.dropped", 1,
                            "direct I/O that was asked for and is not in force, or is ignored by what is below", check};

} // namespace assay::verdict
