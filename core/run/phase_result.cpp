// The half of PhaseRun that looks back: who failed, when it began and ended, and the result of it.
#include "core/run/measures.hpp"
#include "core/run/phase_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::optional<std::string> PhaseRun::find_failure() const {
    WorkerPool& pool = job_.pool();
    std::optional<std::string> left_alone;
    for (std::uint32_t worker = 0; worker < pool.size(); ++worker) {
        const WorkerReport report = pool.report(worker);
        if (report.ended_ns == 0 || report.status == ASSAY_OK) continue;
        if (report.status != ASSAY_CANCELLED)
            return fmt::format("{}: {}", worker_text(worker), reason_text(report.status, report.error));
        // Cancelled because it was told to stop is a clean end, because another worker left it alone is not.
        if (!pool.stopping() && report.ended_ns < first_deadline_ns_ && !left_alone)
            left_alone = fmt::format(
                "{}: cancelled although nothing stopped it: another worker had left the phase, so "
                "the workers cannot meet any more",
                worker_text(worker));
    }
    return left_alone;
}

std::string PhaseRun::worker_text(std::uint32_t worker) const {
    return fmt::format("worker {} of {}, phase '{}'", worker, job_.instance().plugin_name(), phase_.name);
}

std::int64_t PhaseRun::first_start_ns() const {
    std::int64_t first = never;
    for (std::uint32_t worker = 0; worker < job_.pool().size(); ++worker) {
        const std::int64_t started = job_.pool().report(worker).started_ns;
        if (started != 0) first = std::min(first, started);
    }
    return first == never ? start_ns_ : first;
}

std::int64_t PhaseRun::last_end_ns() const {
    std::int64_t last = start_ns_;
    for (std::uint32_t worker = 0; worker < job_.pool().size(); ++worker)
        last = std::max(last, job_.pool().report(worker).ended_ns);
    return last;
}

PhaseRun::Cpu PhaseRun::cpu_totals() const { return {job_.pool().cpu_totals(), process_cpu_ns()}; }

result::Worker PhaseRun::worker_result(std::uint32_t worker, const Snapshot& between, const Cpu& cpu_last,
                                       std::int64_t window_end_ns) const {
    const WorkerReport report = job_.pool().report(worker);
    const std::int64_t epoch_ns = job_.settings().epoch_ns;
    const CpuShare cpu = cpu_between(cpu_base_.workers[worker], cpu_last.workers[worker]);
    result::Worker result;
    result.index = worker;
    result.cpu = job_.pool().cpu(worker);
    result.operations = between.worker_operations[worker];
    result.bytes = between.worker_bytes[worker];
    result.started_ns = (report.started_ns == 0 ? window_end_ns : report.started_ns) - epoch_ns;
    result.ended_ns = (report.ended_ns == 0 ? window_end_ns : report.ended_ns) - epoch_ns;
    result.cpu_user_ns = cpu.user_ns;
    result.cpu_system_ns = cpu.system_ns;
    result.mean_in_flight = mean_in_flight(between, job_.region().shape(), worker, between.at_ns);
    const std::optional<std::int64_t>& waited = cpu_last.workers[worker].run_wait_ns;
    if (waited && cpu_base_.workers[worker].run_wait_ns)
        result.run_wait_ns = std::max<std::int64_t>(*waited - *cpu_base_.workers[worker].run_wait_ns, 0);
    result.each_operation = operations_of(between, job_.region().shape(), worker);
    return result;
}

result::Phase PhaseRun::window_result(const Snapshot& last, const Cpu& cpu_last) const {
    const std::int64_t epoch_ns = job_.settings().epoch_ns;
    const RecorderShape& shape = job_.region().shape();
    const Snapshot between = difference(last, base_, shape);
    result::Phase phase;
    phase.name = phase_.name;
    phase.kind = phase_.kind;
    phase.end = end_.value_or(result::PhaseEnd::time);
    phase.warmup_ns = warmup_cut_ ? base_.at_ns - start_ns_ : 0;
    phase.window_start_ns = base_.at_ns - epoch_ns;
    phase.window_end_ns = last.at_ns - epoch_ns;
    if (const ArrivalPlan plan = job_.arrival(); measured() && plan.process != ASSAY_ARRIVAL_CLOSED)
        phase.arrival = arrival_of(between, shape, plan.process, plan.rate_per_s, base_.at_ns, last.at_ns);
    phase.operations = operations_of(between, shape);
    phase.metrics = metrics_of(between, shape);
    for (std::uint32_t worker = 0; worker < job_.pool().size(); ++worker)
        phase.workers.push_back(worker_result(worker, between, cpu_last, last.at_ns));
    phase.mean_in_flight = mean_in_flight(between, shape, between.at_ns);
    phase.generator_ns_per_operation = generator_ns_per_operation(between, shape);
    phase.process_cpu_ns = cpu_last.process_ns - cpu_base_.process_ns;
    return phase;
}

std::optional<result::Phase> PhaseRun::so_far() const {
    const Snapshot& last = series_.last_snapshot();
    if (state_ != State::running || !measured() || in_warmup() || last.at_ns <= base_.at_ns) return std::nullopt;
    Cpu now = cpu_totals();
    job_.pool().read_cpu_ticks(now.workers);
    return window_result(last, now);
}

void PhaseRun::conclude() {
    // Bounded by time, it counts from the common start; by work, from when the first worker got going.
    const std::int64_t all_start = end_ns_ != never ? start_ns_ : std::min(first_start_ns(), window_end_ns_);
    job_.pool().read_cpu_ticks(cpu_last_.workers);
    last_.at_ns = window_end_ns_;
    if (!warmup_cut_) base_.at_ns = all_start;
    series_.add(last_, in_warmup());
    result::Phase phase = window_result(last_, cpu_last_);
    phase.series = series_.take();
    update_progress(window_end_ns_);
    job_.result().phases.push_back(std::move(phase));
    state_ = State::over;
    change_ = Change::transition;
}

} // namespace assay
