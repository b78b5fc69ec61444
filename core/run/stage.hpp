// Drives the phases of several jobs side by side: a common start, each job's own pace from there, and a common end when
// a stop is requested or a job fails.
//
// Control thread; run() blocks it until all phases are over. It sleeps in between and looks at the stop flag every 50
// ms.
#pragma once

#include "core/run/board.hpp"
#include "core/run/job_run.hpp"
#include "core/run/phase_run.hpp"
#include "core/run/run.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace assay {

// Phases that one job runs one after another.
struct Sequence {
    JobRun* job = nullptr;
    std::vector<std::uint32_t> phases;
    std::int64_t start_after_ns = 0; // after the common start
};

// What ends a stage early.
struct EndRule {
    bool when_a_job_fails = true;
    std::int64_t stop_grace_ns = 0; // how long after a stop request the phases may still run
};

class Stage {
public:
    using Jobs = std::vector<std::unique_ptr<JobRun>>;
    Stage(const Jobs& jobs, const RunSettings& settings, RunHooks& hooks, const StopFlag& stop, Board& board)
        : jobs_(jobs), settings_(settings), hooks_(hooks), stop_(stop), board_(board) {}

    // True if every sequence ran to its end.
    bool run(const std::vector<Sequence>& sequences, const EndRule& rule);

private:
    struct Track {
        Sequence sequence;
        std::size_t next = 0;
        std::int64_t start_ns = 0;
        std::unique_ptr<PhaseRun> current;
        bool finished = false;
        bool complete = false;
    };

    void start_together(std::vector<Track>& tracks);
    void arm_next(Track& track);
    void advance(Track& track, std::int64_t now_ns);
    void end_phase(Track& track);
    void look_for_end(std::vector<Track>& tracks, const EndRule& rule, std::int64_t now_ns);
    // The control thread wanted to run at `due_ns` and ran at `now_ns`.
    static void note_pause(const std::vector<Track>& tracks, std::int64_t due_ns, std::int64_t now_ns);
    void collect_change(Track& track);
    void show_progress(const std::vector<Track>& tracks, std::int64_t now_ns);
    void show_result_so_far(const std::vector<Track>& tracks, std::int64_t now_ns);
    [[nodiscard]] std::int64_t lead_ns() const;
    [[nodiscard]] static std::int64_t due_ns(const std::vector<Track>& tracks);

    const Jobs& jobs_;
    const RunSettings& settings_;
    RunHooks& hooks_;
    const StopFlag& stop_;
    Board& board_;
    bool ending_ = false;
    std::int64_t stop_seen_ns_ = 0;
    PhaseRun::Change change_ = PhaseRun::Change::none;
    std::int64_t shown_ns_ = 0;
    std::int64_t result_shown_ns_ = 0;
};

} // namespace assay
