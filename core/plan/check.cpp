#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/rate.hpp"
#include "core/plan/sweep.hpp"
#include "core/plan/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

constexpr std::int64_t kRepeatMax = 1000;
constexpr std::int64_t kCpuMax = 8191; // the most that Linux can be built for
constexpr std::size_t kCpusMax = 4096;
constexpr std::size_t kTargetBytesMax = 4095; // PATH_MAX - 1

// "0-3,8" -> 0 1 2 3 8
Result<std::vector<int>> parse_cpus(std::string_view text) {
    constexpr std::string_view kRule = "write CPU numbers and ranges, for example 0-3,8";
    std::vector<int> cpus;
    for (const std::string_view piece : split(text, ',')) {
        const auto ends = split(trim(piece), '-');
        const Result<std::int64_t> first = parse_integer(ends.front());
        const Result<std::int64_t> last = parse_integer(ends.back());
        if (ends.size() > 2 || !first || !last || *first < 0 || *first > *last || *last > kCpuMax) {
            return usage_error(fmt::format("{} in {} is not a CPU or a range of CPUs from 0 to {}: {}",
                                           in_quotes(trim(piece)), in_quotes(text), kCpuMax, kRule));
        }
        for (std::int64_t cpu = *first; cpu <= *last && cpus.size() <= kCpusMax; ++cpu)
            cpus.push_back(static_cast<int>(cpu));
        if (cpus.size() > kCpusMax)
            return usage_error(fmt::format("{} names more than {} CPUs", in_quotes(text), kCpusMax));
    }
    return cpus;
}

// The defaults, with what the plan gives in their place.
Result<OptionSet> set_options(const Where& where, const std::shared_ptr<const Schema>& schema, const PlanPairs& pairs) {
    Result<OptionSet> options = OptionSet::defaults(schema);
    if (!options) return options;
    for (const auto& [key, value] : pairs) {
        const std::optional<std::size_t> index = schema->find(key.text);
        if (!index) return where.at(key, schema->unknown_option(key.text));
        if (options->at(*index).given) return where.error(key, fmt::format("option {} is given twice", key.text));
        auto option = where.option(*schema, *index, value);
        if (!option) return option.status();
        options->assign(*index, std::move(*option));
    }
    return options;
}

// A job's texts against its plugin's schema.
class JobCheck {
public:
    JobCheck(const JobPlan& plan, const StagePlan& stage, const std::string& source)
        : plan_(plan), stage_(stage), where_{source, stage.jobs.size() > 1 ? plan.name : std::string()} {}

    Result<PlannedJob> run(const SchemaLookup& schema_of) {
        if (plan_.workload.text.empty()) return where_.error(plan_.workload, "the job names no workload");
        Result<std::shared_ptr<const Schema>> schema = schema_of(plan_.workload.text);
        if (!schema) return where_.at(plan_.workload, schema.status());
        Result<OptionSet> options = set_options(where_, *schema, plan_.options);
        if (!options) return options.status();
        PlannedJob job{.name = plan_.name,
                       .workload = plan_.workload.text,
                       .targets = {},
                       .options = std::move(*options),
                       .cpus = {}};
        for (const Status& status :
             {set_targets(job), set_workers(job), set_times(job), set_rate(job), set_detail(job)}) {
            if (!status.ok()) return status;
        }
        return job;
    }

private:
    Status set_targets(PlannedJob& job) {
        for (const PlanText& target : plan_.targets) {
            if (target.text.empty()) return where_.error(target, "a target is empty");
            if (target.text.size() > kTargetBytesMax) {
                return where_.error(target, fmt::format("the target {} is longer than {} bytes", in_quotes(target.text),
                                                        kTargetBytesMax));
            }
            // A result is JSON, which could not name it.
            if (!is_utf8(target.text)) {
                return where_.error(target,
                                    fmt::format("the target {} is not UTF-8 text; a link with another name helps",
                                                in_quotes(target.text)));
            }
            job.targets.push_back(target.text);
        }
        return {};
    }

    Status set_workers(PlannedJob& job) {
        const Result<std::int64_t> workers = where_.count(plan_.workers, "workers", kWorkersMax, 1);
        if (!workers) return workers.status();
        job.workers = static_cast<std::uint32_t>(*workers);
        if (plan_.cpus.text.empty()) return {};
        Result<std::vector<int>> cpus = parse_cpus(plan_.cpus.text);
        if (!cpus) return where_.at(plan_.cpus, cpus.status().wrap("cpus"));
        job.cpus = std::move(*cpus);
        return {};
    }

    Status set_times(PlannedJob& job) {
        const PlanText& warmup = plan_.time.warmup.text.empty() ? stage_.time.warmup : plan_.time.warmup;
        const PlanText& measure = plan_.time.measure.text.empty() ? stage_.time.measure : plan_.time.measure;
        const Result<std::int64_t> start_after_ns = where_.duration(plan_.start_after, "start_after");
        const Result<std::int64_t> warmup_ns = where_.duration(warmup, "time.warmup");
        const Result<std::int64_t> measure_ns = where_.duration(measure, "time.measure");
        for (const Result<std::int64_t>* value : {&start_after_ns, &warmup_ns, &measure_ns}) {
            if (!value->ok()) return value->status();
        }
        if (*measure_ns == 0 && !measure.text.empty()) {
            return where_.error(measure, "time.measure: must be more than 0; leave it out to let the work end the job");
        }
        job.start_after_ns = *start_after_ns;
        job.warmup_ns = *warmup_ns;
        job.measure_ns = *measure_ns;
        return {};
    }

    Status set_rate(PlannedJob& job) {
        const std::string_view arrival = plan_.arrival.text;
        if (arrival == "poisson")
            job.arrival = ASSAY_ARRIVAL_POISSON;
        else if (!arrival.empty() && arrival != "constant")
            return where_.error(plan_.arrival,
                                fmt::format("arrival: {} is neither constant nor poisson", in_quotes(arrival)));
        const bool curve = trim(plan_.rate.text) == kRateCurve; // a sweep
        if (!plan_.rate.text.empty() && !curve) {
            const Result<Rate> rate = parse_rate(plan_.rate.text);
            if (!rate) return where_.at(plan_.rate, rate.status());
            if (rate->of_max) return where_.error(plan_.rate, share_without_max(plan_.rate.text));
            job.rate_per_s = rate->per_s;
        }
        const bool open = job.rate_per_s || curve || swept_rate();
        if (open || arrival.empty()) return {};
        return where_.error(plan_.arrival,
                            "arrival is given without a rate, and a closed loop has no arrivals: add one, for example "
                            "rate 10k/s");
    }

    Status set_detail(PlannedJob& job) {
        if (plan_.per_worker.text.empty()) return {};
        const Result<bool> wanted = parse_bool(plan_.per_worker.text);
        if (!wanted) return where_.at(plan_.per_worker, wanted.status().wrap("per_worker"));
        job.per_worker = *wanted;
        return {};
    }

    [[nodiscard]] bool swept_rate() const {
        return std::any_of(stage_.sweep.begin(), stage_.sweep.end(), [](const SweepAxis& axis) {
            return axis.key.text == kRateKey || axis.key.text.ends_with("." + std::string(kRateKey));
        });
    }

    const JobPlan& plan_;
    const StagePlan& stage_;
    Where where_;
};

// `rate: curve` of a job is one more axis, which varies fastest.
StagePlan with_rate_curves(StagePlan stage) {
    for (JobPlan& job : stage.jobs) {
        if (trim(job.rate.text) != kRateCurve) continue;
        PlanText key = job.rate;
        key.text =
            stage.jobs.size() > 1 ? fmt::format("{}.{}", with_underscores(job.name), kRateKey) : std::string(kRateKey);
        stage.sweep.emplace_back(std::move(key), std::vector<PlanText>{job.rate});
    }
    return stage;
}

class PlanCheck {
public:
    PlanCheck(const Plan& plan, const SchemaLookup& schema_of, const SchemaLookup& sampler_schema_of)
        : plan_(plan), schema_of_(schema_of), sampler_schema_of_(sampler_schema_of) {}

    Result<CheckedPlan> run() {
        CheckedPlan checked;
        checked.name = plan_.name.empty() ? stem(plan_.source) : plan_.name;
        for (const auto& [key, value] : plan_.context)
            checked.context.emplace_back(key.text, value.text);
        if (plan_.stages.empty()) return usage_error("the plan has no stages");
        for (const StagePlan& stage : plan_.stages)
            names_.insert(stage.name);
        if (plan_.samplers) {
            checked.samplers.emplace();
            for (const SamplerPlan& sampler : *plan_.samplers) {
                const auto same = [&](const PlannedSampler& other) { return other.name == sampler.name.text; };
                if (std::any_of(checked.samplers->begin(), checked.samplers->end(), same))
                    return Where{plan_.source, {}}.error(
                        sampler.name, fmt::format("the sampler {} is named twice: once is enough", sampler.name.text));
                Result<PlannedSampler> planned = check_sampler(sampler);
                if (!planned) return planned.status();
                checked.samplers->push_back(std::move(*planned));
            }
        }
        for (const StagePlan& stage : plan_.stages) {
            Result<PlannedStage> planned = check_stage(with_rate_curves(stage));
            if (!planned) return planned.status();
            checked.stages.push_back(std::move(*planned));
        }
        return checked;
    }

private:
    Result<PlannedStage> check_stage(const StagePlan& stage) {
        const Where where{plan_.source, {}};
        PlannedStage planned;
        if (stage.jobs.empty()) return where.error({{}, stage.line, 1}, "a stage has no jobs");
        planned.name = stage.name.empty() ? derived_name(stage) : stage.name;
        if (!used_.insert(planned.name).second) {
            return where.error({{}, stage.line, 1},
                               fmt::format("two stages have the name {}: each needs its own", in_quotes(planned.name)));
        }
        const Result<std::int64_t> repeat = where.count(stage.repeat, "repeat", kRepeatMax, 1);
        if (!repeat) return repeat.status();
        planned.repeat = static_cast<std::uint32_t>(*repeat);
        std::vector<PlannedJob> jobs;
        for (const JobPlan& job : stage.jobs) {
            Result<PlannedJob> checked = JobCheck(job, stage, plan_.source).run(schema_of_);
            if (!checked) return checked.status();
            jobs.push_back(std::move(*checked));
        }
        Result<std::vector<PlannedPoint>> points = expand_sweep(stage, plan_.source, jobs, budget_);
        if (!points) return points.status();
        planned.points = std::move(*points);
        // Every point gives the same options, so the first one speaks for all.
        for (std::size_t i = 0; i < stage.jobs.size(); ++i) {
            const Where job{plan_.source, stage.jobs.size() > 1 ? stage.jobs[i].name : std::string()};
            const Status status = planned.points[0].jobs[i].options.check_required();
            if (!status.ok()) return job.at(stage.jobs[i].workload, status);
        }
        return planned;
    }

    Result<PlannedSampler> check_sampler(const SamplerPlan& sampler) {
        const Where where{plan_.source, {}};
        if (!sampler_schema_of_) return where.error(sampler.name, "samplers are not available here: leave them out");
        Result<std::shared_ptr<const Schema>> schema = sampler_schema_of_(sampler.name.text);
        if (!schema) return where.at(sampler.name, schema.status());
        Result<OptionSet> options = set_options(where, *schema, sampler.options);
        if (!options) return options.status();
        PlannedSampler planned{sampler.name.text, std::move(*options), {}};
        for (const PlanText& glob : sampler.select)
            planned.select.push_back(glob.text);
        return planned;
    }

    // "block", "oltp+backup"; a number after it if the name is taken.
    std::string derived_name(const StagePlan& stage) const {
        std::vector<std::string> jobs;
        for (const JobPlan& job : stage.jobs)
            jobs.push_back(job.name);
        const std::string name = join(jobs, "+");
        std::string candidate = name;
        for (int n = 2; names_.contains(candidate) || used_.contains(candidate); ++n)
            candidate = fmt::format("{}-{}", name, n);
        return candidate;
    }

    // "dir/nvme.yaml" -> "nvme"
    static std::string stem(std::string_view path) {
        path = path.substr(path.rfind('/') + 1); // npos + 1 is 0
        const std::string_view name = path.substr(0, path.rfind('.'));
        return name.empty() ? "plan" : std::string(name);
    }

    const Plan& plan_;
    const SchemaLookup& schema_of_;
    const SchemaLookup& sampler_schema_of_;
    SweepBudget budget_;
    std::set<std::string> names_; // given in the plan
    std::set<std::string> used_;
};

} // namespace

Result<CheckedPlan> check_plan(const Plan& plan, const SchemaLookup& schema_of, const SchemaLookup& sampler_schema_of) {
    return PlanCheck(plan, schema_of, sampler_schema_of).run();
}

} // namespace assay
