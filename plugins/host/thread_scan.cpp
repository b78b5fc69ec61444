#include "plugins/host/thread_scan.hpp"

#include "plugins/host/scan.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <memory>

#include <dirent.h>
#include <unistd.h>

namespace assay::host {
namespace {

constexpr std::size_t processes_max = 65536;
constexpr std::size_t threads_max = 65536; // a scan

struct CloseDirectory {
    void operator()(DIR* open) const { ::closedir(open); }
};

// Calls `each` with every name in a directory that is a number.
template <class Each>
void for_numbers_in(const std::string& directory, std::size_t count_max, Each&& each) {
    const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
    if (open == nullptr) return;
    std::size_t count = 0;
    while (const dirent* entry = ::readdir(open.get())) {
        const std::string_view name(entry->d_name);
        int number = 0;
        const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc() || stop != name.data() + name.size() || number <= 0) continue;
        if (count++ == count_max) return;
        each(number);
    }
}

std::uint64_t ticks_since_boot() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const auto hz = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    return static_cast<std::uint64_t>(now.tv_sec) * hz + static_cast<std::uint64_t>(now.tv_nsec) * hz / 1'000'000'000;
}

} // namespace

// "123 (name with ) and blanks) S 1 ..."; proc(5) numbers the fields from 1.
bool parse_thread_stat(std::string_view text, ThreadStat& stat) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
    stat.name = text.substr(open + 1, close - open - 1);
    Scan scan(trimmed(text.substr(close + 1)));
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    scan.skip(11); // 3 state .. 13 cmajflt
    if (!scan.field(user) || !scan.field(system)) return false;
    if (__builtin_add_overflow(user, system, &stat.used_ticks)) return false;
    scan.skip(4); // 16 cutime .. 19 nice
    if (!scan.field(stat.threads)) return false;
    scan.skip(1); // 21 itrealvalue
    if (!scan.field(stat.start_ticks)) return false;
    scan.skip(16); // 23 vsize .. 38 exit_signal
    return scan.field(stat.cpu);
}

const std::vector<ThreadUse>& ThreadScan::scan(Buffer& buffer) {
    const std::uint64_t now_ticks = ticks_since_boot();
    ++scan_;
    found_.clear();
    for_numbers_in(proc_, processes_max, [&](int pid) { look_at_process(pid, buffer); });
    const auto not_seen = [&](const auto& each) { return each.second.scan != scan_; };
    std::erase_if(processes_, not_seen);
    std::erase_if(threads_, [&](const auto& each) { return each.second.scan + 16 < scan_; });
    last_scan_ticks_ = now_ticks;
    std::sort(found_.begin(), found_.end(), [](const ThreadUse& a, const ThreadUse& b) {
        return a.used_ticks != b.used_ticks ? a.used_ticks > b.used_ticks : a.id.tid < b.id.tid;
    });
    return found_;
}

void ThreadScan::look_at_process(int pid, Buffer& buffer) {
    path_ = proc_ + "/" + std::to_string(pid) + "/stat";
    const auto text = read_once(path_, buffer);
    ThreadStat stat;
    if (!text || !parse_thread_stat(*text, stat)) return; // it ended meanwhile
    const std::uint64_t used = used_since(processes_, pid, stat);
    if (used == 0) return;
    if (stat.threads == 1)
        found_.push_back({{pid, pid, stat.start_ticks}, used});
    else
        look_at_threads(pid, buffer);
}

void ThreadScan::look_at_threads(int pid, Buffer& buffer) {
    const std::string directory = proc_ + "/" + std::to_string(pid) + "/task";
    for_numbers_in(directory, threads_max, [&](int tid) {
        if (threads_.size() > threads_max) return;
        path_ = directory + "/" + std::to_string(tid) + "/stat";
        const auto text = read_once(path_, buffer);
        ThreadStat stat;
        if (!text || !parse_thread_stat(*text, stat)) return;
        if (const std::uint64_t used = used_since(threads_, tid, stat); used > 0)
            found_.push_back({{pid, tid, stat.start_ticks}, used});
    });
}

// Of one that was not seen before, all its time counts if it started since the last scan, and none otherwise.
std::uint64_t ThreadScan::used_since(KnownById& known, int id, const ThreadStat& stat) const {
    Known& before = known[id];
    std::uint64_t from = 0;
    if (before.scan != 0 && before.start_ticks == stat.start_ticks) {
        from = before.used_ticks;
    } else if (scan_ == 1 || stat.start_ticks < last_scan_ticks_) {
        from = stat.used_ticks;
    }
    before = {stat.start_ticks, stat.used_ticks, scan_};
    return stat.used_ticks > from ? stat.used_ticks - from : 0;
}

} // namespace assay::host
