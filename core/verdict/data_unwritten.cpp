#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

bool reads(const result::Phase& phase) {
    return std::any_of(phase.operations.begin(), phase.operations.end(), [](const result::Operation& operation) {
        return operation.kind == result::OperationKind::read && operation.operations > 0;
    });
}
bool writes(const result::Phase& phase) {
    return std::any_of(phase.operations.begin(), phase.operations.end(), [](const result::Operation& operation) {
        return operation.kind == result::OperationKind::write && operation.operations > 0;
    });
}

struct Coverage {
    double region = 0;
    double unwritten = 0;
    double hole = 0;
    std::vector<std::string> bare;       // targets with something never written
    std::vector<std::string> unreadable; // targets whose extents are not known
    std::string why_unreadable;
};

Coverage coverage_of(const result::Job& job) {
    Coverage all;
    for (const result::Target& target : job.targets) {
        if (target.kind != "file" || !target.reads) continue;
        if (!target.extents || !target.extents->known) {
            if (all.unreadable.empty())
                all.why_unreadable = target.extents ? target.extents->why_unknown : "its extents were not read";
            all.unreadable.push_back(target.name);
            continue;
        }
        all.region += static_cast<double>(target.extents->region_bytes);
        all.unwritten += static_cast<double>(target.extents->unwritten_bytes);
        all.hole += static_cast<double>(target.extents->hole_bytes);
        if (target.extents->unwritten_bytes + target.extents->hole_bytes > 0) all.bare.push_back(target.name);
    }
    return all;
}

std::string names(const std::vector<std::string>& targets) {
    if (targets.size() == 1) return targets[0];
    return fmt::format("{} and {} more", targets[0], targets.size() - 1);
}

std::vector<result::Verdict> check(const JobView& view) {
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    const auto reading = std::find_if(phases.begin(), phases.end(), [](const auto* phase) { return reads(*phase); });
    if (reading == phases.end()) return {};
    const Coverage coverage = coverage_of(view.job);
    if (coverage.region == 0 && coverage.unreadable.empty()) return {}; // no file is read

    result::Verdict verdict = make_verdict(data_unwritten, view, nullptr);
    for (const result::Operation& operation : (*reading)->operations)
        if (operation.kind == result::OperationKind::read) verdict.operation = operation.name;
    verdict.threshold = "every byte in the range that is read has been written";
    const double bare = coverage.unwritten + coverage.hole;
    add_evidence(verdict, "region_bytes", coverage.region, "B", "FIEMAP");
    add_evidence(verdict, "unwritten_bytes", coverage.unwritten, "B", "FIEMAP");
    add_evidence(verdict, "hole_bytes", coverage.hole, "B", "FIEMAP");
    verdict.arithmetic = fmt::format("({} allocated, never written + {} hole) / {}", binary_bytes(coverage.unwritten),
                                     binary_bytes(coverage.hole), binary_bytes(coverage.region));
    if (coverage.region > 0) verdict.arithmetic += fmt::format(" = {}", percent_text(bare / coverage.region));

    if (bare > 0) {
        const bool written_before =
            std::any_of(phases.begin(), reading, [](const auto* phase) { return writes(*phase); });
        verdict.level = written_before ? result::Level::unknown : result::Level::invalid;
        verdict.message =
            fmt::format("{} of the {} that are read from {} were never written ({}).", binary_bytes(bare),
                        binary_bytes(coverage.region), names(coverage.bare), percent_text(bare / coverage.region));
        if (written_before) {
            verdict.message += " A measured phase wrote there before it was read; how much of it is not known.";
            verdict.remedy = "Read what an earlier run has written.";
        } else {
            verdict.message += " The file system answers such a read with zeroes, without asking a device.";
            verdict.remedy =
                "Write the whole range first (pattern: write), or remove the file: a missing one is laid out with "
                "data.";
        }
    } else if (!coverage.unreadable.empty()) {
        verdict.level = result::Level::unknown;
        verdict.message = fmt::format("Whether {} holds data where it is read is not known: {}.",
                                      names(coverage.unreadable), coverage.why_unreadable);
        verdict.remedy = "Use a file system that knows FIEMAP (ext4, xfs, btrfs), or write the file before reading it.";
    } else {
        verdict.message = fmt::format("All {} that are read have been written.", binary_bytes(coverage.region));
    }
    return {verdict};
}

} // namespace

const Check data_unwritten{"data.unwritten", 1,
                           "reads of holes and of extents never written: no device has to answer them", check};

} // namespace assay::verdict
