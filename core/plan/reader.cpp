#include "core/plan/reader.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

using tree::Entry;
using tree::Mark;
using tree::Node;
using Kind = Node::Kind;

constexpr std::size_t kStagesMax = 1024;
constexpr std::size_t kJobsMax = 1024; // a job file of another tool may hold hundreds
constexpr std::size_t kTargetsMax = 1024;
constexpr std::size_t kNameBytesMax = 256;
constexpr std::size_t kSamplersMax = 16;

const std::vector<std::string> kPlanKeys = {"name", "context", "samplers", "stages"};
const std::vector<std::string> kContextKeys = {"layer", "protection", "encryption", "release"};
const std::vector<std::string> kJobKeys = {"workload",    "targets", "options", "workers",    "cpus",
                                           "start_after", "rate",    "arrival", "per_worker", "time"};
const std::vector<std::string> kTimeKeys = {"warmup", "measure"};
const std::vector<std::string> kStageKeys = {"name",        "jobs",    "time",    "repeat",    "sweep",
                                             "workload",    "targets", "options", "workers",   "cpus",
                                             "start_after", "rate",    "arrival", "per_worker"};
// Named by the plan language but not carried out by this version. To ignore one would change what a result means.
const std::vector<std::string> kUnsupportedKeys = {"expect", "budget", "health", "intent", "server_cache", "ceiling"};

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Reads on after an error, which does no harm, and reports the first one.
class Reader {
public:
    explicit Reader(std::string source) : source_(std::move(source)) {}

    Result<Plan> read(const Node& root) {
        constexpr std::string_view kExample =
            "a plan is a map with the keys name, context and stages, for example \"stages: [{workload: block, targets: "
            "[FILE]}]\"";
        Plan plan;
        plan.source = source_;
        if (root.is(Kind::nothing)) return usage_error(fmt::format("{}: the plan is empty: {}", source_, kExample));
        if (!root.is(Kind::map)) fail(root.mark, fmt::format("this is {}: {}", tree::kind_name(root.kind), kExample));
        for (const Entry& entry : root.entries) {
            const std::string key = with_underscores(entry.key);
            if (key == "name") {
                plan.name = name(entry);
            } else if (key == "context") {
                plan.context = context(entry);
            } else if (key == "samplers") {
                plan.samplers = samplers(entry);
            } else if (key == "stages") {
                stages(entry, plan);
            } else {
                unknown_key(entry, "a plan", kPlanKeys);
            }
        }
        if (root.is(Kind::map) && root.find("stages") == nullptr)
            fail(root.mark, "the plan has no stages: " + std::string(kExample));
        if (!status_.ok()) return status_;
        return plan;
    }

private:
    void fail(Mark mark, const std::string& text) {
        if (status_.ok()) status_ = usage_error(tree::position(source_, mark) + text);
    }

    void unknown_key(const Entry& entry, std::string_view where, const std::vector<std::string>& known) {
        if (!status_.ok()) return; // the nearest key takes time to find
        if (contains(kUnsupportedKeys, with_underscores(entry.key))) {
            return fail(entry.key_mark,
                        fmt::format("{} is not supported by this version of assay: remove it", entry.key));
        }
        fail(entry.key_mark, fmt::format("{} is not a key of {}{} (it has {})", in_quotes(entry.key), where,
                                         did_you_mean(entry.key, known), join(known, ", ")));
    }

    bool expect(const Entry& entry, Kind kind) {
        if (entry.value.is(kind)) return true;
        const Mark mark = entry.value.is(Kind::nothing) ? entry.key_mark : entry.value.mark;
        fail(mark,
             fmt::format("{} must be {}, not {}", entry.key, tree::kind_name(kind), tree::kind_name(entry.value.kind)));
        return false;
    }

    // One text, not empty.
    PlanText text(const Entry& entry) {
        if (!expect(entry, Kind::scalar)) return {};
        if (entry.value.text.empty())
            fail(entry.value.mark, fmt::format("{} is empty: leave it out or give it a value", entry.key));
        return {entry.value.text, entry.value.mark.line, entry.value.mark.column};
    }

    // One text or a list of texts, which is joined with commas as an option table reads lists.
    PlanText value(const Node& node, const std::string& key, Mark key_mark) {
        PlanText result{node.text, node.mark.line, node.mark.column, node.is(Kind::sequence)};
        if (node.is(Kind::scalar)) return result;
        if (node.is(Kind::nothing)) {
            fail(key_mark,
                 fmt::format("{} has no value: leave it out or give it one (\"null\" in quotes is a text)", key));
        } else if (node.is(Kind::map)) {
            fail(node.mark, fmt::format("{} must be a text or a list, not a map", key));
        } else if (node.items.empty()) {
            fail(node.mark, fmt::format("{} is an empty list: leave it out or give it values", key));
        }
        std::vector<std::string> items;
        for (const Node& item : node.items) {
            if (!item.is(Kind::scalar) || item.text.empty()) {
                fail(item.mark, fmt::format("an item in the list of {} is {}: it must be a text", key,
                                            item.is(Kind::scalar) ? "empty" : tree::kind_name(item.kind)));
            } else if (item.text.find(',') != std::string::npos) {
                fail(item.mark, fmt::format("the item {} in the list of {} has a comma, which separates items",
                                            in_quotes(item.text), key));
            }
            items.push_back(item.text);
        }
        result.text = join(items, ",");
        return result;
    }

    static PlanText key_text(const Entry& entry) {
        return {with_underscores(entry.key), entry.key_mark.line, entry.key_mark.column};
    }

    std::string name(const Entry& entry) {
        const PlanText result = text(entry);
        if (result.text.size() > kNameBytesMax) {
            fail(entry.value.mark,
                 fmt::format("a name of {} bytes is too long: at most {}", result.text.size(), kNameBytesMax));
        }
        return result.text;
    }

    PlanPairs context(const Entry& map) {
        PlanPairs pairs;
        if (!expect(map, Kind::map)) return pairs;
        for (const Entry& entry : map.value.entries) {
            if (!contains(kContextKeys, with_underscores(entry.key))) unknown_key(entry, "context", kContextKeys);
            pairs.emplace_back(key_text(entry), text(entry));
        }
        return pairs;
    }

    // none, one name, or a list of names and {name: {option: value, select: [GLOB]}}.
    std::vector<SamplerPlan> samplers(const Entry& entry) {
        std::vector<SamplerPlan> result;
        if (entry.value.is(Kind::scalar)) {
            const PlanText only = text(entry);
            if (only.text != "none") result.push_back({only, {}, {}});
            return result;
        }
        if (!expect(entry, Kind::sequence)) return result;
        if (entry.value.items.size() > kSamplersMax)
            fail(entry.value.mark,
                 fmt::format("{} samplers are too many: at most {}", entry.value.items.size(), kSamplersMax));
        for (const Node& item : entry.value.items) {
            if (item.is(Kind::scalar) && !item.text.empty()) {
                result.push_back({{item.text, item.mark.line, item.mark.column}, {}, {}});
            } else if (item.is(Kind::map) && item.entries.size() == 1) {
                result.push_back(sampler(item.entries.front()));
            } else {
                fail(item.mark, "a sampler is a name or a map of one, for example host or {host: {groups: [cpu]}}");
            }
        }
        return result;
    }

    SamplerPlan sampler(const Entry& map) {
        SamplerPlan result;
        result.name = {map.key, map.key_mark.line, map.key_mark.column};
        if (!expect(map, Kind::map)) return result;
        for (const Entry& entry : map.value.entries) {
            if (with_underscores(entry.key) == "select")
                result.select = targets(entry);
            else
                result.options.emplace_back(key_text(entry), value(entry.value, entry.key, entry.key_mark));
        }
        return result;
    }

    PlanPairs options(const Entry& map) {
        PlanPairs pairs;
        if (!expect(map, Kind::map)) return pairs;
        for (const Entry& entry : map.value.entries) {
            pairs.emplace_back(key_text(entry), value(entry.value, entry.key, entry.key_mark));
        }
        return pairs;
    }

    std::vector<PlanText> targets(const Entry& entry) {
        std::vector<PlanText> result;
        if (entry.value.is(Kind::scalar)) return {text(entry)};
        if (!expect(entry, Kind::sequence)) return result;
        if (entry.value.items.size() > kTargetsMax) {
            fail(entry.value.mark,
                 fmt::format("{} targets are too many: at most {} a job", entry.value.items.size(), kTargetsMax));
        }
        for (const Node& item : entry.value.items) {
            if (!item.is(Kind::scalar) || item.text.empty()) {
                fail(item.mark, fmt::format("a target must be a text, not {}",
                                            item.is(Kind::scalar) ? "an empty one" : tree::kind_name(item.kind)));
            }
            result.push_back({item.text, item.mark.line, item.mark.column});
        }
        return result;
    }

    TimeText time(const Entry& map) {
        TimeText result;
        if (!expect(map, Kind::map)) return result;
        for (const Entry& entry : map.value.entries) {
            const std::string key = with_underscores(entry.key);
            if (!contains(kTimeKeys, key)) {
                unknown_key(entry, "time", kTimeKeys);
            } else {
                (key == "warmup" ? result.warmup : result.measure) = text(entry);
            }
        }
        return result;
    }

    std::vector<SweepAxis> sweep(const Entry& map) {
        std::vector<SweepAxis> axes;
        if (!expect(map, Kind::map)) return axes;
        for (const Entry& entry : map.value.entries) {
            std::vector<PlanText> values;
            if (entry.value.is(Kind::sequence)) {
                for (const Node& item : entry.value.items)
                    values.push_back(value(item, entry.key, item.mark));
            } else {
                values.push_back(value(entry.value, entry.key, entry.key_mark));
            }
            if (values.empty()) fail(entry.value.mark, fmt::format("the sweep over {} has no values", entry.key));
            axes.emplace_back(key_text(entry), std::move(values));
        }
        return axes;
    }

    // A key of a job, given in `jobs:` or in a stage of one job; false if it is not one.
    bool job_entry(const Entry& entry, const std::string& key, JobPlan& job) {
        if (key == "workload") {
            job.workload = text(entry);
        } else if (key == "targets") {
            job.targets = targets(entry);
        } else if (key == "options") {
            job.options = options(entry);
        } else if (key == "workers") {
            job.workers = text(entry);
        } else if (key == "cpus") {
            if (!entry.value.is(Kind::sequence)) expect(entry, Kind::scalar);
            job.cpus = value(entry.value, entry.key, entry.key_mark);
        } else if (key == "start_after") {
            job.start_after = text(entry);
        } else if (key == "rate") {
            job.rate = text(entry);
        } else if (key == "arrival") {
            job.arrival = text(entry);
        } else if (key == "per_worker") {
            job.per_worker = text(entry);
        } else {
            return false;
        }
        return true;
    }

    std::vector<JobPlan> jobs(const Entry& map) {
        std::vector<JobPlan> result;
        if (!expect(map, Kind::map)) return result;
        if (map.value.entries.empty() || map.value.entries.size() > kJobsMax) {
            fail(map.value.mark,
                 fmt::format("a stage has 1 to {} jobs, this one has {}", kJobsMax, map.value.entries.size()));
        }
        for (const Entry& entry : map.value.entries)
            result.push_back(named_job(entry));
        return result;
    }

    JobPlan named_job(const Entry& map) {
        JobPlan job;
        job.name = map.key;
        const auto word = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        };
        if (job.name.empty() || job.name.size() > 64 || !std::all_of(job.name.begin(), job.name.end(), word)) {
            fail(map.key_mark, fmt::format("the job name {} must be 1 to 64 letters, digits, dashes or underscores",
                                           in_quotes(job.name)));
        }
        if (!expect(map, Kind::map)) return job;
        for (const Entry& entry : map.value.entries) {
            const std::string key = with_underscores(entry.key);
            if (key == "time") {
                job.time = time(entry);
            } else if (!job_entry(entry, key, job)) {
                if (key == "repeat" || key == "sweep") {
                    fail(entry.key_mark, fmt::format("{} belongs to the stage, not to one of its jobs", entry.key));
                }
                unknown_key(entry, "a job", kJobKeys);
            }
        }
        if (map.value.find("workload") == nullptr) {
            fail(map.key_mark, fmt::format("the job {} names no workload, for example workload: block", job.name));
        }
        return job;
    }

    StagePlan stage(const Node& node) {
        StagePlan stage;
        JobPlan job; // of the short form
        stage.line = node.mark.line;
        const bool has_jobs = node.find("jobs") != nullptr;
        for (const Entry& entry : node.entries) {
            const std::string key = with_underscores(entry.key);
            if (key == "name") {
                stage.name = name(entry);
            } else if (key == "jobs") {
                stage.jobs = jobs(entry);
            } else if (key == "time") {
                stage.time = time(entry);
            } else if (key == "repeat") {
                stage.repeat = text(entry);
            } else if (key == "sweep") {
                stage.sweep = sweep(entry);
            } else if (!job_entry(entry, key, job)) {
                unknown_key(entry, "a stage", kStageKeys);
            } else if (has_jobs) {
                fail(entry.key_mark, fmt::format("{} belongs to each job where a stage has jobs", entry.key));
            }
        }
        if (has_jobs) return stage;
        if (node.find("workload") == nullptr) {
            fail(node.mark, "a stage names a workload or has jobs, for example workload: block");
        }
        job.name = job.workload.text;
        stage.jobs.push_back(std::move(job));
        return stage;
    }

    void stages(const Entry& list, Plan& plan) {
        if (!expect(list, Kind::sequence)) return;
        if (list.value.items.empty() || list.value.items.size() > kStagesMax) {
            fail(list.value.mark,
                 fmt::format("a plan has 1 to {} stages, this one has {}", kStagesMax, list.value.items.size()));
        }
        for (const Node& item : list.value.items) {
            if (item.is(Kind::map)) {
                plan.stages.push_back(stage(item));
            } else {
                fail(item.mark, fmt::format("a stage must be a map, not {}", tree::kind_name(item.kind)));
            }
        }
    }

    std::string source_;
    Status status_;
};

} // namespace

Result<Plan> read_plan(const tree::Node& root, const std::string& source) { return Reader(source).read(root); }

} // namespace assay
