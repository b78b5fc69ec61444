#include "core/run/worker_pool.hpp"

#include "core/base/clock.hpp"
#include "core/context/machine.hpp"
#include "core/run/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <system_error>

#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr double ps_per_s = 1e12;
// Large enough that no number of plugin reads makes the eventfd unreadable again, each takes one (EFD_SEMAPHORE).
constexpr std::uint64_t stop_event_value = std::uint64_t{1} << 62;

// A worker's own stream of random numbers from the job's seed (SplitMix64's output function).
std::uint64_t worker_seed(std::uint64_t seed, std::uint32_t worker) {
    std::uint64_t mixed = seed + (worker + std::uint64_t{1}) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

// Signals meant for the process go to its main thread: a handler must not interrupt a worker's system call.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
            sigdelset(&all, fault);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

void sleep_until(std::int64_t at_ns) {
    const timespec at{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
    }
}

} // namespace

WorkerPool::WorkerPool(Instance& instance, Region& region, std::shared_ptr<Board> board, std::vector<int> cpus,
                       std::uint64_t seed)
    : instance_(instance), region_(region), board_(std::move(board)), seed_(seed) {
    for (std::uint32_t index = 0; index < region.workers(); ++index) {
        workers_.push_back(std::make_unique<Worker>());
        workers_.back()->cpu = cpus.empty() ? -1 : cpus[index % cpus.size()];
        write_identity(index);
    }
}

WorkerPool::~WorkerPool() { quit(); }

void WorkerPool::quit() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
        parked_.notify_all();
    }
    for (const auto& worker : workers_) {
        if (worker->thread.joinable()) worker->thread.join();
    }
}

void WorkerPool::write_identity(std::uint32_t index) {
    assay_worker_block& block = region_.block(index);
    block.global_index = index;
    block.global_count = region_.workers();
    block.local_index = index;
    block.local_count = region_.workers();
    block.cpu = workers_[index]->cpu;
    block.numa_node = block.cpu < 0 ? -1 : numa_node_of_cpu(block.cpu);
    block.seed = worker_seed(seed_, index);
    block.clock = hot_clock();
}

Status WorkerPool::start() {
    {
        const SignalsBlocked blocked;
        for (std::uint32_t index = 0; index < size(); ++index) {
            Worker& worker = *workers_[index];
            try {
                worker.thread = std::thread([this, &worker, index] { thread_main(worker, index); });
            } catch (const std::system_error& error) {
                return run_error(
                    fmt::format("cannot start worker {} of {}: {}; use fewer workers or raise the limit "
                                "on threads (ulimit -u)",
                                index, size(), error.what()));
            }
        }
    }
    std::unique_lock lock(mutex_);
    for (const auto& worker : workers_) {
        settled_.wait(lock, [&] { return worker->ready.has_value(); });
        if (!worker->ready->ok()) return *worker->ready;
    }
    return {};
}

Status WorkerPool::settle(Worker& worker, std::uint32_t index) {
    pthread_setname_np(pthread_self(), fmt::format("assay-w{}", index).c_str());
    if (worker.cpu >= 0) {
        Status pinned = pin_this_thread(worker.cpu);
        if (!pinned.ok()) return pinned;
    }
    worker.tid = gettid();
    if (const int error = pthread_getcpuclockid(pthread_self(), &worker.clock); error != 0)
        return run_error(fmt::format("cannot read the CPU clock of worker {}: {}", index, std::strerror(error)));
    // Only now, on its own CPU: the first touch decides on which NUMA node the lanes lie.
    region_.touch(index);
    return {};
}

void WorkerPool::thread_main(Worker& worker, std::uint32_t index) {
    Status settled = settle(worker, index);
    std::unique_lock lock(mutex_);
    worker.ready = std::move(settled);
    settled_.notify_one();
    for (std::uint64_t seen = 0;;) {
        parked_.wait(lock, [&] { return quit_ || ticket_ != seen; });
        if (quit_) return;
        seen = ticket_;
        const std::uint32_t phase = phase_;
        const std::int64_t start_ns = start_ns_;
        lock.unlock();
        run_phase(worker, phase, start_ns);
        lock.lock();
    }
}

void WorkerPool::run_phase(Worker& worker, std::uint32_t phase, std::int64_t start_ns) {
    sleep_until(start_ns);
    worker.started_ns.store(monotonic_ns(), std::memory_order_release);
    Instance::RunOutcome outcome = instance_.run(worker.handle, phase);
    worker.status = outcome.status;
    worker.error = std::move(outcome.error);
    worker.ended_ns.store(monotonic_ns(), std::memory_order_release);
    barrier_.break_now(); // nobody can meet this worker any more
    running_.fetch_sub(1, std::memory_order_acq_rel);
    board_->notify();
}

Status WorkerPool::begin_phase() {
    if (stop_event_used_) {
        stop_event_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
        if (!stop_event_.valid())
            return run_error(fmt::format("cannot make an eventfd for the workers: {}", std::strerror(errno)));
        stop_event_used_ = false;
    }
    stopping_ = false;
    barrier_.reset(size());
    for (std::uint32_t index = 0; index < size(); ++index) {
        Worker& worker = *workers_[index];
        worker.started_ns.store(0, std::memory_order_relaxed);
        worker.ended_ns.store(0, std::memory_order_relaxed);
        worker.status = ASSAY_OK;
        worker.error = {};
        assay_worker_block& block = region_.block(index);
        __atomic_store_n(&block.stop, 0U, __ATOMIC_RELAXED);
        __atomic_store_n(&block.deadline_ns, std::int64_t{0}, __ATOMIC_RELAXED);
        worker.handle.struct_size = sizeof(assay_worker);
        worker.handle.stop_fd = stop_event_.get();
        worker.handle.block = &block;
        worker.handle.region = region_.base();
        worker.handle.context = &barrier_;
        worker.handle.barrier = [](assay_worker* handle) noexcept {
            return static_cast<PhaseBarrier*>(handle->context)->arrive();
        };
    }
    return {};
}

void WorkerPool::set_deadline(std::int64_t deadline_ns) {
    for (std::uint32_t index = 0; index < size(); ++index) {
        assay_worker_block& block = region_.block(index);
        __atomic_store_n(&block.deadline_ns, deadline_ns, __ATOMIC_RELAXED);
        __atomic_fetch_add(&block.control_generation, 1U, __ATOMIC_RELAXED);
    }
}

void WorkerPool::write_arrival(const ArrivalPlan& arrival, std::int64_t start_ns) {
    const bool open = arrival.process != ASSAY_ARRIVAL_CLOSED && arrival.rate_per_s > 0;
    const double interval_ps = open ? ps_per_s * size() / arrival.rate_per_s : 0;
    for (std::uint32_t index = 0; index < size(); ++index) {
        assay_worker_block& block = region_.block(index);
        block.arrival_process = open ? arrival.process : ASSAY_ARRIVAL_CLOSED;
        block.arrival_interval_ps = open ? std::max<std::uint64_t>(1, std::llround(interval_ps)) : 0;
        block.arrival_start_ns = start_ns + static_cast<std::int64_t>(interval_ps / 1000.0 * index / size());
    }
}

void WorkerPool::release(std::uint32_t phase, std::int64_t start_ns, std::int64_t deadline_ns,
                         const ArrivalPlan& arrival) {
    set_deadline(deadline_ns);
    write_arrival(arrival, start_ns);
    running_.store(size(), std::memory_order_release);
    const std::lock_guard lock(mutex_);
    phase_ = phase;
    start_ns_ = start_ns;
    ++ticket_;
    parked_.notify_all();
}

void WorkerPool::stop() {
    if (stopping_) return;
    stopping_ = true;
    for (std::uint32_t index = 0; index < size(); ++index)
        __atomic_store_n(&region_.block(index).stop, 1U, __ATOMIC_RELAXED);
    stop_event_used_ = true;
    const ssize_t written = write(stop_event_.get(), &stop_event_value, sizeof(stop_event_value));
    static_cast<void>(written); // cannot fail: the counter is zero
    barrier_.break_now();
    instance_.interrupt();
}

WorkerReport WorkerPool::report(std::uint32_t index) const {
    const Worker& worker = *workers_[index];
    WorkerReport report;
    report.started_ns = worker.started_ns.load(std::memory_order_acquire);
    report.ended_ns = worker.ended_ns.load(std::memory_order_acquire);
    if (report.ended_ns == 0) return report;
    report.status = worker.status;
    report.error = worker.error;
    return report;
}

int WorkerPool::cpu(std::uint32_t worker) const { return workers_[worker]->cpu; }

std::vector<ThreadCpu> WorkerPool::cpu_totals() const {
    std::vector<ThreadCpu> times(workers_.size());
    for (std::size_t index = 0; index < times.size(); ++index)
        times[index].total_ns = thread_cpu_ns(workers_[index]->clock);
    return times;
}

void WorkerPool::read_cpu_ticks(std::vector<ThreadCpu>& into) const {
    for (std::size_t index = 0; index < into.size(); ++index)
        read_thread_ticks(workers_[index]->tid, into[index]);
}

} // namespace assay
