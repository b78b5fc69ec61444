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
    RunJob timed = job();
    timed.measure_ns = 100 * ms;
    EXPECT_EQ(run_it(timed).jobs.at(0).phases.at(0).end, PhaseEnd::time);
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
