#include "core/session/rate_of_max.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <string>

namespace assay {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// The key that sweeps the rate of `job`, as a plan writes it: "rate", "JOB.rate", dashes as underscores.
bool is_rate_of(const std::string& key, const std::string& job) {
    return key == "rate" || key == with_underscores(job) + ".rate";
}

bool is_maximum_of(const Parameters& candidate, const Parameters& parameters, const std::string& job) {
    if (candidate.size() != parameters.size()) return false;
    for (std::size_t at = 0; at < candidate.size(); ++at) {
        const auto& [key, value] = candidate[at];
        if (key != parameters[at].first) return false;
        if (value != (is_rate_of(key, job) ? "max" : parameters[at].second)) return false;
    }
    return true;
}

double operations_per_s(const result::Phase& phase) {
    std::uint64_t operations = 0;
    for (const result::Operation& operation : phase.operations)
        if (operation.kind != result::OperationKind::other) operations += operation.operations;
    if (operations == 0) // a workload without reads and writes
        for (const result::Operation& operation : phase.operations)
            operations += operation.operations;
    return static_cast<double>(operations) / phase.window_s();
}

double mean_rate(const result::Point& point, const std::string& name) {
    double sum = 0;
    int count = 0;
    for (const result::Repeat& repeat : point.repeats)
        for (const result::Job& job : repeat.jobs)
            for (const result::Phase& phase : job.phases) {
                if (job.name != name || phase.kind != result::PhaseKind::measured || phase.window_s() <= 0) continue;
                sum += operations_per_s(phase);
                ++count;
            }
    return count == 0 ? 0 : sum / count;
}

} // namespace

Status resolve_rates(const PlannedPoint& point, const result::Stage& stage, std::vector<RunJob>& jobs) {
    for (std::size_t at = 0; at < jobs.size(); ++at) {
        const std::optional<double> share = point.jobs[at].rate_of_max;
        if (!share) continue;
        const auto maximum =
            std::find_if(stage.points.begin(), stage.points.end(), [&](const result::Point& candidate) {
                return is_maximum_of(candidate.parameters, point.parameters, jobs[at].name);
            });
        const double most = maximum == stage.points.end() ? 0 : mean_rate(*maximum, jobs[at].name);
        if (most <= 0)
            return run_error("job " + jobs[at].name +
                             ": its maximum is not known, because nothing completed at rate max: a share of it cannot "
                             "be offered");
        jobs[at].rate_per_s = most * *share;
    }
    return {};
}

} // namespace assay
