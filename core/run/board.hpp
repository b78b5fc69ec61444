// What wakes the control thread: workers report here that something happened, and it sleeps here until a deadline.
//
// notify() from any thread; wait_until() from the control thread. Shared-owned, because a worker that hangs may
// still return, and report, after the run that started it is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace assay {

class Board {
public:
    void notify() {
        const std::lock_guard lock(mutex_);
        pending_ = true;
        changed_.notify_one();
    }
    // Returns once something was reported since the last call, or at `deadline_ns` (CLOCK_MONOTONIC).
    void wait_until(std::int64_t deadline_ns) {
        std::unique_lock lock(mutex_);
        const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
        changed_.wait_until(lock, deadline, [this] { return pending_; });
        pending_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool pending_ = false;
};

} // namespace assay
