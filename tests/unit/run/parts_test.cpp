// The small parts of a run by themselves: CPU lists, CPU time, the barrier.
#include "core/context/facts.hpp"
#include "core/context/machine.hpp"
#include "core/run/barrier.hpp"
#include "core/run/cpu_time.hpp"
#include "core/run/placement.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace assay {
namespace {

TEST(placement, a_cpu_list_is_written_in_ranges) {
    EXPECT_EQ(context::cpu_list_text({}), "");
    EXPECT_EQ(context::cpu_list_text({3}), "3");
    EXPECT_EQ(context::cpu_list_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(placement, the_allowed_cpus_are_those_of_the_affinity_mask) {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    const std::vector<int> allowed = allowed_cpus();
    EXPECT_EQ(static_cast<int>(allowed.size()), CPU_COUNT(&set));
    EXPECT_TRUE(check_cpus(allowed).ok());
    EXPECT_FALSE(check_cpus({-1}).ok());
    EXPECT_FALSE(check_cpus({100'000}).ok());
}

TEST(placement, narrowing_the_mask_narrows_what_is_allowed) {
    Status checked;
    std::thread([&] {
        const int cpu = allowed_cpus().front();
        ASSERT_TRUE(pin_this_thread(cpu).ok());
        EXPECT_EQ(allowed_cpus(), std::vector<int>{cpu});
        checked = check_cpus({cpu, cpu + 1});
    }).join();
    EXPECT_EQ(checked.failure(), Failure::usage);
}

TEST(cpu_time, a_thread_that_computes_is_charged_and_mostly_as_user_time) {
    std::atomic<bool> over = false;
    std::atomic<pid_t> tid = 0;
    std::thread busy([&] {
        tid = gettid();
        while (!over.load(std::memory_order_relaxed)) {
        }
    });
    while (tid == 0)
        std::this_thread::yield();
    clockid_t clock{};
    ASSERT_EQ(pthread_getcpuclockid(busy.native_handle(), &clock), 0);
    const auto reading = [&] {
        ThreadCpu cpu;
        cpu.total_ns = thread_cpu_ns(clock);
        read_thread_ticks(tid, cpu);
        return cpu;
    };
    const ThreadCpu before = reading();
    while (thread_cpu_ns(clock) < before.total_ns + 200'000'000)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const ThreadCpu after = reading();
    over = true;
    busy.join();
    const CpuShare share = cpu_between(before, after);
    EXPECT_EQ(share.user_ns + share.system_ns, after.total_ns - before.total_ns);
    EXPECT_GT(share.user_ns, 150'000'000);
    // The kernel's ticks (USER_HZ, 100 a second) tell the same total, to a tick on either side.
    const double ticks_ns =
        static_cast<double>(after.user_ticks + after.system_ticks - before.user_ticks - before.system_ticks) * 1e7;
    EXPECT_NEAR(ticks_ns, static_cast<double>(after.total_ns - before.total_ns), 4e7);
}

// Two that compute on one CPU: each runs half of the time and waits for the other half.
TEST(cpu_time, a_thread_that_shares_its_cpu_waits_for_it) {
    std::atomic<bool> over = false;
    std::atomic<pid_t> tids[2] = {0, 0};
    const auto spin = [&](std::atomic<pid_t>& tid) {
        ASSERT_TRUE(pin_this_thread(allowed_cpus().front()).ok());
        tid = gettid();
        while (!over.load(std::memory_order_relaxed)) {
        }
    };
    std::thread first(spin, std::ref(tids[0]));
    std::thread second(spin, std::ref(tids[1]));
    while (tids[0] == 0 || tids[1] == 0)
        std::this_thread::yield();
    ThreadCpu before;
    ThreadCpu after;
    read_thread_ticks(tids[0], before);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    read_thread_ticks(tids[0], after);
    over = true;
    first.join();
    second.join();
    if (!before.run_wait_ns || !after.run_wait_ns) GTEST_SKIP() << "this kernel counts no waits (schedstat)";
    // Others may want that CPU too, so it can wait for more than half.
    EXPECT_GT(*after.run_wait_ns - *before.run_wait_ns, 150'000'000);
    EXPECT_LT(*after.run_wait_ns - *before.run_wait_ns, 1'000'000'000);
}

TEST(cpu_time, time_in_the_kernel_is_told_apart) {
    const ThreadCpu before{1'000, 10, 20};
    const ThreadCpu after{401'000, 13, 21};
    const CpuShare share = cpu_between(before, after);
    EXPECT_EQ(share.user_ns, 300'000);
    EXPECT_EQ(share.system_ns, 100'000);
}

TEST(cpu_time, between_two_ticks_all_counts_as_user_time) {
    const CpuShare share = cpu_between({1'000, 10, 20}, {6'000, 10, 20});
    EXPECT_EQ(share.user_ns, 5'000);
    EXPECT_EQ(share.system_ns, 0);
}

TEST(cpu_time, a_thread_that_is_gone_reads_as_nothing) {
    ThreadCpu cpu;
    read_thread_ticks(2'147'483'000, cpu);
    EXPECT_EQ(cpu.user_ticks, 0U);
    EXPECT_FALSE(cpu.run_wait_ns);
}

TEST(phase_barrier, breaking_it_frees_whoever_waits_and_turns_away_whoever_comes) {
    PhaseBarrier barrier;
    barrier.reset(2);
    assay_status waited = ASSAY_OK;
    std::thread waiter([&] { waited = barrier.arrive(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    barrier.break_now();
    waiter.join();
    EXPECT_EQ(waited, ASSAY_CANCELLED);
    EXPECT_EQ(barrier.arrive(), ASSAY_CANCELLED);
    barrier.reset(1);
    EXPECT_EQ(barrier.arrive(), ASSAY_OK);
}

TEST(phase_barrier, a_round_that_is_complete_stays_complete_when_it_breaks_right_after) {
    for (int times = 0; times < 200; ++times) {
        PhaseBarrier barrier;
        barrier.reset(3);
        std::atomic<int> through = 0;
        std::vector<std::thread> workers;
        for (int at = 0; at < 3; ++at) {
            workers.emplace_back([&] {
                if (barrier.arrive() == ASSAY_OK) ++through;
                barrier.break_now(); // as a worker does that returns from run()
            });
        }
        for (std::thread& worker : workers)
            worker.join();
        ASSERT_EQ(through.load(), 3);
    }
}

} // namespace
} // namespace assay
