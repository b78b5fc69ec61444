#include "core/run/run.hpp"

#include "core/run/board.hpp"
#include "core/run/job_run.hpp"
#include "core/run/stage.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace assay {
namespace {

class PointRun {
public:
    PointRun(const std::vector<RunJob>& plans, const RunSettings& settings, RunHooks& hooks, const StopFlag& stop)
        : plans_(plans),
          settings_(settings),
          hooks_(hooks),
          stop_(stop),
          board_(std::make_shared<Board>()),
          stage_(jobs_, settings_, hooks, stop, *board_) {}

    Result<PointOutcome> run() {
        outcome_.jobs.resize(plans_.size()); // before any job refers to its result
        if (Status configured = configure(); !configured.ok()) return configured;
        Status refused = set_up();
        if (!ending()) measure();
        tear_down();
        for (const auto& job : jobs_) {
            outcome_.hung = outcome_.hung || job->hung();
            job->finish();
        }
        if (!refused.ok() && !outcome_.hung) return refused;
        return std::move(outcome_);
    }

    Status try_only() {
        outcome_.jobs.resize(plans_.size());
        return configure();
    }

private:
    [[nodiscard]] bool ending() const {
        return stop_.requested() ||
               std::any_of(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->failed(); });
    }

    Status configure() {
        for (std::size_t at = 0; at < plans_.size(); ++at) {
            jobs_.push_back(std::make_unique<JobRun>(plans_[at], settings_, hooks_, board_, outcome_.jobs[at]));
            if (Status configured = jobs_.back()->configure(); !configured.ok())
                return named(configured, plans_[at].name);
        }
        return {};
    }

    // Says which job it was where there are several.
    [[nodiscard]] Status named(const Status& status, const std::string& job) const {
        return plans_.size() > 1 ? status.wrap("job " + job) : status;
    }

    // One job after another, so that laying out one target is not slowed down, or shaped, by another's.
    Status set_up() {
        for (const auto& job : jobs_) {
            if (ending()) return {};
            if (Status prepared = job->prepare(); !prepared.ok()) {
                job->fail(prepared.message());
                return prepared.failure() == Failure::usage ? named(prepared, job->plan().name) : Status();
            }
            stage_.run({{job.get(), job->phases_of(result::PhaseKind::setup), 0}}, {});
        }
        return {};
    }

    void measure() {
        std::vector<Sequence> sequences;
        for (const auto& job : jobs_) {
            job->result().facts = job->services().facts();
            hooks_.setup_finished(job->result());
        }
        for (const auto& job : jobs_)
            sequences.push_back({job.get(), job->phases_of(result::PhaseKind::measured), job->plan().start_after_ns});
        stage_.run(sequences, {});
    }

    // After everything is measured: removing one job's files must not disturb another's numbers.
    void tear_down() {
        for (const auto& job : jobs_) {
            if (job->usable())
                stage_.run({{job.get(), job->phases_of(result::PhaseKind::teardown), 0}},
                           {false, settings_.drain_timeout_ns});
        }
    }

    const std::vector<RunJob>& plans_;
    const RunSettings& settings_;
    RunHooks& hooks_;
    const StopFlag& stop_;
    std::shared_ptr<Board> board_;
    PointOutcome outcome_;
    Stage::Jobs jobs_;
    Stage stage_;
};

} // namespace

Status try_point(const std::vector<RunJob>& jobs) {
    class Deaf : public RunHooks {
        Status targets_declared(result::Job&) override { return {}; }
        void setup_finished(result::Job&) override {}
        void window_opened(result::Job&) override {}
        void window_closed(result::Job&) override {}
        void measured_so_far(std::vector<result::Job>) override {}
        void progress(const std::vector<JobProgress>&) override {}
        void log(assay_severity, const std::string&, const std::string&) override {}
    };
    Deaf hooks;
    const RunSettings settings;
    const StopFlag never;
    return PointRun(jobs, settings, hooks, never).try_only();
}

Result<PointOutcome> run_point(const std::vector<RunJob>& jobs, const RunSettings& settings, RunHooks& hooks,
                               const StopFlag& stop) {
    return PointRun(jobs, settings, hooks, stop).run();
}

} // namespace assay
