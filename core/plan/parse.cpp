#include "core/plan/overrides.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/reader.hpp"
#include "core/plan/tree.hpp"

namespace assay {

Result<Plan> parse_plan(std::string_view yaml, const std::string& source, const std::vector<std::string>& sets) {
    Result<tree::Node> root = tree::parse_yaml(yaml, source);
    if (!root) return root.status();
    for (const std::string& set : sets) {
        if (const Status status = tree::apply_override(*root, set); !status.ok()) return status;
    }
    return read_plan(*root, source);
}

Plan single_job_plan(SingleJob single) {
    const auto given = [](std::string text) { return PlanText{std::move(text), 0, 0}; };
    JobPlan job;
    job.name = single.workload;
    job.workload = given(single.workload);
    for (std::string& target : single.targets)
        job.targets.push_back(given(std::move(target)));
    for (auto& [key, text] : single.options)
        job.options.emplace_back(std::move(key), given(std::move(text)));
    job.workers = given(std::move(single.workers));
    job.cpus = given(std::move(single.cpus));
    job.rate = given(std::move(single.rate));
    job.arrival = given(std::move(single.arrival));
    StagePlan stage;
    stage.name = single.workload;
    stage.time = {given(std::move(single.warmup)), given(std::move(single.measure))};
    stage.repeat = given(std::move(single.repeat));
    stage.jobs.push_back(std::move(job));
    Plan plan;
    plan.source = "command line";
    plan.name = std::move(single.workload);
    plan.stages.push_back(std::move(stage));
    return plan;
}

} // namespace assay
