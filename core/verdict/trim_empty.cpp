#include "core/base/units.hpp"
#include "core/verdict/checks.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::verdict {
namespace {

bool is_trim(const result::Operation& operation) {
    return operation.kind == result::OperationKind::other && operation.name == "trim";
}

// Trims, and nothing else that could fill what they empty.
bool only_trims(const result::Phase& phase) {
    bool trims = false;
    for (const result::Operation& operation : phase.operations) {
        if (operation.operations == 0) continue;
        if (!is_trim(operation)) return false;
        trims = trims || operation.bytes > 0;
    }
    return trims;
}

// From the phase's start, warm-up included: what that has trimmed is gone as well.
double trimmed_bytes(const result::Phase& phase) {
    double all = 0;
    double in_series = 0;
    for (std::size_t at = 0; at < phase.operations.size(); ++at) {
        if (!is_trim(phase.operations[at])) continue;
        all += static_cast<double>(phase.operations[at].bytes);
        for (const result::SeriesPoint& interval : phase.series)
            if (at < interval.operations.size()) in_series += static_cast<double>(interval.operations[at].bytes);
    }
    return std::max(all, in_series);
}

struct Region {
    double bytes = 0;
    double known = 0; // of files whose extents could be read
    double hole = 0;
};

Region region_of(const result::Job& job) {
    Region region;
    for (const result::Target& target : job.targets) {
        region.bytes += static_cast<double>(target.length_bytes);
        if (!target.extents || !target.extents->known) continue;
        region.known += static_cast<double>(target.extents->region_bytes);
        region.hole += static_cast<double>(target.extents->hole_bytes);
    }
    return region;
}

std::vector<result::Verdict> check(const JobView& view) {
    const std::vector<const result::Phase*> phases = measured_phases(view.job);
    // Extents are those before the first phase.
    if (phases.empty() || !only_trims(*phases.front())) return {};
    const result::Phase& phase = *phases.front();
    const Region region = region_of(view.job);
    if (region.bytes <= 0) return {};
    const double trimmed = trimmed_bytes(phase);
    result::Verdict verdict = make_verdict(trim_empty, view, &phase);
    verdict.operation = "trim";
    verdict.threshold =
        fmt::format("at most {:.0f} % of what is trimmed are holes before, and no block is trimmed twice",
                    thresholds::trimmed_holes_most * 100);
    verdict.arithmetic = fmt::format("{} trimmed / {} = {:.2f} passes; {} of {} were holes", binary_bytes(trimmed),
                                     binary_bytes(region.bytes), trimmed / region.bytes, binary_bytes(region.hole),
                                     binary_bytes(region.known));
    verdict.message =
        fmt::format("{} of a range of {} were trimmed.", binary_bytes(trimmed), binary_bytes(region.bytes));
    add_evidence(verdict, "trimmed_bytes", trimmed, "B", "workload");
    add_evidence(verdict, "region_bytes", region.bytes, "B", "workload");
    add_evidence(verdict, "hole_bytes", region.hole, "B", "FIEMAP");
    if (region.known > 0 && region.hole > thresholds::trimmed_holes_most * region.known) {
        verdict.level = result::Level::invalid;
        verdict.message = fmt::format(
            "{} of the {} that are trimmed were holes before ({}): there was nothing to discard, and no device was "
            "asked.",
            binary_bytes(region.hole), binary_bytes(region.known), percent_text(region.hole / region.known));
        verdict.remedy = "Write the whole range first (pattern: write).";
    } else if (trimmed > region.bytes) {
        verdict.level = result::Level::note;
        verdict.message += " After the first pass nothing was left to discard: the rest are trims of nothing.";
        verdict.remedy = "Trim each block once: --amount of the range's length, or a larger range.";
    }
    return {verdict};
}

} // namespace

const Check trim_empty{"trim.empty", 1, "trims of holes, or of what has been trimmed already: nothing to discard",
                       check};

} // namespace assay::verdict
