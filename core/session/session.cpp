#include "core/session/session.hpp"

#include "core/base/clock.hpp"
#include "core/context/machine.hpp"
#include "core/result/io.hpp"
#include "core/session/evidence.hpp"
#include "core/session/rate_of_max.hpp"
#include "core/session/sampling.hpp"
#include "core/session/version.hpp"
#include "core/verdict/check.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

namespace assay {
namespace {

// A bundle is written again while a long plan runs, so that a crash leaves the finished points behind.
constexpr std::int64_t rewrite_interval_ns = 30'000'000'000;

// Trying a point takes well under a millisecond; more than these are not tried beforehand.
constexpr std::size_t tried_points_max = 4096;

// Seeds must differ between workers, jobs and repeats, not between invocations: a run can be repeated exactly, and the
// spread over its repeats holds what the draws (Poisson arrivals, offsets) make of it.
constexpr std::uint64_t base_seed = 0x243f6a8885a308d3; // first 64 fractional bits of pi

bool measured_anything(const result::Run& run) {
    for (const result::Stage& stage : run.stages)
        for (const result::Point& point : stage.points)
            for (const result::Repeat& repeat : point.repeats)
                for (const result::Job& job : repeat.jobs)
                    for (const result::Phase& phase : job.phases)
                        if (phase.kind == result::PhaseKind::measured) return true;
    return false;
}

class Session {
public:
    Session(const SessionRequest& request, Loader& loader, SessionObserver& observer, const StopFlag& stop)
        : request_(request), loader_(loader), observer_(observer), stop_(stop) {}

    Result<SessionOutcome> run() {
        plan_ = request_.plan;
        if (!plan_.samplers) plan_.samplers = available(request_.default_samplers);
        Result<CheckedPlan> checked = check_plan(
            plan_, [this](const std::string& workload) { return schema_of(workload, ASSAY_KIND_WORKLOAD); },
            [this](const std::string& sampler) { return schema_of(sampler, ASSAY_KIND_SAMPLER); });
        if (!checked) return checked.status();
        if (Status sampled = start_sampling(*checked); !sampled.ok()) return sampled;
        if (!request_.bundle_directory.empty()) {
            Result<result::BundleClaim> claimed =
                result::prepare_bundle(request_.bundle_directory, request_.replace_bundle);
            if (!claimed) return claimed.status();
            bundle_ = std::move(*claimed);
        }
        begin(*checked);
        for (const PlannedStage& stage : checked->stages) {
            run_stage(stage);
            if (over()) break;
        }
        return finish();
    }

private:
    [[nodiscard]] bool over() const { return !outcome_.status.ok() || outcome_.hung || stop_.requested(); }

    Result<std::shared_ptr<const Schema>> schema_of(const std::string& name, assay_plugin_kind kind) {
        Result<const LoadedPlugin*> found = loader_.find(name);
        if (!found) return found.status();
        if ((*found)->descriptor->kind != kind)
            return usage_error("'" + name + "' is not a " + (kind == ASSAY_KIND_WORKLOAD ? "workload" : "sampler") +
                               "; `assay plugins list` shows which plugins are");
        plugins_[name] = *found;
        return (*found)->schema;
    }

    [[nodiscard]] std::vector<SamplerPlan> available(const std::vector<SamplerPlan>& wanted) {
        std::vector<SamplerPlan> found;
        for (const SamplerPlan& sampler : wanted) {
            const Result<const LoadedPlugin*> plugin = loader_.find(sampler.name.text);
            if (plugin)
                found.push_back(sampler);
            else
                observer_.message(ASSAY_LOG_WARNING, "nothing is sampled by '" + sampler.name.text +
                                                         "', and no check can use it: " + plugin.status().message());
        }
        return found;
    }

    Status start_sampling(const CheckedPlan& checked) {
        std::vector<SamplerSetup> setups;
        for (const PlannedSampler& sampler : *checked.samplers)
            setups.push_back({plugins_.at(sampler.name)->descriptor, &sampler});
        if (setups.empty()) return {};
        auto made = Sampling::create(setups, [this](assay_severity severity, const std::string& text) {
            if (severity >= ASSAY_LOG_WARNING) observer_.message(severity, text);
        });
        if (!made) return made.status();
        sampling_ = std::move(*made);
        return {};
    }

    void begin(const CheckedPlan& checked) {
        result::Run& run = outcome_.run;
        run.tool_version = tool_version();
        run.started = utc_now_text();
        run.command_line = request_.command_line;
        run.plan_name = checked.name;
        run.plan_yaml = plan_yaml(plan_);
        run.context = machine_context();
        for (const auto& [key, value] : checked.context)
            run.context.push_back({"declared." + key, value, "", "plan"});
        for (const auto& [name, plugin] : plugins_)
            run.plugins.push_back({plugin->name, plugin->descriptor->id, plugin->descriptor->version, plugin->file.path,
                                   plugin->file.sha256, plugin->file.build_id});
        for (const PlannedStage& stage : checked.stages)
            total_runs_ += static_cast<std::uint32_t>(stage.points.size()) * stage.repeat;
        epoch_ns_ = monotonic_ns();
        written_ns_ = epoch_ns_;
    }

    // Rates that are shares of a maximum are left open until that is known.
    [[nodiscard]] std::vector<RunJob> jobs_of(const PlannedPoint& point, std::uint32_t repeat = 1) const {
        std::vector<RunJob> jobs;
        for (const PlannedJob& planned : point.jobs) {
            jobs.push_back({planned.name, plugins_.at(planned.workload)->descriptor, planned.options, planned.targets,
                            planned.workers, planned.cpus, planned.start_after_ns, planned.warmup_ns,
                            planned.measure_ns,
                            base_seed + jobs.size() * 0x9e3779b97f4a7c15U + (repeat - 1) * 0xd1342543de82ef95U,
                            planned.rate_per_s, planned.arrival, planned.per_worker});
        }
        return jobs;
    }

    // A sweep that fails in its middle has wasted the time before it: the options of the later points are tried first.
    [[nodiscard]] Status try_points(const PlannedStage& stage) const {
        for (std::size_t at = 1; at < std::min(stage.points.size(), tried_points_max); ++at) {
            std::string where = "point";
            for (const auto& [key, value] : stage.points[at].parameters)
                where += " " + key + "=" + value;
            if (Status tried = try_point(jobs_of(stage.points[at])); !tried.ok()) return tried.wrap(where);
        }
        return {};
    }

    void run_stage(const PlannedStage& stage) {
        if (outcome_.status = try_points(stage); !outcome_.status.ok()) return;
        outcome_.run.stages.push_back({stage.name, {}});
        for (const PlannedPoint& point : stage.points) {
            outcome_.run.stages.back().points.push_back({point.parameters, {}});
            for (std::uint32_t repeat = 1; repeat <= stage.repeat; ++repeat) {
                run_repeat(stage, point, repeat);
                if (over()) return;
            }
        }
    }

    void run_repeat(const PlannedStage& stage, const PlannedPoint& point, std::uint32_t repeat) {
        observer_.run_started({stage.name, point.parameters, done_runs_, total_runs_, repeat, stage.repeat});
        RunSettings settings;
        settings.interval_ns = request_.interval_ns;
        settings.epoch_ns = epoch_ns_;
        std::vector<RunJob> jobs = jobs_of(point, repeat);
        if (outcome_.status = resolve_rates(point, outcome_.run.stages.back(), jobs); !outcome_.status.ok()) return;
        EvidenceHooks hooks(
            {request_.destroy, settings.interval_ns, epoch_ns_, sampling_.get(),
             [this](const result::Repeat& so_far) { return verdict::judge_so_far(outcome_.run, so_far); }},
            observer_);
        if (sampling_) sampling_->begin();
        Result<PointOutcome> ran = run_point(jobs, settings, hooks, stop_);
        if (!ran) {
            outcome_.status = ran.status();
            return;
        }
        outcome_.hung = ran->hung;
        result::Repeat done{std::move(ran->jobs), {}};
        if (sampling_) done.samples = sampling_->take(epoch_ns_);
        for (result::Job& job : done.jobs) {
            hooks.add_facts(job);
            if (!job.failure.empty() && outcome_.status.ok())
                outcome_.status =
                    run_error(done.jobs.size() > 1 ? "job " + job.name + ": " + job.failure : job.failure);
        }
        std::vector<result::Repeat>& repeats = outcome_.run.stages.back().points.back().repeats;
        repeats.push_back(std::move(done));
        ++done_runs_;
        const std::size_t at_stage = outcome_.run.stages.size() - 1;
        const std::size_t at_point = outcome_.run.stages.back().points.size() - 1;
        verdict::judge(outcome_.run, at_stage, at_point, repeats.size() - 1);
        observer_.run_finished(repeats.back());
        if (monotonic_ns() - written_ns_ > rewrite_interval_ns) write();
    }

    void write() {
        if (request_.bundle_directory.empty()) return;
        outcome_.run.duration_ns = monotonic_ns() - epoch_ns_;
        Status written = result::write_bundle(outcome_.run, request_.bundle_directory);
        written_ns_ = monotonic_ns();
        outcome_.bundle_written = written.ok();
        if (!written.ok() && outcome_.status.ok()) outcome_.status = written;
    }

    Result<SessionOutcome> finish() {
        result::Run& run = outcome_.run;
        drop_empty_points();
        if (!outcome_.status.ok() && !measured_anything(run)) {
            bundle_.abandon();
            if (!outcome_.hung) return outcome_.status;
        }
        if (stop_.requested()) {
            run.cut_short = true;
            const int number = stop_.signal_number();
            const char* name = number > 0 ? sigabbrev_np(number) : nullptr;
            run.cut_reason = name != nullptr ? std::string("interrupted by SIG") + name : "stopped on request";
        } else if (!outcome_.status.ok()) {
            run.cut_short = true;
            run.cut_reason = outcome_.status.message();
        }
        run.duration_ns = monotonic_ns() - epoch_ns_;
        write();
        return std::move(outcome_);
    }

    void drop_empty_points() {
        for (result::Stage& stage : outcome_.run.stages)
            std::erase_if(stage.points, [](const result::Point& point) { return point.repeats.empty(); });
        std::erase_if(outcome_.run.stages, [](const result::Stage& stage) { return stage.points.empty(); });
    }

    const SessionRequest& request_;
    Loader& loader_;
    SessionObserver& observer_;
    const StopFlag& stop_;
    SessionOutcome outcome_;
    Plan plan_;                                          // the request's, with the default samplers where it names none
    std::map<std::string, const LoadedPlugin*> plugins_; // by the name the plan uses
    std::unique_ptr<Sampling> sampling_;                 // nothing is sampled: nullptr
    std::int64_t epoch_ns_ = 0;
    std::int64_t written_ns_ = 0;
    std::uint32_t done_runs_ = 0;
    std::uint32_t total_runs_ = 0;
    result::BundleClaim bundle_;
};

} // namespace

Result<SessionOutcome> run_session(const SessionRequest& request, Loader& loader, SessionObserver& observer,
                                   const StopFlag& stop) {
    return Session(request, loader, observer, stop).run();
}

} // namespace assay
