// The contract seen from the plugin: the order of calls and what a worker finds when it runs.
#include "core/run/cpu_time.hpp"
#include "tests/unit/run/scripted.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace assay::test {
namespace {

using result::PhaseEnd;

TEST_F(Contract, calls_come_in_the_documented_order) {
    script_.phases = {{sizeof(assay_phase), ASSAY_PHASE_SETUP, "lay out", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_MEASURED, "read", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_MEASURED, "write", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_TEARDOWN, "remove", 0}};
    RunJob two = job();
    two.workers = 2;
    run_it(two);
    EXPECT_EQ(script_.calls,
              (std::vector<std::string>{"create", "configure", "phases", "prepare", "run 0", "run 0", "run 1", "run 1",
                                        "run 2", "run 2", "run 3", "run 3", "finish", "destroy"}));
}

TEST_F(Contract, only_destroy_follows_a_call_that_failed) {
    script_.prepare = [](const assay_host*) { return ASSAY_RESOURCE; };
    const Ran ran = run_it(job());
    EXPECT_NE(ran.jobs.at(0).failure.find("ASSAY_RESOURCE"), std::string::npos) << ran.jobs[0].failure;
    EXPECT_EQ(script_.calls, (std::vector<std::string>{"create", "configure", "phases", "prepare", "destroy"}));
}

TEST_F(Contract, trying_a_point_only_configures_it) {
    EXPECT_TRUE(try_point({job()}).ok());
    EXPECT_EQ(script_.calls, (std::vector<std::string>{"create", "configure", "phases", "destroy"}));
    script_.configure = [](const assay_host* host) {
        host->set_error(host, nullptr, "does not fit together");
        return ASSAY_INVALID_OPTION;
    };
    const Status tried = try_point({job()});
    EXPECT_EQ(tried.failure(), Failure::usage);
    EXPECT_NE(tried.message().find("does not fit together"), std::string::npos) << tried.message();
}

TEST_F(Contract, no_phase_follows_one_that_failed) {
    script_.phases = {{sizeof(assay_phase), ASSAY_PHASE_MEASURED, "first", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_MEASURED, "second", 0}};
    script_.run = [](const assay_host*, assay_worker*, std::uint32_t) { return ASSAY_IO; };
    EXPECT_EQ(run_it(job()).jobs.at(0).phases.size(), 1U);
    EXPECT_EQ(script_.calls,
              (std::vector<std::string>{"create", "configure", "phases", "prepare", "run 0", "destroy"}));
}

TEST_F(Contract, a_worker_finds_its_identity_cpu_name_and_seed) {
    std::mutex mutex;
    std::vector<std::string> wrong;
    std::vector<std::uint64_t> seeds;
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t) {
        const assay_worker_block& block = *worker->block;
        const std::lock_guard lock(mutex);
        char name[32] = {};
        pthread_getname_np(pthread_self(), name, sizeof(name));
        cpu_set_t set;
        sched_getaffinity(0, sizeof(set), &set);
        if (name != "assay-w" + std::to_string(block.local_index)) wrong.push_back(std::string("name ") + name);
        if (CPU_COUNT(&set) != 1 || !CPU_ISSET(static_cast<std::size_t>(block.cpu), &set)) wrong.push_back("affinity");
        if (sched_getcpu() != block.cpu) wrong.push_back("cpu");
        if (block.local_count != 3 || block.global_count != 3 || block.global_index != block.local_index)
            wrong.push_back("indices");
        if (block.struct_size != sizeof(assay_worker_block) || worker->struct_size != sizeof(assay_worker))
            wrong.push_back("sizes");
        if (block.deadline_ns != 0) wrong.push_back("deadline of a phase bounded by work");
        seeds.push_back(block.seed);
        return ASSAY_OK;
    };
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    int cpu = 0;
    while (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed))
        ++cpu;
    RunJob pinned = job();
    pinned.workers = 3;
    pinned.cpus = {cpu};
    const Ran ran = run_it(pinned);
    EXPECT_EQ(wrong, std::vector<std::string>());
    std::sort(seeds.begin(), seeds.end());
    EXPECT_EQ(std::unique(seeds.begin(), seeds.end()) - seeds.begin(), 3) << "every worker has a seed of its own";
    const std::vector<std::uint64_t> first = seeds;
    seeds.clear();
    EXPECT_EQ(ran.jobs.at(0).phases.at(0).workers.at(2).cpu, cpu);
    run_it(pinned);
    std::sort(seeds.begin(), seeds.end());
    EXPECT_EQ(seeds, first) << "the same run again gets the same seeds";
}

TEST_F(Contract, the_deadline_in_the_block_is_when_stop_is_set) {
    std::atomic<std::int64_t> told = 0;
    std::atomic<std::int64_t> stopped = 0;
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t) {
        while (assay_worker_stopped(worker) == 0) {
            told = __atomic_load_n(&worker->block->deadline_ns, __ATOMIC_RELAXED);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        stopped = monotonic_ns();
        return ASSAY_OK;
    };
    RunJob timed = job();
    timed.warmup_ns = 50 * ms;
    timed.measure_ns = 100 * ms;
    run_it(timed);
    EXPECT_GE(stopped.load(), told.load());
    EXPECT_LT(stopped.load(), told.load() + 60 * ms);
}

TEST_F(Contract, a_worker_that_ends_itself_at_the_deadline_has_ended_on_time) {
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        while (monotonic_ns() < __atomic_load_n(&worker->block->deadline_ns, __ATOMIC_RELAXED))
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        return ASSAY_OK;
    };
    // The host is busy with the interval at 100 ms when the worker ends, and finds it gone.
    hooks_.on_progress = [this] {
        if (hooks_.shown.back()[0].elapsed_s > 0.09) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    };
    RunJob timed = job();
    timed.measure_ns = 145 * ms;
    const result::Phase phase = run_it(timed).jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.end, PhaseEnd::time);
    EXPECT_GE(phase.window_end_ns - phase.window_start_ns, 145 * ms);
}

TEST_F(Contract, interrupt_is_called_at_a_stop_and_again_until_the_worker_returns) {
    const auto interrupts = [this] {
        const std::lock_guard lock(script_.mutex);
        return std::count(script_.calls.begin(), script_.calls.end(), "interrupt");
    };
    RunJob timed = job();
    timed.measure_ns = 30 * ms;
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        while (assay_worker_stopped(worker) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ASSAY_OK;
    };
    run_it(timed);
    EXPECT_EQ(interrupts(), 1);
    script_.calls.clear();
    script_.run = [&](const assay_host*, assay_worker*, std::uint32_t) {
        while (interrupts() < 3)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ASSAY_OK;
    };
    EXPECT_EQ(run_it(timed).jobs.at(0).failure, "");
}

TEST_F(Contract, a_phase_begins_with_empty_recorders) {
    script_.phases.insert(script_.phases.begin(), {sizeof(assay_phase), ASSAY_PHASE_SETUP, "lay out", 0});
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t phase) {
        assay_histogram* latency = assay_op_histogram(assay_worker_op(worker, 0, 0), 0);
        if (phase == 0) {
            assay_histogram_add(latency, 1);
            assay_histogram_add(latency, 1'000'000'000);
        } else {
            assay_histogram_add(latency, 777'777);
        }
        return ASSAY_OK;
    };
    const result::Job done = run_it(job()).jobs.at(0);
    const Histogram& latency = done.phases.at(1).operations.at(0).histograms.at(0).second;
    EXPECT_EQ(latency.count(), 1U);
    EXPECT_EQ(latency.min_ns(), 777'777U);
    EXPECT_EQ(latency.max_ns(), 777'777U);
    EXPECT_TRUE(latency.extremes_exact()) << "nothing of an earlier phase may blur them";
}

TEST_F(Contract, the_eventfd_stays_readable_whoever_reads_it_and_is_fresh_in_the_next_phase) {
    script_.phases = {{sizeof(assay_phase), ASSAY_PHASE_MEASURED, "first", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_MEASURED, "second", 0}};
    std::atomic<int> readable_early = 0;
    std::atomic<int> unreadable_late = 0;
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t) {
        std::uint64_t value = 0;
        if (read(worker->stop_fd, &value, sizeof(value)) > 0) ++readable_early;
        while (assay_worker_stopped(worker) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (int times = 0; times < 5; ++times) {
            if (read(worker->stop_fd, &value, sizeof(value)) != sizeof(value)) ++unreadable_late;
        }
        return ASSAY_OK;
    };
    RunJob timed = job();
    timed.workers = 3;
    timed.measure_ns = 50 * ms;
    run_it(timed);
    EXPECT_EQ(readable_early.load(), 0);
    EXPECT_EQ(unreadable_late.load(), 0);
}

// Computes until the calling thread has used `cpu_ns` more.
void burn(std::int64_t cpu_ns) {
    const std::int64_t until = thread_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
    while (thread_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

TEST_F(Contract, cpu_time_is_that_of_each_worker) {
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        burn(worker->block->local_index == 0 ? 100 * ms : 30 * ms);
        return ASSAY_OK;
    };
    RunJob two = job();
    two.workers = 2;
    const result::Phase phase = run_it(two).jobs.at(0).phases.at(0);
    EXPECT_NEAR(static_cast<double>(phase.workers[0].cpu_user_ns + phase.workers[0].cpu_system_ns), 100e6, 10e6);
    EXPECT_NEAR(static_cast<double>(phase.workers[1].cpu_user_ns + phase.workers[1].cpu_system_ns), 30e6, 10e6);
    EXPECT_GE(phase.process_cpu_ns, 125 * ms);
    EXPECT_LT(phase.process_cpu_ns, 200 * ms);
}

TEST_F(Contract, cpu_time_of_the_warm_up_is_cut_out) {
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        burn(40 * ms);
        while (assay_worker_stopped(worker) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return ASSAY_OK;
    };
    RunJob timed = job();
    timed.warmup_ns = 600 * ms;
    timed.measure_ns = 200 * ms;
    const result::Phase phase = run_it(timed).jobs.at(0).phases.at(0);
    EXPECT_LT(phase.workers[0].cpu_user_ns + phase.workers[0].cpu_system_ns, 20 * ms);
    EXPECT_LT(phase.process_cpu_ns, 35 * ms);
}

TEST_F(Contract, a_failure_of_create_is_followed_by_nothing) {
    workload_.create = [](const assay_host* host, void**) {
        host->set_error(host, nullptr, "no licence for Mars");
        return assay_status{ASSAY_UNSUPPORTED};
    };
    const Ran ran = run_it(job());
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    EXPECT_NE(ran.status.message().find("no licence for Mars"), std::string::npos);
    EXPECT_TRUE(script_.calls.empty());
}

} // namespace
} // namespace assay::test
