// Samples for people: one compact line an interval, and the summary at the end.
//
// Knows the metrics that every machine has (CPUs, threads, disks, network interfaces) by name; where the user selected
// series, shows those as they are instead. CPU busy is user, nice, system, irq and softirq time, without iowait
// (cpu_share.hpp), and the busiest core is named beside the mean. Control thread.
#pragma once

#include "core/base/cpu_share.hpp"
#include "core/sample/collector.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

std::string share_text(double share);   // 0.125 -> "12.5 %"
std::string number_text(double number); // six digits at most

class SampleView {
public:
    SampleView(const sample::Timeline& timeline, std::int64_t start_ns, std::int64_t interval_ns, bool selected)
        : timeline_(timeline), start_ns_(start_ns), interval_ns_(interval_ns), selected_(selected) {}

    // Takes the points of an interval in, and returns its line.
    std::string line(std::span<const sample::NewPoint> points, std::int64_t from_ns, std::int64_t to_ns);
    // Several lines. `cpu_s` is what the sampling itself used.
    [[nodiscard]] std::string summary(std::int64_t end_ns, std::uint64_t missed, double cpu_s) const;

private:
    enum class Kind : std::uint8_t { other, cpu, thread, disk, nic };
    // What one track is: a slot of one item, for example the read bytes of vda.
    struct Role {
        Kind kind = Kind::other;
        std::size_t item = 0;
        std::size_t slot = 0;
    };
    // A disk has read and written bytes, then reads and writes.
    static constexpr std::array<std::string_view, 8> cpu_metrics = {
        "cpu.user", "cpu.nice", "cpu.system", "cpu.irq", "cpu.softirq", "cpu.steal", "cpu.idle", "cpu.iowait"};
    static constexpr std::size_t slots = cpu_metrics.size();
    struct Item {
        std::string name;
        std::size_t tracks[slots] = {};
        bool has[slots] = {};
        double now[slots] = {}; // this interval
        bool fresh = false;
        double busy_max = 0; // CPUs only
        std::int64_t busy_max_ns = 0;
    };

    static CpuStates states(const Item& cpu);  // shares of this interval
    static double busy(const Item& cpu);       // the same
    [[nodiscard]] const Item* busiest() const; // null: no CPU was read
    void learn();
    void learn_one(std::size_t track);
    void take(std::span<const sample::NewPoint> points);
    void note_cpus(std::int64_t from_ns, std::int64_t to_ns);
    [[nodiscard]] std::string machine_line() const;
    [[nodiscard]] std::string selected_line(std::span<const sample::NewPoint> points) const;
    [[nodiscard]] std::string cpu_summary(double sampled_s) const;
    [[nodiscard]] std::string thread_summary() const;
    [[nodiscard]] std::string transfer_summary(const Item& item, Kind kind) const;
    [[nodiscard]] std::string selected_summary() const;
    [[nodiscard]] std::string gap_summary() const;
    [[nodiscard]] CpuStates mean_states(const Item& cpu) const;
    [[nodiscard]] double mean(const Item& item, std::size_t slot) const;
    [[nodiscard]] double seconds(std::int64_t instant_ns) const {
        return static_cast<double>(instant_ns - start_ns_) * 1e-9;
    }

    const sample::Timeline& timeline_;
    const std::int64_t start_ns_;
    const std::int64_t interval_ns_;
    const bool selected_;
    std::vector<Role> roles_; // one a track
    std::vector<Item> cpus_, threads_, disks_, nics_;
    double mean_busy_max_ = 0; // over all CPUs, of one interval
    std::int64_t mean_busy_max_ns_ = 0;
    std::uint64_t intervals_ = 0;
};

} // namespace assay::cli
