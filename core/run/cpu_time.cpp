#include "core/run/cpu_time.hpp"

#include "core/base/fd.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>

namespace assay {
namespace {

std::int64_t ns_of(const timeval& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(time.tv_usec) * 1'000;
}

} // namespace

std::int64_t thread_cpu_ns(clockid_t clock) {
    timespec now{};
    if (clock_gettime(clock, &now) != 0) return 0;
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

namespace {

using Buffer = std::array<char, 1024>;

std::string_view read_task_file(pid_t tid, const char* name, Buffer& buffer) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", static_cast<int>(tid), name);
    const Fd file(open(path.data(), O_RDONLY | O_CLOEXEC));
    const ssize_t bytes = file.valid() ? read(file.get(), buffer.data(), buffer.size()) : 0;
    return {buffer.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

// "RUN WAIT TIMESLICES", the first two in nanoseconds.
void read_wait(pid_t tid, ThreadCpu& into) {
    Buffer buffer{};
    std::string_view text = read_task_file(tid, "schedstat", buffer);
    text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    std::int64_t wait_ns = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), wait_ns).ec == std::errc()) into.run_wait_ns = wait_ns;
}

} // namespace

void read_thread_ticks(pid_t tid, ThreadCpu& into) {
    read_wait(tid, into);
    Buffer buffer{};
    std::string_view text = read_task_file(tid, "stat", buffer);
    // The name, field 2, is in parentheses and may hold anything; user and system ticks are fields 14 and 15.
    text.remove_prefix(std::min(text.rfind(')') + 1, text.size()));
    for (int field = 3; field < 14; ++field)
        text.remove_prefix(std::min(text.find(' ', 1), text.size()));
    if (text.empty()) return;
    const char* end = text.data() + text.size();
    const auto user = std::from_chars(text.data() + 1, end, into.user_ticks);
    if (user.ec == std::errc() && user.ptr < end) std::from_chars(user.ptr + 1, end, into.system_ticks);
}

CpuShare cpu_between(const ThreadCpu& earlier, const ThreadCpu& later) {
    const std::int64_t total = std::max<std::int64_t>(later.total_ns - earlier.total_ns, 0);
    const std::uint64_t user = later.user_ticks - std::min(earlier.user_ticks, later.user_ticks);
    const std::uint64_t system = later.system_ticks - std::min(earlier.system_ticks, later.system_ticks);
    if (user + system == 0) return {total, 0};
    const double share = static_cast<double>(system) / static_cast<double>(user + system);
    const auto system_ns = static_cast<std::int64_t>(static_cast<double>(total) * share);
    return {total - system_ns, system_ns};
}

std::int64_t process_cpu_ns() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
}

} // namespace assay
