#include "core/plan/sweep.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/plan/rate.hpp"
#include "core/plan/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace assay {
namespace {

constexpr std::string_view kWorkersKey = "workers";

// What a swept key sets in one job: an option, the workers, or the rate.
struct Slot {
    enum class Kind { option, workers, rate };
    std::size_t job = 0;
    Kind kind = Kind::option;
    std::size_t option = 0;
    bool operator==(const Slot&) const = default;
};

struct SlotValue {
    std::shared_ptr<const OptionValue> option;
    std::uint32_t workers = 0;
    Rate rate;
};

struct Axis {
    std::string key;
    std::vector<Slot> slots;
    std::vector<std::string> texts;             // one a value
    std::vector<std::vector<SlotValue>> values; // [value][slot]
};

class Expansion {
public:
    Expansion(const StagePlan& stage, const std::string& source, const std::vector<PlannedJob>& base)
        : stage_(stage), where_{source, {}}, base_(base) {}

    Result<std::vector<PlannedPoint>> run(SweepBudget& budget) {
        for (const SweepAxis& swept : stage_.sweep) {
            Result<Axis> axis = resolve(swept);
            if (!axis) return axis.status();
            axes_.push_back(std::move(*axis));
        }
        if (const Status status = spend(budget); !status.ok()) return status;
        std::vector<PlannedPoint> points;
        std::vector<std::size_t> at(axes_.size(), 0);
        do
            points.push_back(point(at));
        while (advance(at));
        return points;
    }

private:
    Result<Axis> resolve(const SweepAxis& swept) {
        Axis axis;
        axis.key = swept.key.text;
        Result<std::vector<Slot>> slots = slots_of(swept.key);
        if (!slots) return slots.status();
        axis.slots = std::move(*slots);
        for (const Slot& slot : axis.slots) {
            if (const Status status = claim(swept.key, slot); !status.ok()) return status;
        }
        const std::vector<PlanText> given = written_out(axis.slots[0], swept.values);
        if (const Status status = check_shares(axis.slots[0], given); !status.ok()) return status;
        std::unordered_set<std::string> seen;
        for (const PlanText& text : given) {
            std::vector<SlotValue> values;
            for (const Slot& slot : axis.slots) {
                Result<SlotValue> value = parse(slot, text);
                if (!value) return value.status();
                values.push_back(std::move(*value));
            }
            const auto [canonical, is_new] = seen.insert(canonical_of(axis.slots[0], values[0], text));
            if (!is_new) {
                const bool rate = axis.slots[0].kind == Slot::Kind::rate; // its canonical text is for comparing only
                return where_.error(
                    text, fmt::format("the sweep over {} has {} twice; \"repeat\" runs a point several times", axis.key,
                                      rate ? trim(text.text) : std::string_view(*canonical)));
            }
            axis.values.push_back(std::move(values));
            axis.texts.emplace_back(trim(text.text));
        }
        if (axis.values.empty())
            return where_.error(swept.key, fmt::format("the sweep over {} has no values", axis.key));
        return axis;
    }

    static std::vector<PlanText> written_out(const Slot& slot, const std::vector<PlanText>& values) {
        if (slot.kind != Slot::Kind::rate) return values;
        std::vector<PlanText> all;
        for (const PlanText& text : values) {
            if (trim(text.text) != kRateCurve) {
                all.push_back(text);
                continue;
            }
            for (std::string& value : rate_curve())
                all.push_back({std::move(value), text.line, text.column});
        }
        return all;
    }

    // A share needs the maximum that it is of, measured before it.
    [[nodiscard]] Status check_shares(const Slot& slot, const std::vector<PlanText>& values) const {
        if (slot.kind != Slot::Kind::rate) return {};
        for (const PlanText& text : values) {
            if (trim(text.text) == kMaxRate) return {};
            if (trim(text.text).ends_with('%')) return where_.error(text, share_without_max(text.text));
        }
        return {};
    }

    // `key` or `job.key` -> what it sets.
    Result<std::vector<Slot>> slots_of(const PlanText& key) const {
        const std::size_t dot = key.text.find('.');
        std::string name = key.text;
        std::optional<std::size_t> only;
        if (dot != std::string::npos) {
            name = key.text.substr(dot + 1);
            only = job_index(key.text.substr(0, dot));
            if (!only) return unknown_job(key, key.text.substr(0, dot));
        }
        std::vector<Slot> slots;
        for (std::size_t job = only.value_or(0); job < (only ? *only + 1 : base_.size()); ++job) {
            if (name == kWorkersKey) {
                slots.push_back({job, Slot::Kind::workers});
            } else if (name == kRateKey) {
                slots.push_back({job, Slot::Kind::rate});
            } else if (const auto option = base_[job].options.schema().find(name); option) {
                slots.push_back({job, Slot::Kind::option, *option});
            }
        }
        if (slots.empty()) return unknown_key(key, name, only);
        return slots;
    }

    // Job names may have dashes, which a key does not keep.
    [[nodiscard]] std::optional<std::size_t> job_index(std::string_view name) const {
        for (std::size_t job = 0; job < base_.size(); ++job) {
            if (with_underscores(base_[job].name) == name) return job;
        }
        return std::nullopt;
    }

    [[nodiscard]] Status unknown_job(const PlanText& key, const std::string& name) const {
        std::vector<std::string> names;
        for (const PlannedJob& job : base_)
            names.push_back(job.name);
        return where_.error(
            key, fmt::format("the sweep key {} names the job {}, which this stage does not have{} (it has {})",
                             in_quotes(key.text), in_quotes(name), did_you_mean(name, names), join(names, ", ")));
    }

    [[nodiscard]] Status unknown_key(const PlanText& key, const std::string& name,
                                     std::optional<std::size_t> only) const {
        std::vector<std::string> workloads;
        std::vector<std::string> known = {std::string(kWorkersKey), std::string(kRateKey)};
        for (std::size_t job = 0; job < base_.size(); ++job) {
            if (only && *only != job) continue;
            const Schema& schema = base_[job].options.schema();
            if (std::find(workloads.begin(), workloads.end(), schema.plugin_name()) == workloads.end()) {
                workloads.push_back(schema.plugin_name());
            }
            for (const OptionSpec& option : schema.options())
                known.push_back(option.key);
        }
        return where_.error(
            key, fmt::format("sweep over {}: {} has no such option{} (\"assay plugins show {}\" lists its "
                             "options)",
                             in_quotes(name), join(workloads, " and "), did_you_mean(name, known), workloads.front()));
    }

    // Each slot has one source: a sweep that hides a value written elsewhere would surprise somebody.
    Status claim(const PlanText& key, const Slot& slot) {
        const JobPlan& job = stage_.jobs[slot.job];
        const std::string job_text = stage_.jobs.size() > 1 ? fmt::format(" of job {}", job.name) : std::string();
        if (std::find(claimed_.begin(), claimed_.end(), slot) != claimed_.end()) {
            return where_.error(key, fmt::format("{}{} is swept twice: remove one", in_quotes(key.text), job_text));
        }
        claimed_.push_back(slot);
        if (!is_fixed(slot, job)) return {};
        return where_.error(
            key, fmt::format("{}{} is swept and also given a value: remove one", in_quotes(key.text), job_text));
    }

    [[nodiscard]] bool is_fixed(const Slot& slot, const JobPlan& job) const {
        switch (slot.kind) {
            case Slot::Kind::option:
                return base_[slot.job].options.at(slot.option).given;
            case Slot::Kind::workers:
                return !job.workers.text.empty();
            case Slot::Kind::rate:
                break;
        }
        return !job.rate.text.empty() && trim(job.rate.text) != kRateCurve;
    }

    [[nodiscard]] Result<SlotValue> parse(const Slot& slot, const PlanText& text) const {
        SlotValue value;
        if (slot.kind == Slot::Kind::option) {
            auto option = where_.option(base_[slot.job].options.schema(), slot.option, text);
            if (!option) return option.status();
            value.option = std::move(*option);
            return value;
        }
        if (slot.kind == Slot::Kind::rate) {
            const Result<Rate> rate = parse_rate(text.text);
            if (!rate) return where_.at(text, rate.status());
            value.rate = *rate;
            return value;
        }
        if (text.text.empty()) return where_.error(text, "sweep over workers: a value is empty");
        const Result<std::int64_t> workers = where_.count(text, kWorkersKey, kWorkersMax, 1);
        if (!workers) return workers.status();
        value.workers = static_cast<std::uint32_t>(*workers);
        return value;
    }

    // Two spellings of one value must show; the reference of a secret is all that may.
    [[nodiscard]] std::string canonical_of(const Slot& slot, const SlotValue& value, const PlanText& text) const {
        if (slot.kind == Slot::Kind::workers) return fmt::format("{}", value.workers);
        if (slot.kind == Slot::Kind::rate)
            return fmt::format("{} {}", value.rate.per_s.value_or(0), value.rate.of_max.value_or(0));
        const OptionSpec& option = base_[slot.job].options.schema().options()[slot.option];
        return option.has(ASSAY_OPTION_SECRET) ? text.text : canonical_text(option, *value.option);
    }

    [[nodiscard]] Status spend(SweepBudget& budget) const {
        const PlanText position = axes_.empty() ? PlanText{} : stage_.sweep[0].key;
        std::uint64_t bytes = 0;
        for (const PlannedJob& job : base_) {
            bytes +=
                sizeof(PlannedJob) + job.options.schema().options().size() * sizeof(std::shared_ptr<const OptionValue>);
            bytes += job.cpus.size() * sizeof(int);
            for (const std::string& target : job.targets)
                bytes += sizeof target + target.size();
        }
        std::uint64_t points = 1;
        for (const Axis& axis : axes_) {
            points *= axis.values.size(); // both are at most 100,000 or so: no overflow before the check
            if (points > budget.points) {
                return where_.error(position,
                                    fmt::format("the sweep makes the plan more than {} points; sweep over fewer "
                                                "values or split the plan",
                                                SweepBudget().points));
            }
            std::size_t longest = 0;
            for (const std::string& text : axis.texts)
                longest = std::max(longest, text.size());
            bytes += sizeof(std::pair<std::string, std::string>) + axis.key.size() + longest;
        }
        if (points > budget.points || points * bytes > budget.bytes) {
            return where_.error(
                position, fmt::format("{} points of {} are more than a plan may expand to ({} points, {}); "
                                      "sweep over fewer values or split the plan",
                                      points, size_text(bytes), SweepBudget().points, size_text(SweepBudget().bytes)));
        }
        budget.points -= points;
        budget.bytes -= points * bytes;
        return {};
    }

    [[nodiscard]] PlannedPoint point(const std::vector<std::size_t>& at) const {
        PlannedPoint point{{}, base_};
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const Axis& axis = axes_[i];
            point.parameters.emplace_back(axis.key, axis.texts[at[i]]);
            for (std::size_t slot = 0; slot < axis.slots.size(); ++slot) {
                PlannedJob& job = point.jobs[axis.slots[slot].job];
                const SlotValue& value = axis.values[at[i]][slot];
                switch (axis.slots[slot].kind) {
                    case Slot::Kind::option:
                        job.options.assign(axis.slots[slot].option, value.option);
                        break;
                    case Slot::Kind::workers:
                        job.workers = value.workers;
                        break;
                    case Slot::Kind::rate:
                        job.rate_per_s = value.rate.per_s;
                        job.rate_of_max = value.rate.of_max;
                        break;
                }
            }
        }
        return point;
    }

    // The next combination, the last key fastest; false after the last one.
    bool advance(std::vector<std::size_t>& at) const {
        for (std::size_t i = axes_.size(); i-- > 0;) {
            if (++at[i] < axes_[i].values.size()) return true;
            at[i] = 0;
        }
        return false;
    }

    const StagePlan& stage_;
    Where where_;
    const std::vector<PlannedJob>& base_;
    std::vector<Slot> claimed_;
    std::vector<Axis> axes_;
};

} // namespace

Result<std::vector<PlannedPoint>> expand_sweep(const StagePlan& stage, const std::string& source,
                                               const std::vector<PlannedJob>& base, SweepBudget& budget) {
    return Expansion(stage, source, base).run(budget);
}

} // namespace assay
