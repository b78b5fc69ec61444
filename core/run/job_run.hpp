// One job of a running point, from create() to destroy(): the instance, its memory and threads, and the result so far.
//
// Control thread. What worker threads can still reach lives in one block that is abandoned, never freed, if one of them
// hangs.
#pragma once

#include "core/base/status.hpp"
#include "core/record/region.hpp"
#include "core/result/model.hpp"
#include "core/run/board.hpp"
#include "core/run/host_services.hpp"
#include "core/run/instance.hpp"
#include "core/run/run.hpp"
#include "core/run/worker_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

class JobRun {
public:
    JobRun(const RunJob& plan, const RunSettings& settings, RunHooks& hooks, std::shared_ptr<Board> board,
           result::Job& result);
    JobRun(const JobRun&) = delete;
    JobRun& operator=(const JobRun&) = delete;
    ~JobRun();

    // create, configure, the caller's look at the targets, phases, recorder memory. Opens nothing.
    Status configure();
    // Starts the threads and opens the targets.
    Status prepare();
    // After the last phase: finish() where it is due, then everything is given back.
    void finish();

    // Has it got ready, and may it be called again?
    [[nodiscard]] bool usable() const { return prepared_ && !hung_ && result_.failure.empty(); }
    [[nodiscard]] bool failed() const { return hung_ || !result_.failure.empty(); }
    [[nodiscard]] bool hung() const { return hung_; }
    // Records what ended the job; the first sentence stays.
    void fail(const std::string& sentence);
    void give_up_hung(const std::string& sentence);
    // All measured phases ran until their time or work was over.
    void measured_to_the_end();

    [[nodiscard]] std::vector<std::uint32_t> phases_of(result::PhaseKind kind) const;
    [[nodiscard]] const RunJob& plan() const { return plan_; }
    // Of its measured phases.
    [[nodiscard]] ArrivalPlan arrival() const {
        return plan_.rate_per_s ? ArrivalPlan{plan_.arrival, *plan_.rate_per_s} : ArrivalPlan{};
    }
    [[nodiscard]] const RunSettings& settings() const { return settings_; }
    [[nodiscard]] RunHooks& hooks() { return hooks_; }
    [[nodiscard]] result::Job& result() { return result_; }
    [[nodiscard]] Instance& instance() { return *live_->instance; }
    [[nodiscard]] HostServices& services() { return *live_->services; }
    [[nodiscard]] Region& region() { return *live_->region; }
    [[nodiscard]] WorkerPool& pool() { return *live_->pool; }
    // How long this process did not run inside a measured window.
    void note_pause(std::int64_t ns) { longest_pause_ns_ = std::max(longest_pause_ns_, ns); }
    JobProgress progress; // kept up to date by the phase that runs

private:
    [[nodiscard]] std::vector<result::Fact> facts() const;

    struct Live { // destroyed from the last to the first
        std::unique_ptr<HostServices> services;
        std::unique_ptr<Instance> instance;
        std::optional<Region> region;
        std::unique_ptr<WorkerPool> pool;
    };

    const RunJob& plan_;
    const RunSettings& settings_;
    RunHooks& hooks_;
    const std::shared_ptr<Board> board_;
    result::Job& result_;
    std::unique_ptr<Live> live_;
    bool prepared_ = false;
    bool measured_ = false;
    bool hung_ = false;
    std::int64_t longest_pause_ns_ = 0;
};

} // namespace assay
