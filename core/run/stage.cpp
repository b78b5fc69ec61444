#include "core/run/stage.hpp"

#include "core/base/clock.hpp"

#include <algorithm>

namespace assay {
namespace {

// A result is larger than a live line: it is put together less often than a short interval asks for the line.
constexpr std::int64_t result_interval_min_ns = 900'000'000;
constexpr std::int64_t stop_poll_interval_ns = 50'000'000;
// A job that starts later is armed this long before, so that its baselines are fresh and still ready in time.
constexpr std::int64_t arm_ahead_ns = 20'000'000;
// Between release and start: long enough for every parked thread to wake and sleep again until the common instant.
constexpr std::int64_t lead_base_ns = 1'000'000;
constexpr std::int64_t lead_a_worker_ns = 10'000;
constexpr std::int64_t lead_max_ns = 50'000'000;

} // namespace

std::int64_t Stage::lead_ns() const {
    std::int64_t workers = 0;
    for (const auto& job : jobs_)
        workers += job->plan().workers;
    return std::min(lead_base_ns + workers * lead_a_worker_ns, lead_max_ns);
}

bool Stage::run(const std::vector<Sequence>& sequences, const EndRule& rule) {
    ending_ = false;
    stop_seen_ns_ = 0;
    std::vector<Track> tracks;
    for (const Sequence& sequence : sequences) {
        tracks.emplace_back();
        tracks.back().sequence = sequence;
        tracks.back().finished = tracks.back().complete = sequence.phases.empty();
    }
    start_together(tracks);
    std::int64_t wake_ns = 0;
    for (;;) {
        const std::int64_t now_ns = monotonic_ns();
        if (wake_ns != 0 && now_ns > wake_ns) note_pause(tracks, wake_ns, now_ns);
        look_for_end(tracks, rule, now_ns);
        for (Track& track : tracks)
            advance(track, now_ns);
        show_progress(tracks, now_ns);
        if (std::all_of(tracks.begin(), tracks.end(), [](const Track& track) { return track.finished; })) break;
        // What follows may take time of its own; only oversleeping says that this process did not run.
        wake_ns = std::min(due_ns(tracks), now_ns + stop_poll_interval_ns);
        board_.wait_until(wake_ns);
    }
    return std::all_of(tracks.begin(), tracks.end(), [](const Track& track) { return track.complete; });
}

// Arming takes time, starting together must not: so first all are armed, then one instant is set for all.
void Stage::start_together(std::vector<Track>& tracks) {
    for (Track& track : tracks) {
        if (!track.finished && track.sequence.start_after_ns == 0) arm_next(track);
    }
    const std::int64_t start_ns = monotonic_ns() + lead_ns();
    for (Track& track : tracks) {
        track.start_ns = start_ns + track.sequence.start_after_ns;
        if (track.current) track.current->release(track.start_ns);
    }
}

void Stage::arm_next(Track& track) {
    track.current = std::make_unique<PhaseRun>(*track.sequence.job, track.sequence.phases[track.next]);
    track.current->arm();
}

void Stage::advance(Track& track, std::int64_t now_ns) {
    if (track.finished) return;
    if (!track.current) {
        if (ending_) {
            track.finished = true;
            return;
        }
        if (now_ns < track.start_ns - arm_ahead_ns) return;
        arm_next(track);
        track.current->release(std::max(track.start_ns, monotonic_ns() + lead_ns()));
    }
    track.current->step(now_ns);
    collect_change(track);
    if (track.current->over()) end_phase(track);
}

void Stage::end_phase(Track& track) {
    const bool complete = track.current->complete();
    track.current.reset();
    ++track.next;
    if (track.next < track.sequence.phases.size() && complete && !ending_) {
        arm_next(track);
        track.current->release(monotonic_ns() + lead_ns());
        return;
    }
    track.finished = true;
    track.complete = complete && track.next == track.sequence.phases.size();
    if (track.complete &&
        track.sequence.job->instance().phases()[track.sequence.phases.back()].kind == result::PhaseKind::measured) {
        track.sequence.job->measured_to_the_end();
    }
}

void Stage::look_for_end(std::vector<Track>& tracks, const EndRule& rule, std::int64_t now_ns) {
    if (ending_) return;
    if (stop_.requested() && stop_seen_ns_ == 0) stop_seen_ns_ = now_ns;
    const bool stopped = stop_seen_ns_ != 0 && now_ns - stop_seen_ns_ >= rule.stop_grace_ns;
    const bool failed =
        rule.when_a_job_fails && std::any_of(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->failed(); });
    if (!stopped && !failed) return;
    ending_ = true;
    for (Track& track : tracks) {
        if (track.current) track.current->stop(now_ns);
    }
}

void Stage::note_pause(const std::vector<Track>& tracks, std::int64_t due_ns, std::int64_t now_ns) {
    for (const Track& track : tracks)
        if (track.current) track.current->note_pause(due_ns, now_ns);
}

void Stage::collect_change(Track& track) { change_ = std::max(change_, track.current->take_change()); }

// Every transition is shown at once; the intervals of many jobs are shown together, once an interval.
void Stage::show_progress(const std::vector<Track>& tracks, std::int64_t now_ns) {
    const bool transition = change_ == PhaseRun::Change::transition;
    const bool interval = change_ == PhaseRun::Change::interval &&
                          now_ns - shown_ns_ >= settings_.interval_ns - settings_.interval_ns / 10;
    if (!transition && !interval) return;
    change_ = PhaseRun::Change::none;
    shown_ns_ = now_ns;
    if (interval && now_ns - result_shown_ns_ >= result_interval_min_ns) show_result_so_far(tracks, now_ns);
    std::vector<JobProgress> progress;
    for (const auto& job : jobs_)
        progress.push_back(job->progress);
    hooks_.progress(progress);
}

// Jobs without an open window are there with what they have finished.
void Stage::show_result_so_far(const std::vector<Track>& tracks, std::int64_t now_ns) {
    result_shown_ns_ = now_ns;
    std::vector<result::Job> so_far;
    bool open = false;
    for (const auto& job : jobs_) {
        so_far.push_back(job->result());
        for (const Track& track : tracks) {
            if (track.sequence.job != job.get() || !track.current) continue;
            std::optional<result::Phase> phase = track.current->so_far();
            if (!phase) continue;
            open = true;
            so_far.back().phases.push_back(std::move(*phase));
        }
    }
    if (open) hooks_.measured_so_far(std::move(so_far));
}

std::int64_t Stage::due_ns(const std::vector<Track>& tracks) {
    std::int64_t due = INT64_MAX;
    for (const Track& track : tracks) {
        if (track.finished) continue;
        due = std::min(due, track.current ? track.current->due_ns() : track.start_ns - arm_ahead_ns);
    }
    return due;
}

} // namespace assay
