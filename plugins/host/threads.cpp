// The threads that use most CPU time.
//
// Which those are is found by a scan of all processes, at the slow pace of stale(); between scans only the listed ones
// are read, from descriptors that stay open. So that the list does not turn over with every scan, a thread that is
// listed stays until it ends or a newcomer used half as much again as the least of them; and a newcomer must have used
// 1 % of a CPU.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"
#include "plugins/host/thread_scan.hpp"

#include <algorithm>

#include <unistd.h>

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

constexpr assay_series cpu_ticks = counter("thread.cpu", "s", "CPU time used.");
constexpr assay_series cpu_ns = counter("thread.cpu", "s", "CPU time used.", 1e-9);
constexpr assay_series wait_ns = counter("thread.wait", "s", "Time runnable and waiting for a CPU.", 1e-9);
constexpr assay_series last_cpu = gauge("thread.last_cpu", "", "The CPU that it ran on last.");

// A thread that is read every time.
struct Watched {
    ThreadId id;
    KernelFile stat;
    KernelFile schedstat;
    std::string labels;
    std::uint64_t used_ticks = 0; // between the last two scans
    bool ended = false;
    std::size_t cpu = npos; // series
    std::size_t wait = npos;
    std::size_t last_cpu = npos;
};

class ThreadSource final : public Source {
public:
    ThreadSource(const Roots& roots, std::size_t count)
        : proc_(roots.proc),
          count_(count),
          scan_(roots.proc),
          hz_(static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK))) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        if (scanned_ns_ == 0) choose(buffer); // the first scan is what the second is compared with
        if (!watched_.empty()) list.add_group();
        assay_series ticks = cpu_ticks;
        ticks.scale = 1.0 / static_cast<double>(hz_);
        for (Watched& thread : watched_) {
            const char* which = list.keep(thread.labels);
            const bool fine = thread.schedstat.read(buffer).has_value();
            thread.cpu = list.add(fine ? cpu_ns : ticks, 0, which);
            thread.wait = fine ? list.add(wait_ns, 0, which) : npos;
            thread.last_cpu = list.add(last_cpu, 0, which);
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const std::int64_t before_ns = monotonic_ns();
        for (Watched& thread : watched_)
            read_thread(thread, reading, buffer);
        reading.stamp(0, before_ns + (monotonic_ns() - before_ns) / 2);
    }

    bool stale(Buffer& buffer) override { return choose(buffer); }

private:
    void read_thread(Watched& thread, const sdk::Reading& reading, Buffer& buffer) {
        if (thread.ended) return;
        ThreadStat stat;
        const auto text = thread.stat.read(buffer);
        if (!text || !parse_thread_stat(*text, stat) || stat.start_ticks != thread.id.start_ticks) {
            thread.ended = true;
            return;
        }
        reading.set(thread.last_cpu, stat.cpu);
        if (thread.wait == npos) return reading.set(thread.cpu, stat.used_ticks);
        const auto times = thread.schedstat.read(buffer);
        Scan scan(times.value_or(std::string_view()));
        std::uint64_t used_ns = 0;
        std::uint64_t waited_ns = 0;
        if (!scan.field(used_ns) || !scan.field(waited_ns)) return;
        reading.set(thread.cpu, used_ns);
        reading.set(thread.wait, waited_ns);
    }

    // Scans, and returns whether the threads to watch are others now.
    bool choose(Buffer& buffer) {
        const std::vector<ThreadUse>& found = scan_.scan(buffer);
        const std::int64_t now_ns = monotonic_ns();
        const std::int64_t ticks = (now_ns - scanned_ns_) / (1'000'000'000 / static_cast<std::int64_t>(hz_));
        const std::uint64_t least_ticks =
            scanned_ns_ == 0 ? 1 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ticks) / 100);
        scanned_ns_ = now_ns;
        for (Watched& thread : watched_) {
            const auto use =
                std::find_if(found.begin(), found.end(), [&](const ThreadUse& each) { return each.id == thread.id; });
            thread.used_ticks = use == found.end() ? 0 : use->used_ticks;
        }
        bool changed = false;
        for (const ThreadUse& use : found) { // those that used most first
            if (use.used_ticks < least_ticks) break;
            if (std::any_of(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == use.id; }))
                continue;
            if (!make_room(use.used_ticks)) break;
            changed = watch(use, buffer) || changed;
        }
        return changed;
    }

    bool make_room(std::uint64_t used_ticks) {
        if (watched_.size() < count_) return true;
        const auto least = std::min_element(watched_.begin(), watched_.end(), [](const Watched& a, const Watched& b) {
            return a.ended != b.ended ? a.ended : a.used_ticks < b.used_ticks;
        });
        if (least == watched_.end() || (!least->ended && used_ticks * 2 < least->used_ticks * 3)) return false;
        watched_.erase(least);
        return true;
    }

    bool watch(const ThreadUse& use, Buffer& buffer) {
        const std::string process = proc_ + "/" + std::to_string(use.id.pid);
        const std::string at = process + "/task/" + std::to_string(use.id.tid);
        Watched thread{use.id, KernelFile(at + "/stat"), KernelFile(at + "/schedstat"), {}, use.used_ticks};
        const auto text = thread.stat.read(buffer);
        ThreadStat stat;
        if (!text || !parse_thread_stat(*text, stat)) return false;
        const std::string name(stat.name);
        const auto leader = read_once(process + "/comm", buffer);
        const std::string leader_name(trimmed(leader.value_or(std::string_view())));
        thread.labels = host::labels({{"thread", name},
                                      {"tid", std::to_string(use.id.tid)},
                                      {"process", leader_name},
                                      {"pid", std::to_string(use.id.pid)}});
        watched_.push_back(std::move(thread));
        return true;
    }

    std::string proc_;
    std::size_t count_;
    ThreadScan scan_;
    std::uint64_t hz_;
    std::int64_t scanned_ns_ = 0;
    std::vector<Watched> watched_;
};

} // namespace

SourcePointer make_thread_source(const Roots& roots, std::size_t count) {
    return std::make_unique<ThreadSource>(roots, count);
}

} // namespace assay::host
