#include "core/plan/plan.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

namespace assay {
namespace {

class Writer {
public:
    std::string plan(const Plan& plan) {
        out_ << YAML::BeginMap;
        entry("name", plan.name);
        pairs("context", plan.context);
        if (plan.samplers) samplers(*plan.samplers);
        out_ << YAML::Key << "stages" << YAML::Value << YAML::BeginSeq;
        for (const StagePlan& one : plan.stages)
            stage(one);
        out_ << YAML::EndSeq << YAML::EndMap;
        return std::string(out_.c_str(), out_.size()) + "\n";
    }

private:
    static bool is_short(const StagePlan& stage) {
        if (stage.jobs.size() != 1) return false;
        const JobPlan& job = stage.jobs[0];
        return job.name == job.workload.text && job.time.warmup.text.empty() && job.time.measure.text.empty();
    }

    void stage(const StagePlan& stage) {
        out_ << YAML::BeginMap;
        entry("name", stage.name);
        if (is_short(stage)) {
            job(stage.jobs[0]);
        } else {
            out_ << YAML::Key << "jobs" << YAML::Value << YAML::BeginMap;
            for (const JobPlan& one : stage.jobs) {
                out_ << YAML::Key << one.name << YAML::Value << YAML::BeginMap;
                job(one);
                time(one.time);
                out_ << YAML::EndMap;
            }
            out_ << YAML::EndMap;
        }
        time(stage.time);
        entry("repeat", stage.repeat.text);
        if (!stage.sweep.empty()) {
            out_ << YAML::Key << "sweep" << YAML::Value << YAML::BeginMap;
            for (const SweepAxis& axis : stage.sweep) {
                out_ << YAML::Key << axis.key.text << YAML::Value;
                list(axis.values);
            }
            out_ << YAML::EndMap;
        }
        out_ << YAML::EndMap;
    }

    void samplers(const std::vector<SamplerPlan>& samplers) {
        out_ << YAML::Key << "samplers" << YAML::Value;
        if (samplers.empty()) {
            scalar("none");
            return;
        }
        out_ << YAML::BeginSeq;
        for (const SamplerPlan& one : samplers) {
            if (one.options.empty() && one.select.empty()) {
                scalar(one.name.text);
                continue;
            }
            out_ << YAML::BeginMap << YAML::Key << one.name.text << YAML::Value << YAML::BeginMap;
            for (const PlanEntry& option : one.options) {
                out_ << YAML::Key << option.key.text << YAML::Value;
                value(option.value);
            }
            if (!one.select.empty()) {
                out_ << YAML::Key << "select" << YAML::Value;
                list(one.select);
            }
            out_ << YAML::EndMap << YAML::EndMap;
        }
        out_ << YAML::EndSeq;
    }

    void job(const JobPlan& job) {
        entry("workload", job.workload.text);
        if (!job.targets.empty()) {
            out_ << YAML::Key << "targets" << YAML::Value;
            list(job.targets);
        }
        pairs("options", job.options);
        entry("workers", job.workers.text);
        if (!job.cpus.text.empty()) {
            out_ << YAML::Key << "cpus" << YAML::Value;
            value(job.cpus);
        }
        entry("start_after", job.start_after.text);
        entry("rate", job.rate.text);
        entry("arrival", job.arrival.text);
        entry("per_worker", job.per_worker.text);
    }

    void time(const TimeText& time) {
        if (time.warmup.text.empty() && time.measure.text.empty()) return;
        out_ << YAML::Key << "time" << YAML::Value << YAML::Flow << YAML::BeginMap;
        entry("warmup", time.warmup.text);
        entry("measure", time.measure.text);
        out_ << YAML::EndMap;
    }

    void pairs(const char* key, const PlanPairs& pairs) {
        if (pairs.empty()) return;
        out_ << YAML::Key << key << YAML::Value << YAML::BeginMap;
        for (const PlanEntry& one : pairs) {
            out_ << YAML::Key << one.key.text << YAML::Value;
            value(one.value);
        }
        out_ << YAML::EndMap;
    }

    void list(const std::vector<PlanText>& values) {
        out_ << YAML::Flow << YAML::BeginSeq;
        for (const PlanText& one : values)
            value(one);
        out_ << YAML::EndSeq;
    }

    void value(const PlanText& text) {
        if (!text.list) {
            scalar(text.text);
            return;
        }
        out_ << YAML::Flow << YAML::BeginSeq;
        std::string_view rest = text.text;
        for (std::size_t comma = 0; comma != std::string_view::npos; rest.remove_prefix(comma + 1)) {
            comma = rest.find(',');
            scalar(std::string(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
        }
        out_ << YAML::EndSeq;
    }

    void entry(const char* key, const std::string& text) {
        if (text.empty()) return;
        out_ << YAML::Key << key << YAML::Value;
        scalar(text);
    }

    // Quoted unless it is a plain word or quantity: then no rule of YAML can read it differently.
    void scalar(const std::string& text) {
        const bool plain = !text.empty() && text.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789_./%") == std::string::npos;
        if (plain && text != "null" && text != "Null" && text != "NULL") {
            out_ << text;
        } else {
            out_ << YAML::DoubleQuoted << text;
        }
    }

    YAML::Emitter out_;
};

} // namespace

std::string plan_yaml(const Plan& plan) { return Writer().plan(plan); }

} // namespace assay
