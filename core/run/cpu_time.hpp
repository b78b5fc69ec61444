// CPU time of threads and of the process, read from outside the thread that used it. Any thread.
//
// The total comes from the thread's CPU clock (exact, ns). The kernel splits it into user and system only in ticks of
// 10 ms (/proc/self/task/TID/stat), so the split of a short window is coarse while its sum stays exact.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>
#include <time.h>

namespace assay {

struct ThreadCpu {
    std::int64_t total_ns = 0;
    std::uint64_t user_ticks = 0;
    std::uint64_t system_ticks = 0;
    // Ready to run and waiting for a CPU (/proc/self/task/TID/schedstat); nothing where the kernel does not count it.
    std::optional<std::int64_t> run_wait_ns = {};
};

// What one thread used until now; 0 where it cannot be read. Its clock: pthread_getcpuclockid().
std::int64_t thread_cpu_ns(clockid_t clock);
// The ticks and the wait.
void read_thread_ticks(pid_t tid, ThreadCpu& into);

struct CpuShare {
    std::int64_t user_ns = 0;
    std::int64_t system_ns = 0;
};
// The total between two readings, split as the ticks between them say; all user where no tick passed.
CpuShare cpu_between(const ThreadCpu& earlier, const ThreadCpu& later);

// User and system time of all threads of this process, those that have ended and the kernel's io_uring workers
// included.
std::int64_t process_cpu_ns();

} // namespace assay
