// Control groups, version 1 and 2: CPU throttling, memory against its limit, I/O, of this process's group and of every
// group above it.
#include "plugins/host/cgroup_io.hpp"
#include "plugins/host/cgroup_places.hpp"
#include "plugins/host/labels.hpp"
#include "plugins/host/pressure.hpp"
#include "plugins/host/sources.hpp"
#include "plugins/host/tables.hpp"

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

constexpr double us = 1e-6;
constexpr double ns = 1e-9;

constexpr assay_series periods = counter("cgroup.periods", "periods", "Enforcement periods with something to run.");
constexpr assay_series throttled = counter("cgroup.throttled", "periods", "Periods in which the CPU limit stopped it.");
constexpr assay_series cpu_limit =
    gauge("cgroup.cpu_limit", "CPUs", "CPU time it may use per time; not set without a limit.", 1, ASSAY_VALUE_F64);
constexpr const char* throttled_help = "Time that its CPUs were stopped by the limit, summed over CPUs.";

constexpr KeyedSeries cpu_stat_v2[] = {
    {"usage_usec", counter("cgroup.cpu", "s", "CPU time used.", us)},
    {"user_usec", counter("cgroup.cpu_user", "s", "CPU time used in user mode.", us)},
    {"system_usec", counter("cgroup.cpu_system", "s", "CPU time used in the kernel.", us)},
    {"nr_periods", periods},
    {"nr_throttled", throttled},
    {"throttled_usec", counter("cgroup.throttled_time", "s", throttled_help, us)},
};
constexpr KeyedSeries cpu_stat_v1[] = {
    {"nr_periods", periods},
    {"nr_throttled", throttled},
    {"throttled_time", counter("cgroup.throttled_time", "s", throttled_help, ns)},
};
constexpr KeyedSeries memory_events[] = {
    {"high", counter("cgroup.memory_high", "times", "Times it was slowed down for using more than memory.high.")},
    {"max", counter("cgroup.memory_at_limit", "times", "Times an allocation ran into the memory limit.")},
    {"oom_kill", counter("cgroup.oom_kills", "processes", "Processes killed for want of memory.")},
};

// A file with one number. "max" and the like stand for no limit, and set nothing.
struct NumberFile {
    const char* controller; // "" is version 2
    const char* file;
    assay_series series;
};
constexpr NumberFile numbers[] = {
    {"", "memory.current", gauge("cgroup.memory", "B", "Memory charged to it, page cache included.")},
    {"", "memory.max", gauge("cgroup.memory_limit", "B", "Limit of its memory; not set without a limit.")},
    {"cpuacct", "cpuacct.usage", counter("cgroup.cpu", "s", "CPU time used.", ns)},
    {"memory", "memory.usage_in_bytes", gauge("cgroup.memory", "B", "Memory charged to it, page cache included.")},
    {"memory", "memory.limit_in_bytes", gauge("cgroup.memory_limit", "B", "Limit of its memory; not set without one.")},
    {"memory", "memory.failcnt", counter("cgroup.memory_at_limit", "times", "Times it ran into the memory limit.")},
};

// Of a memory limit that stands for none: the kernel prints the largest multiple of the page size.
constexpr std::uint64_t unlimited_v1 = 0x7fffffffffff0000;

// Everything of one group in one hierarchy.
class Place {
public:
    explicit Place(const CgroupPlace& place) : place_(place) {
        const std::string at = place.directory + "/";
        const bool unified = place.controller.empty();
        if (unified || place.controller == "cpu") keyed_.push_back({KernelFile(at + "cpu.stat"), {}});
        if (unified) keyed_.push_back({KernelFile(at + "memory.events"), {}});
        if (unified) limit_.emplace_back(at + "cpu.max");
        if (place.controller == "cpu") {
            limit_.emplace_back(at + "cpu.cfs_quota_us");
            limit_.emplace_back(at + "cpu.cfs_period_us");
        }
        for (const NumberFile& number : numbers)
            if (place.controller == number.controller)
                numbers_.push_back({KernelFile(at + number.file), number.series, npos});
        if (unified) io_.emplace_back(at + "io.stat", CgroupIoForm::unified);
        if (place.controller == "blkio") {
            io_.emplace_back(at + "blkio.throttle.io_service_bytes", CgroupIoForm::bytes);
            io_.emplace_back(at + "blkio.throttle.io_serviced", CgroupIoForm::requests);
        }
        if (!unified) return;
        for (const char* resource : {"cpu", "io", "memory"})
            pressure_.push_back({resource, PressureFile(at + resource + ".pressure")});
    }

    void discover(sdk::SeriesList& list, const std::string& sys, Buffer& buffer) {
        const bool unified = place_.controller.empty();
        // Both versions may be mounted and know the same group.
        const char* version = unified ? "2" : "1";
        const char* which = list.keep(labels({{"cgroup", place_.name}, {"version", version}}));
        for (std::size_t i = 0; i < keyed_.size(); ++i) {
            const auto text = keyed_[i].file.read(buffer);
            const std::span<const KeyedSeries> wanted = i == 1    ? std::span<const KeyedSeries>(memory_events)
                                                        : unified ? std::span<const KeyedSeries>(cpu_stat_v2)
                                                                  : std::span<const KeyedSeries>(cpu_stat_v1);
            keyed_[i].table.discover(text.value_or(std::string_view()), wanted, list, 0, which);
        }
        cpu_limit_ = npos;
        if (!limit_.empty() && limit_[0].read(buffer)) cpu_limit_ = list.add(cpu_limit, 0, which);
        for (Number& number : numbers_)
            number.at = number.file.read(buffer) ? list.add(number.series, 0, which) : npos;
        for (CgroupIoFile& file : io_)
            file.discover(list, sys, which, buffer);
        for (auto& [resource, file] : pressure_)
            file.discover(list, 0, list.keep(std::string(which) + ",resource=" + resource), buffer);
    }

    void read(const sdk::Reading& reading, Buffer& buffer) {
        for (auto& [file, table] : keyed_) {
            if (table.size() == 0) continue;
            if (const auto text = file.read(buffer)) table.read(*text, reading);
        }
        for (Number& number : numbers_) {
            if (number.at == npos) continue;
            const auto text = number.file.read(buffer);
            std::uint64_t value = 0;
            if (text && only_number(*text, value) && value < unlimited_v1) reading.set(number.at, value);
        }
        if (cpu_limit_ != npos) read_limit(reading, buffer);
        for (CgroupIoFile& file : io_)
            file.read(reading, buffer);
        for (auto& [resource, file] : pressure_)
            file.read(reading, buffer);
    }

    [[nodiscard]] bool changed() const {
        for (const CgroupIoFile& file : io_)
            if (file.changed()) return true;
        return false;
    }

private:
    struct Keyed {
        KernelFile file;
        KeyedTable table;
    };
    struct Number {
        KernelFile file;
        assay_series series;
        std::size_t at;
    };
    struct Pressure {
        const char* resource;
        PressureFile file;
    };

    // Version 2: "50000 100000" or "max 100000" in one file; version 1: quota (-1 for none) and period in two.
    void read_limit(const sdk::Reading& reading, Buffer& buffer) {
        std::uint64_t quota = 0;
        std::uint64_t period = 0;
        auto text = limit_[0].read(buffer);
        if (!text) return;
        Scan scan(trimmed(*text));
        if (!scan.field(quota)) return;
        if (limit_.size() == 1) {
            if (!scan.field(period)) return;
        } else {
            text = limit_[1].read(buffer);
            if (!text || !only_number(*text, period)) return;
        }
        if (period != 0) reading.set_real(cpu_limit_, static_cast<double>(quota) / static_cast<double>(period));
    }

    CgroupPlace place_;
    std::vector<Keyed> keyed_; // cpu.stat, then memory.events
    std::vector<KernelFile> limit_;
    std::size_t cpu_limit_ = npos;
    std::vector<Number> numbers_;
    std::vector<CgroupIoFile> io_;
    std::vector<Pressure> pressure_;
};

class CgroupSource final : public Source {
public:
    explicit CgroupSource(const Roots& roots) : roots_(roots) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        found_ = cgroup_places(roots_, buffer);
        places_.clear();
        for (const CgroupPlace& place : found_)
            places_.emplace_back(place).discover(list, roots_.sys, buffer);
        if (list.size() > 0) list.add_group();
    }
    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const std::int64_t before_ns = monotonic_ns();
        for (Place& place : places_)
            place.read(reading, buffer);
        reading.stamp(0, before_ns + (monotonic_ns() - before_ns) / 2);
    }
    bool stale(Buffer& buffer) override {
        for (const Place& place : places_)
            if (place.changed()) return true;
        return found_ != cgroup_places(roots_, buffer);
    }

private:
    Roots roots_;
    std::vector<CgroupPlace> found_;
    std::vector<Place> places_;
};

} // namespace

SourcePointer make_cgroup_source(const Roots& roots) { return std::make_unique<CgroupSource>(roots); }

} // namespace assay::host
