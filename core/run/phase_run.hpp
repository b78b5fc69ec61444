// One phase of one job while it runs: start, warm-up cut, window, stop, drain, watchdog, and the result of it.
//
// Control thread. A state machine that the stage drives: step() does what is due and never waits.
//
//   idle --arm--> armed --release--> running --time, stop, failure--> draining --all returned or hung--> over
//                                       \--------- all workers returned: work is done -----------------/
#pragma once

#include "core/record/region.hpp"
#include "core/result/model.hpp"
#include "core/run/cpu_time.hpp"
#include "core/run/job_run.hpp"
#include "core/run/series.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

class PhaseRun {
public:
    PhaseRun(JobRun& job, std::uint32_t phase);

    // Everything that must be ready before the start: lanes cleared, baselines read.
    void arm();
    // The workers enter run() at `start_ns`.
    void release(std::int64_t start_ns);
    [[nodiscard]] std::int64_t due_ns() const;
    void step(std::int64_t now_ns);
    // Nothing of this process may have run between the two instants: stopped by a signal, or no CPU for it.
    void note_pause(std::int64_t from_ns, std::int64_t to_ns);
    // Ends it before its time; what was counted is kept.
    void stop(std::int64_t now_ns);

    [[nodiscard]] bool over() const { return state_ == State::over; }
    // Ran until its time or its work was over.
    [[nodiscard]] bool complete() const;
    enum class Change { none, interval, transition };
    // What a live line could show since the last call.
    Change take_change() { return std::exchange(change_, Change::none); }
    // A measured phase whose window is open: its result as of the last interval, without a series.
    [[nodiscard]] std::optional<result::Phase> so_far() const;

private:
    enum class State { idle, armed, running, draining, over };
    struct Cpu {
        std::vector<ThreadCpu> workers;
        std::int64_t process_ns = 0;
    };

    [[nodiscard]] bool measured() const { return phase_.kind == result::PhaseKind::measured; }
    [[nodiscard]] bool in_warmup() const { return has_warmup_ && !warmup_cut_; }
    // Where a window begins or ends: with each worker's share, if the plan wants it.
    [[nodiscard]] Snapshot edge_snapshot() const;
    void cut_warmup();
    void tick(std::int64_t now_ns);
    void all_returned();
    void close_window(result::PhaseEnd end);
    void take_window(Snapshot last, std::int64_t end_ns);
    void drain(std::int64_t now_ns);
    void step_draining(std::int64_t now_ns);
    void conclude();
    void hang();
    [[nodiscard]] Cpu cpu_totals() const;
    [[nodiscard]] std::optional<std::string> find_failure() const;
    [[nodiscard]] std::string worker_text(std::uint32_t worker) const;
    [[nodiscard]] std::int64_t first_start_ns() const;
    [[nodiscard]] std::int64_t last_end_ns() const;
    // What was counted from `base_` to `last`, whose instant ends the window.
    [[nodiscard]] result::Phase window_result(const Snapshot& last, const Cpu& cpu_last) const;
    [[nodiscard]] result::Worker worker_result(std::uint32_t worker, const Snapshot& between, const Cpu& cpu_last,
                                               std::int64_t window_end_ns) const;
    void update_progress(std::int64_t now_ns);

    static constexpr std::int64_t never = INT64_MAX;

    JobRun& job_;
    const std::uint32_t index_;
    const DeclaredPhase& phase_;
    const bool has_warmup_;
    State state_ = State::idle;
    Change change_ = Change::none;
    Series series_;

    std::int64_t start_ns_ = 0;
    std::int64_t warmup_end_ns_ = never;
    std::int64_t end_ns_ = never;
    std::int64_t first_deadline_ns_ = never; // what workers were told at the start
    std::int64_t drain_deadline_ns_ = never;
    std::int64_t next_interrupt_ns_ = never;

    Snapshot zero_; // right after the lanes were cleared
    Snapshot base_; // where the window starts: zero_, or the end of the warm-up
    Snapshot last_; // where it ends
    Cpu cpu_base_;
    Cpu cpu_last_;
    bool warmup_cut_ = false;
    bool hook_open_ = false;
    bool window_taken_ = false;
    std::int64_t window_end_ns_ = 0;
    std::optional<result::PhaseEnd> end_;
};

} // namespace assay
