// A process that is stopped while it measures. In a child of the test's own: a stopped test would stop its shell's job.
#include "tests/unit/run/scripted.hpp"

#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace assay::test {
namespace {

class Pause : public Contract {
protected:
    // Measures 2 s; what the host noted, in milliseconds.
    std::int64_t longest_pause_ms() {
        script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
            while (assay_worker_stopped(worker) == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return assay_status{ASSAY_OK};
        };
        RunJob timed = job();
        timed.measure_ns = 2'000'000'000;
        const Ran ran = run_it(timed);
        if (!ran.status.ok()) return -1;
        const result::Fact* fact = ran.jobs[0].fact("longest_pause_ns");
        return fact == nullptr ? -1 : std::get<std::int64_t>(fact->value) / 1'000'000;
    }
};

TEST_F(Pause, of_the_whole_process_is_noted_with_its_length) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::int64_t ms = longest_pause_ms();
        _exit(ms < 0 ? 255 : static_cast<int>(std::min<std::int64_t>(ms / 100, 100)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    kill(child, SIGCONT);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    // Tenths of a second. It wanted to wake up to 50 ms after it was stopped; a busy machine adds to it.
    EXPECT_GE(WEXITSTATUS(status), 11);
    EXPECT_LE(WEXITSTATUS(status), 30);
}

} // namespace
} // namespace assay::test
