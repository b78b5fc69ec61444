// Finds the threads that use CPU time, by looking at every process.
//
// Slow path only: about 4 us a process. Processes whose time did not change, nearly all, are not looked into. One
// thread.
#pragma once

#include "plugins/host/kernel_file.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::host {

struct ThreadId {
    int pid = 0;
    int tid = 0;
    std::uint64_t start_ticks = 0; // tells a thread from a later one of the same number
    bool operator==(const ThreadId&) const = default;
};
struct ThreadUse {
    ThreadId id;
    std::uint64_t used_ticks = 0;
};

// What /proc/PID/stat and /proc/PID/task/TID/stat say.
struct ThreadStat {
    std::string_view name;
    std::uint64_t used_ticks = 0; // user and system
    std::uint64_t threads = 0;
    std::uint64_t start_ticks = 0;
    std::uint64_t cpu = 0; // where it ran last
};
bool parse_thread_stat(std::string_view text, ThreadStat& stat);

class ThreadScan {
public:
    explicit ThreadScan(std::string proc) : proc_(std::move(proc)) {}
    // Threads that used CPU time since the last scan, those that used most first. The first scan finds none.
    const std::vector<ThreadUse>& scan(Buffer& buffer);

private:
    struct Known {
        std::uint64_t start_ticks = 0;
        std::uint64_t used_ticks = 0;
        std::uint64_t scan = 0;
    };
    using KnownById = std::unordered_map<int, Known>;

    void look_at_process(int pid, Buffer& buffer);
    void look_at_threads(int pid, Buffer& buffer);
    std::uint64_t used_since(KnownById& known, int id, const ThreadStat& stat) const;

    std::string proc_;
    std::string path_;
    KnownById processes_;
    KnownById threads_; // of processes with several
    std::vector<ThreadUse> found_;
    std::uint64_t scan_ = 0;
    std::uint64_t last_scan_ticks_ = 0; // since boot
};

} // namespace assay::host
