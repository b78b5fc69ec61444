// The summary at the end of `assay sample`.
#include "core/base/units.hpp"
#include "tools/assay/sample_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {
namespace {

using sample::Gap;
using sample::SeriesSpec;
using sample::Totals;

constexpr double cpu_sampled_s_min = 0.05;
constexpr std::size_t gaps_shown_max = 5;
constexpr std::size_t threads_shown_max = 3;

} // namespace

double SampleView::mean(const Item& item, std::size_t slot) const {
    return item.has[slot] ? timeline_.mean(item.tracks[slot]).value_or(0) : 0;
}

CpuStates SampleView::mean_states(const Item& cpu) const {
    CpuStates counted;
    for (std::size_t slot = 0; slot < cpu_metrics.size(); ++slot)
        if (cpu.has[slot]) counted.add(cpu_metrics[slot], mean(cpu, slot));
    return shares_of(counted);
}

std::string SampleView::cpu_summary(double sampled_s) const {
    const Item* top = nullptr;
    double top_mean = -1;
    double sum = 0;
    double stolen = 0;
    for (const Item& cpu : cpus_) {
        const CpuStates shares = mean_states(cpu);
        const double busy = std::min(shares.busy(), 1.0);
        sum += busy;
        stolen += shares.steal;
        if (busy > top_mean) {
            top_mean = busy;
            top = &cpu;
        }
    }
    if (top == nullptr) return {};
    if (sampled_s < cpu_sampled_s_min)
        return "CPU      sampled too shortly: the kernel counts its time in ticks of 10 ms\n";
    const auto count = static_cast<double>(cpus_.size());
    std::string text = fmt::format("CPU      mean {}", share_text(sum / count));
    if (mean_busy_max_ns_ != 0)
        text += fmt::format(", max {} at {:.1f} s", share_text(mean_busy_max_), seconds(mean_busy_max_ns_));
    if (stolen / count >= 0.0005) text += fmt::format(", steal {}", share_text(stolen / count));
    text += fmt::format("; busiest core {}: mean {}", top->name, share_text(top_mean));
    if (top->busy_max_ns != 0)
        text += fmt::format(", max {} at {:.1f} s", share_text(top->busy_max), seconds(top->busy_max_ns));
    return text + '\n';
}

std::string SampleView::thread_summary() const {
    std::vector<const Item*> order;
    for (const Item& thread : threads_)
        order.push_back(&thread);
    const auto used = [&](const Item* item) { return timeline_.totals(item->tracks[0]).total; };
    std::sort(order.begin(), order.end(), [&](const Item* a, const Item* b) { return used(a) > used(b); });
    std::string text;
    if (order.size() > threads_shown_max) order.resize(threads_shown_max);
    for (const Item* thread : order) {
        if (used(thread) < 0.01) break;
        text += fmt::format("Thread   {}: {:.2f} s of CPU, mean {} while it was watched\n", thread->name, used(thread),
                            share_text(mean(*thread, 0)));
    }
    return text;
}

std::string SampleView::transfer_summary(const Item& item, Kind kind) const {
    const bool disk = kind == Kind::disk;
    std::string text;
    for (std::size_t slot = 0; slot < 2; ++slot) {
        if (!item.has[slot]) continue;
        const Totals& totals = timeline_.totals(item.tracks[slot]);
        if (totals.total <= 0) continue;
        const char* what = disk ? (slot == 0 ? "read" : "written") : (slot == 0 ? "received" : "sent");
        text += fmt::format("{} {} {} ({}), mean {}, max {}", text.empty() ? "" : ";", what, binary_bytes(totals.total),
                            decimal_bytes(totals.total), binary_rate(mean(item, slot)),
                            binary_rate(totals.max_at ? totals.max_at->value : 0));
        if (disk) text += fmt::format(", mean {:.0f} IOPS", mean(item, slot + 2));
    }
    if (text.empty()) return text;
    return fmt::format("{:<8} {}:{}\n", disk ? "Disk" : "NIC", item.name, text);
}

std::string SampleView::selected_summary() const {
    std::string text = fmt::format("{:<48} {:<12} {:>14} {:>14} {:>16}\n", "series", "unit", "mean", "max", "total");
    for (std::size_t track = 0; track < timeline_.size(); ++track) {
        const auto mean = timeline_.mean(track);
        if (!mean) continue;
        const SeriesSpec& spec = timeline_.spec(track);
        const Totals& totals = timeline_.totals(track);
        text += fmt::format("{:<48} {:<12} {:>14} {:>14} {:>16}\n", spec.name(), spec.rate_unit(), number_text(*mean),
                            totals.max_at ? number_text(totals.max_at->value) : "",
                            spec.counter ? number_text(totals.total) + ' ' + spec.unit : "");
    }
    return text;
}

std::string SampleView::gap_summary() const {
    std::string text;
    std::size_t shown = 0;
    std::size_t more = 0;
    for (std::size_t track = 0; track < timeline_.size(); ++track) {
        const Totals& totals = timeline_.totals(track);
        // That a thread ended or a device went is nothing wrong with the numbers.
        if (totals.gaps == 0 || totals.last_gap == Gap::absent) continue;
        if (++shown > gaps_shown_max) {
            ++more;
            continue;
        }
        text += fmt::format("Gap      {}: {} interval{} without a rate, the last because of: {}\n",
                            timeline_.spec(track).name(), totals.gaps, totals.gaps == 1 ? "" : "s",
                            sample::gap_name(totals.last_gap));
    }
    if (more > 0) text += fmt::format("Gap      and {} more series\n", more);
    return text;
}

std::string SampleView::summary(std::int64_t end_ns, std::uint64_t missed, double cpu_s) const {
    const double wall_s = std::max(1e-9, seconds(end_ns));
    std::string text = fmt::format("Sampled {:.1f} s every {}: {} interval{}", wall_s,
                                   exact_duration_text(interval_ns_), intervals_, intervals_ == 1 ? "" : "s");
    if (missed > 0) text += fmt::format(", {} missed", missed);
    text += fmt::format("; sampling used {:.2f} s of CPU ({} of one)\n", cpu_s, share_text(cpu_s / wall_s));
    if (timeline_.left_out() > 0)
        text += fmt::format("Left out: {} series beyond the limit of {}\n", timeline_.left_out(), sample::series_max);
    if (selected_) return text + selected_summary() + gap_summary();
    text += cpu_summary(wall_s) + thread_summary();
    for (const Item& disk : disks_)
        text += transfer_summary(disk, Kind::disk);
    for (const Item& nic : nics_)
        text += transfer_summary(nic, Kind::nic);
    return text + gap_summary();
}

} // namespace assay::cli
