#include "core/run/phase_run.hpp"

#include "core/base/clock.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// A worker may block right after it was interrupted; so it is interrupted again until it returns.
constexpr std::int64_t interrupt_interval_ns = 100'000'000;

} // namespace

PhaseRun::PhaseRun(JobRun& job, std::uint32_t phase)
    : job_(job),
      index_(phase),
      phase_(job.instance().phases()[phase]),
      has_warmup_(phase_.kind == result::PhaseKind::measured && job.plan().warmup_ns > 0),
      series_(job.region().shape(), job.settings().interval_ns, job.settings().epoch_ns) {}

bool PhaseRun::complete() const { return over() && (end_ == result::PhaseEnd::time || end_ == result::PhaseEnd::work); }

void PhaseRun::arm() {
    if (Status ready = job_.pool().begin_phase(); !ready.ok()) {
        job_.fail(ready.message());
        state_ = State::over;
        return;
    }
    job_.region().clear();
    job_.services().reset_progress();
    zero_ = edge_snapshot();
    if (measured() && !has_warmup_) {
        job_.hooks().window_opened(job_.result());
        hook_open_ = true;
    }
    cpu_base_ = cpu_totals();
    job_.pool().read_cpu_ticks(cpu_base_.workers);
    state_ = State::armed;
}

void PhaseRun::release(std::int64_t start_ns) {
    if (state_ != State::armed) return; // could not be armed: the job has failed
    start_ns_ = start_ns;
    warmup_end_ns_ = start_ns + (has_warmup_ ? job_.plan().warmup_ns : 0);
    if (measured() && job_.plan().measure_ns > 0) end_ns_ = warmup_end_ns_ + job_.plan().measure_ns;
    first_deadline_ns_ = end_ns_;
    zero_.at_ns = start_ns;
    base_ = zero_;
    series_.begin(zero_);
    state_ = State::running;
    change_ = Change::transition;
    job_.pool().release(index_, start_ns, end_ns_ == never ? 0 : end_ns_, measured() ? job_.arrival() : ArrivalPlan());
    update_progress(start_ns);
}

std::int64_t PhaseRun::due_ns() const {
    if (state_ == State::draining) return std::min(drain_deadline_ns_, next_interrupt_ns_);
    if (state_ != State::running) return never;
    return std::min({in_warmup() ? warmup_end_ns_ : never, end_ns_, series_.due_ns()});
}

void PhaseRun::step(std::int64_t now_ns) {
    job_.services().flush_log(now_ns);
    if (state_ == State::draining) return step_draining(now_ns);
    if (state_ != State::running) return;
    if (job_.pool().running() == 0) return all_returned();
    if (const std::optional<std::string> failure = find_failure()) {
        job_.fail(*failure);
        close_window(result::PhaseEnd::failed);
        return drain(now_ns);
    }
    if (in_warmup() && now_ns >= warmup_end_ns_) cut_warmup();
    if (now_ns >= end_ns_) {
        close_window(result::PhaseEnd::time);
        return drain(now_ns);
    }
    if (now_ns >= series_.due_ns()) tick(now_ns);
}

void PhaseRun::stop(std::int64_t now_ns) {
    if (state_ != State::running) return;
    // A setup or teardown phase has no window: its counts are taken when all is drained.
    if (measured())
        close_window(result::PhaseEnd::stopped);
    else
        end_ = result::PhaseEnd::stopped;
    drain(now_ns);
}

void PhaseRun::note_pause(std::int64_t from_ns, std::int64_t to_ns) {
    if (state_ != State::running || !measured() || in_warmup()) return;
    job_.note_pause(to_ns - std::max(from_ns, base_.at_ns));
}

Snapshot PhaseRun::edge_snapshot() const {
    return job_.region().snapshot(job_.plan().per_worker ? Region::Shares::each_worker : Region::Shares::none);
}

void PhaseRun::cut_warmup() {
    job_.hooks().window_opened(job_.result());
    hook_open_ = true;
    base_ = edge_snapshot();
    cpu_base_ = cpu_totals();
    job_.pool().read_cpu_ticks(cpu_base_.workers);
    series_.add(base_, true);
    series_.begin(base_);
    warmup_cut_ = true;
    if (end_ns_ != never) { // cutting takes time, and the window must not be shorter than asked for
        end_ns_ = base_.at_ns + job_.plan().measure_ns;
        job_.pool().set_deadline(end_ns_);
    }
    update_progress(base_.at_ns);
    change_ = Change::transition;
}

void PhaseRun::tick(std::int64_t now_ns) {
    series_.add(job_.region().snapshot(), in_warmup());
    update_progress(now_ns);
    if (change_ == Change::none) change_ = Change::interval;
}

void PhaseRun::all_returned() {
    const std::optional<std::string> failure = find_failure();
    const std::int64_t last_end = last_end_ns();
    if (failure) {
        job_.fail(*failure);
        end_ = result::PhaseEnd::failed;
    } else {
        end_ = last_end >= first_deadline_ns_ ? result::PhaseEnd::time : result::PhaseEnd::work;
    }
    if (warmup_cut_ && last_end <= base_.at_ns) { // nothing was left to measure after the warm-up: keep all of it
        base_ = zero_;
        warmup_cut_ = false;
    }
    take_window(edge_snapshot(), last_end);
    conclude();
}

void PhaseRun::close_window(result::PhaseEnd end) {
    end_ = end;
    Snapshot last = edge_snapshot();
    const std::int64_t at_ns = last.at_ns;
    take_window(std::move(last), at_ns);
}

void PhaseRun::take_window(Snapshot last, std::int64_t end_ns) {
    last_ = std::move(last);
    cpu_last_ = cpu_totals();
    if (std::exchange(hook_open_, false)) job_.hooks().window_closed(job_.result());
    window_end_ns_ = std::max(end_ns, start_ns_);
    window_taken_ = true;
}

void PhaseRun::drain(std::int64_t now_ns) {
    job_.pool().stop();
    state_ = State::draining;
    drain_deadline_ns_ = now_ns + job_.settings().drain_timeout_ns;
    next_interrupt_ns_ = now_ns + interrupt_interval_ns;
}

void PhaseRun::step_draining(std::int64_t now_ns) {
    if (job_.pool().running() == 0) {
        if (!window_taken_) take_window(edge_snapshot(), last_end_ns());
        if (const std::optional<std::string> failure = find_failure()) {
            job_.fail(*failure);
            end_ = result::PhaseEnd::failed;
        }
        conclude();
    } else if (now_ns >= drain_deadline_ns_) {
        hang();
    } else if (now_ns >= next_interrupt_ns_) {
        job_.pool().interrupt_again();
        next_interrupt_ns_ = now_ns + interrupt_interval_ns;
    }
}

void PhaseRun::hang() {
    std::string hung;
    for (std::uint32_t worker = 0; worker < job_.pool().size(); ++worker) {
        if (job_.pool().report(worker).ended_ns == 0) hung += fmt::format("{}{}", hung.empty() ? "" : ", ", worker);
    }
    if (!window_taken_) {
        Snapshot last = edge_snapshot();
        const std::int64_t at_ns = last.at_ns;
        take_window(std::move(last), at_ns);
    }
    end_ = result::PhaseEnd::hung;
    job_.give_up_hung(fmt::format(
        "worker {} of plugin '{}' did not return from phase '{}' within {} of being told to stop; it was given up, and "
        "what its counters said until then is in the result",
        hung, job_.instance().plugin_name(), phase_.name, exact_duration_text(job_.settings().drain_timeout_ns)));
    conclude();
}

void PhaseRun::update_progress(std::int64_t now_ns) {
    const Series::Latest& latest = series_.latest();
    const std::uint64_t reported = job_.services().done_bytes();
    const std::uint64_t reported_total = job_.services().total_bytes();
    JobProgress& progress = job_.progress;
    progress.phase = phase_.name;
    progress.kind = phase_.kind;
    progress.warmup = in_warmup();
    progress.elapsed_s = static_cast<double>(std::max<std::int64_t>(now_ns - start_ns_, 0)) * 1e-9;
    progress.total_s = end_ns_ == never ? 0 : static_cast<double>(end_ns_ - start_ns_) * 1e-9;
    progress.done_bytes = reported > 0 ? reported : latest.bytes;
    progress.total_bytes = reported_total > 0 ? reported_total : phase_.total_bytes;
    progress.operations_per_s = latest.operations_per_s;
    progress.bytes_per_s = latest.bytes_per_s;
    progress.no_rate_yet = !latest.known;
    progress.open_loop = latest.open_loop;
    progress.p50_ns = latest.p50_ns;
    progress.p99_ns = latest.p99_ns;
    progress.p999_ns = latest.p999_ns;
    progress.max_ns = latest.max_ns;
    progress.in_flight = latest.in_flight;
    progress.errors = latest.errors;
}

} // namespace assay
