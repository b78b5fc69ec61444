// /proc/stat: the time of each CPU by what it did, and the system's event counts.
//
// The kernel prints USER_HZ ticks. Guest time is inside user (and guest_nice inside nice). idle and iowait may step
// back by a few ticks when a CPU's idle accounting is corrected: that is no reset, and the values are handed over as
// they are.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

#include <algorithm>
#include <iterator>

#include <unistd.h>

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

// A correction is a few ticks; one that took a CPU offline and back starts near zero, which is a reset.
constexpr std::uint64_t step_back_ticks_max = 100;

constexpr assay_series times[] = {
    counter("cpu.user", "s", "Time in user mode, guests included."),
    counter("cpu.nice", "s", "Time in user mode at low priority."),
    counter("cpu.system", "s", "Time in the kernel for processes."),
    sdk::stepping_back(counter("cpu.idle", "s", "Time with nothing to do; may step back a little."),
                       step_back_ticks_max),
    sdk::stepping_back(
        counter("cpu.iowait", "s", "Idle time with a request outstanding; not busy, and may step back a little."),
        step_back_ticks_max),
    counter("cpu.irq", "s", "Time in hardware interrupts."),
    counter("cpu.softirq", "s", "Time in soft interrupts: receiving packets, completing block requests."),
    counter("cpu.steal", "s", "Time that the hypervisor gave to others."),
    counter("cpu.guest", "s", "Time of virtual machines, also counted in user."),
    counter("cpu.guest_nice", "s", "Time of virtual machines at low priority, also counted in nice."),
};

constexpr struct {
    const char* key;
    assay_series series;
} events[] = {
    {"intr", counter("system.interrupts", "interrupts", "Interrupts serviced, all CPUs.")},
    {"ctxt", counter("system.context_switches", "switches", "Context switches, all CPUs.")},
    {"processes", counter("system.forks", "processes", "Processes and threads created.")},
    {"procs_running", gauge("system.running", "threads", "Threads that run or could.")},
    {"procs_blocked", gauge("system.blocked", "threads", "Threads that wait for I/O.")},
};

bool is_cpu_line(std::string_view line) { return line.size() > 3 && line.starts_with("cpu") && is_digit(line[3]); }

class CpuSource final : public Source {
public:
    explicit CpuSource(const Roots& roots) : file_(roots.proc + "/stat") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        names_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        if (!text) return;
        list.add_group();
        const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
        Scan lines(*text);
        std::vector<std::size_t> found_events;
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            const std::string_view key = scan.word();
            if (!is_cpu_line(line)) {
                for (std::size_t i = 0; i < std::size(events); ++i)
                    if (key == events[i].key) found_events.push_back(i);
                continue;
            }
            if (list.size() + std::size(times) > series_max) continue;
            names_.add(key);
            const char* which = list.keep(labels({{"cpu", key.substr(3)}}));
            for (assay_series time : times) { // a column that an old kernel lacks is listed and never set
                time.scale = tick_s;
                list.add(time, 0, which);
            }
        }
        first_event_ = list.size();
        events_.clear();
        for (const std::size_t i : found_events) {
            events_.add(events[i].key);
            list.add(events[i].series, 0);
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        if (!text) return;
        names_.rewind();
        events_.rewind();
        std::size_t seen = 0;
        Scan lines(*text);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            const std::string_view key = scan.word();
            std::uint64_t value = 0;
            if (!is_cpu_line(line)) {
                const std::size_t event = events_.find(key);
                if (event != npos && scan.number(value)) reading.set(first_event_ + event, value);
                continue;
            }
            const std::size_t cpu = names_.find(key);
            if (cpu == npos) {
                changed_ = true;
                continue;
            }
            ++seen;
            for (std::size_t i = 0; i < std::size(times) && scan.number(value); ++i)
                reading.set(cpu * std::size(times) + i, value);
        }
        changed_ = changed_ || seen != names_.size();
    }

    bool stale(Buffer&) override { return changed_; }

private:
    KernelFile file_;
    NameOrder names_;  // "cpu0", ...
    NameOrder events_; // keys
    std::size_t first_event_ = 0;
    bool changed_ = false;
};

} // namespace

SourcePointer make_cpu_source(const Roots& roots) { return std::make_unique<CpuSource>(roots); }

} // namespace assay::host
