// A plan: what to run, before and after it is checked.
//
// Values stay text until an option table gives them a type, so YAML's own typing surprises nobody. Parsing knows the
// plan's grammar only; check_plan() brings in the plugins' schemas and expands sweeps into points. Plain data.
#pragma once

#include "assay/abi/arrival.h"
#include "core/base/status.hpp"
#include "core/schema/schema.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// --- as written ---------------------------------------------------------------------------------------------------

struct PlanText {
    std::string text;
    int line = 0; // 1-based in the plan's source, columns in characters; 0: from the command line
    int column = 0;
    bool list = false; // written as a YAML list; `text` is its items joined with commas
};

struct PlanEntry {
    PlanText key;
    PlanText value;
    PlanEntry(PlanText the_key, PlanText the_value) : key(std::move(the_key)), value(std::move(the_value)) {}
    PlanEntry(std::string the_key, PlanText the_value) : value(std::move(the_value)) { key.text = std::move(the_key); }
};
using PlanPairs = std::vector<PlanEntry>; // in the order written, keys with underscores, each once

// One swept key, `option`, `job.option`, `workers` or `job.workers`, and its values. Without a job it goes to every job
// of the stage that has it.
struct SweepAxis {
    PlanText key;
    std::vector<PlanText> values;
    SweepAxis(PlanText the_key, std::vector<PlanText> the_values)
        : key(std::move(the_key)), values(std::move(the_values)) {}
    SweepAxis(std::string the_key, std::vector<PlanText> the_values) : values(std::move(the_values)) {
        key.text = std::move(the_key);
    }
};

struct TimeText { // each empty where not given
    PlanText warmup;
    PlanText measure;
};

struct JobPlan {
    std::string name; // as in `jobs:`; the workload's name for a short stage
    PlanText workload;
    std::vector<PlanText> targets;
    PlanPairs options;
    PlanText workers;     // "" = 1
    PlanText cpus;        // "" = not pinned; else "0-3,8": worker i is pinned to CPU i modulo the list
    PlanText start_after; // duration; counts as delay of the job's measured phase
    PlanText rate;        // "" or "max": closed loop; "10k/s"; "curve": max, then 10 % .. 100 % of what it reached
    PlanText arrival;     // "" = "constant"; "poisson"
    PlanText per_worker;  // bool, "" = no: the result also says what each worker did, histograms and all
    TimeText time;        // overrides the stage's
};

struct StagePlan {
    std::string name;
    std::vector<JobPlan> jobs;
    TimeText time;
    PlanText repeat;
    std::vector<SweepAxis> sweep;
    int line = 0;
};

struct SamplerPlan {
    PlanText name;                // of the plugin
    PlanPairs options;            // of the plugin
    std::vector<PlanText> select; // globs on "metric" or "metric{labels}"; empty: everything it lists
};

struct Plan {
    std::string source; // file name for messages
    std::string name;
    PlanPairs context; // what the user declares about the setup
    // Absent: the caller's own choice; empty (`samplers: none`): nothing is sampled.
    std::optional<std::vector<SamplerPlan>> samplers;
    std::vector<StagePlan> stages;
};

// Parses YAML. Usage errors carry "file:line:column: ". Unknown keys are errors that name the closest known one; keys
// that design names but this version does not carry out (samplers, expect, budget, ...) get one clear error. `sets` are
// `--set key=value` overrides applied to the tree before it is read:
//   KEY=V                    an option of every job, or targets / workers / cpus / repeat / time.measure / time.warmup
//   of
//                            all; a sweep over KEY is replaced by this one value
//   stages.N.options.KEY=V   (also stages.N.jobs.NAME.options.KEY=V, stages.N.time.measure=V, stages.N.sweep.KEY=[A,
//   B],
//                            context.KEY=V ...) a path in the tree; N counts from 0
// Targets and swept values may be given as [A, B]. YAML anchors, aliases and tags are refused: a plan is plain data,
// and they are how a small file becomes a large one. Limits: 1 MiB of YAML, nesting 16, 1024 stages, 1024 jobs a stage,
// 1024 targets a job.
Result<Plan> parse_plan(std::string_view yaml, const std::string& source, const std::vector<std::string>& sets);

// What `assay run WORKLOAD --flags` describes: one stage of one job, texts as typed, "" where not given.
struct SingleJob {
    std::string workload = {};
    std::vector<std::string> targets = {};
    std::vector<std::pair<std::string, std::string>> options = {}; // keys with underscores
    std::string workers = {};
    std::string cpus = {};
    std::string warmup = {};
    std::string measure = {};
    std::string repeat = {};
    std::string rate = {};
    std::string arrival = {};
};
Plan single_job_plan(SingleJob single);

// --- as checked ---------------------------------------------------------------------------------------------------

struct PlannedJob {
    std::string name;
    std::string workload;
    std::vector<std::string> targets;
    OptionSet options;
    std::uint32_t workers = 1; // 1 .. 4096
    std::vector<int> cpus;     // empty: not pinned
    std::int64_t start_after_ns = 0;
    std::int64_t warmup_ns = 0;
    std::int64_t measure_ns = 0; // 0: not bounded by time, the work ends it
    // Open loop: starts a second over all workers, or a share of what the same job reached at the point that differs
    // only in having the rate `max`, which comes earlier; neither: closed loop.
    std::optional<double> rate_per_s = {};
    std::optional<double> rate_of_max = {}; // 0 .. 10
    assay_arrival_process arrival = ASSAY_ARRIVAL_CONSTANT;
    bool per_worker = false;
};

struct PlannedPoint {
    std::vector<std::pair<std::string, std::string>> parameters; // swept key -> text
    std::vector<PlannedJob> jobs;
};

struct PlannedStage {
    std::string name;
    std::uint32_t repeat = 1; // 1 .. 1000
    std::vector<PlannedPoint> points;
};

struct PlannedSampler {
    std::string name;
    OptionSet options;
    std::vector<std::string> select;
};

struct CheckedPlan {
    std::string name;
    std::vector<std::pair<std::string, std::string>> context;
    std::optional<std::vector<PlannedSampler>> samplers;
    std::vector<PlannedStage> stages;
};

// The schema of a workload, or of a sampler, by name, loading its plugin if need be.
using SchemaLookup = std::function<Result<std::shared_ptr<const Schema>>(const std::string& plugin)>;

// Types every value, expands sweeps (all combinations, the first key varies slowest), refuses what does not fit. Usage
// errors carry the position as above; where a value came from the command line there is none.
// A job without time.measure is bounded by its work. Stages without a name are named after their jobs.
// Limits: 100,000 points in all, 1 GiB for them, durations of 365 days.
Result<CheckedPlan> check_plan(const Plan& plan, const SchemaLookup& schema_of,
                               const SchemaLookup& sampler_schema_of = {});

// The plan as YAML text, for the result; parse_plan reads it back to the same plan.
std::string plan_yaml(const Plan& plan);

} // namespace assay
