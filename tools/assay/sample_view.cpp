#include "tools/assay/sample_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include <unistd.h>

namespace assay::cli {
namespace {

using sample::Gap;
using sample::NewPoint;
using sample::SeriesSpec;

constexpr std::array<std::string_view, 1> thread_metrics = {"thread.cpu"};
constexpr std::array<std::string_view, 4> disk_metrics = {"disk.read", "disk.written", "disk.reads", "disk.writes"};
constexpr std::array<std::string_view, 2> nic_metrics = {"nic.received", "nic.sent"};
constexpr std::size_t selected_shown_max = 8;

template <std::size_t count>
std::optional<std::size_t> slot_of(const std::array<std::string_view, count>& metrics, std::string_view metric) {
    const auto found = std::find(metrics.begin(), metrics.end(), metric);
    if (found == metrics.end()) return std::nullopt;
    return static_cast<std::size_t>(found - metrics.begin());
}

// What a partition moves is in its disk's numbers too.
bool is_partition(const std::string& name) {
    if (name.find('/') != std::string::npos) return false;
    return ::access(("/sys/class/block/" + name + "/partition").c_str(), F_OK) == 0;
}

} // namespace

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }
std::string number_text(double number) { return fmt::format("{:.6g}", number); }

CpuStates SampleView::states(const Item& cpu) {
    CpuStates counted;
    for (std::size_t slot = 0; slot < cpu_metrics.size(); ++slot)
        if (cpu.has[slot]) counted.add(cpu_metrics[slot], cpu.now[slot]);
    return shares_of(counted);
}

double SampleView::busy(const Item& cpu) { return std::min(states(cpu).busy(), 1.0); }

const SampleView::Item* SampleView::busiest() const {
    const Item* top = nullptr;
    for (const Item& cpu : cpus_)
        if (cpu.fresh && (top == nullptr || busy(cpu) > busy(*top))) top = &cpu;
    return top;
}

void SampleView::learn() {
    for (std::size_t track = roles_.size(); track < timeline_.size(); ++track) {
        roles_.emplace_back();
        learn_one(track);
    }
}

void SampleView::learn_one(std::size_t track) {
    const SeriesSpec& spec = timeline_.spec(track);
    if (spec.plugin != "host") return;
    Kind kind = Kind::other;
    std::vector<Item>* items = nullptr;
    std::string name;
    std::optional<std::size_t> slot;
    if ((slot = slot_of(cpu_metrics, spec.metric))) {
        kind = Kind::cpu;
        items = &cpus_;
        name = "cpu" + std::string(spec.label("cpu"));
    } else if ((slot = slot_of(thread_metrics, spec.metric))) {
        kind = Kind::thread;
        items = &threads_;
        name = fmt::format("{}[{}]", sample::unescaped(spec.label("thread")), spec.label("tid"));
    } else if ((slot = slot_of(disk_metrics, spec.metric))) {
        kind = Kind::disk;
        items = &disks_;
        name = sample::unescaped(spec.label("device"));
        if (is_partition(name)) return;
    } else if ((slot = slot_of(nic_metrics, spec.metric))) {
        kind = Kind::nic;
        items = &nics_;
        name = sample::unescaped(spec.label("device"));
    } else {
        return;
    }
    // The series of one thing follow one another.
    auto found = std::find_if(items->rbegin(), items->rend(), [&](const Item& item) { return item.name == name; });
    if (found == items->rend()) {
        items->emplace_back().name = name;
        found = items->rbegin();
    }
    found->tracks[*slot] = track;
    found->has[*slot] = true;
    roles_[track] = {kind, static_cast<std::size_t>(items->rend() - found) - 1, *slot};
}

void SampleView::take(std::span<const NewPoint> points) {
    learn();
    for (auto* items : {&cpus_, &threads_, &disks_, &nics_}) {
        for (Item& item : *items) {
            std::fill(std::begin(item.now), std::end(item.now), 0.0);
            item.fresh = false;
        }
    }
    const std::array<std::vector<Item>*, 5> by_kind = {nullptr, &cpus_, &threads_, &disks_, &nics_};
    for (const NewPoint& each : points) {
        const Role role = roles_[each.series];
        if (role.kind == Kind::other || each.point.gap != Gap::none) continue;
        Item& item = (*by_kind[static_cast<std::size_t>(role.kind)])[role.item];
        item.now[role.slot] = each.point.value;
        item.fresh = true;
    }
}

void SampleView::note_cpus(std::int64_t from_ns, std::int64_t to_ns) {
    if (busiest() == nullptr || to_ns - from_ns < interval_ns_ / 2) return;
    double sum = 0;
    std::size_t count = 0;
    for (Item& cpu : cpus_) {
        if (!cpu.fresh) continue;
        sum += busy(cpu);
        ++count;
        if (busy(cpu) <= cpu.busy_max) continue;
        cpu.busy_max = busy(cpu);
        cpu.busy_max_ns = to_ns;
    }
    sum /= static_cast<double>(count);
    if (sum <= mean_busy_max_) return;
    mean_busy_max_ = sum;
    mean_busy_max_ns_ = to_ns;
}

std::string SampleView::line(std::span<const NewPoint> points, std::int64_t from_ns, std::int64_t to_ns) {
    take(points);
    note_cpus(from_ns, to_ns);
    ++intervals_;
    return fmt::format("{:8.1f} s{}\n", seconds(to_ns), selected_ ? selected_line(points) : machine_line());
}

std::string SampleView::machine_line() const {
    std::string text;
    auto out = std::back_inserter(text);
    if (const Item* top = busiest(); top != nullptr) {
        double sum = 0;
        double stolen = 0;
        double count = 0;
        for (const Item& cpu : cpus_) {
            if (!cpu.fresh) continue;
            sum += busy(cpu);
            stolen += states(cpu).steal;
            ++count;
        }
        fmt::format_to(out, "  cpu {}, busiest {} {}", share_text(sum / count), top->name, share_text(busy(*top)));
        const double interrupts = states(*top).irq + states(*top).softirq;
        if (busy(*top) >= 0.2 && interrupts >= busy(*top) / 2) fmt::format_to(out, " (irq {})", share_text(interrupts));
        if (stolen / count >= 0.0005) fmt::format_to(out, ", steal {}", share_text(stolen / count));
    }
    const auto top = std::max_element(threads_.begin(), threads_.end(),
                                      [](const Item& a, const Item& b) { return a.now[0] < b.now[0]; });
    if (top != threads_.end() && top->now[0] >= 0.005)
        fmt::format_to(out, "  top {} {}", top->name, share_text(top->now[0]));
    for (const Item& disk : disks_) {
        if (disk.now[2] <= 0 && disk.now[3] <= 0) continue;
        fmt::format_to(out, "  {}", disk.name);
        if (disk.now[2] > 0) fmt::format_to(out, " r {:.2f} MiB/s {:.0f}/s", disk.now[0] / 1048576, disk.now[2]);
        if (disk.now[3] > 0) fmt::format_to(out, " w {:.2f} MiB/s {:.0f}/s", disk.now[1] / 1048576, disk.now[3]);
    }
    for (const Item& nic : nics_)
        if (nic.now[0] > 0 || nic.now[1] > 0)
            fmt::format_to(out, "  {} rx {:.2f} tx {:.2f} MiB/s", nic.name, nic.now[0] / 1048576, nic.now[1] / 1048576);
    return text;
}

std::string SampleView::selected_line(std::span<const NewPoint> points) const {
    std::string text;
    std::size_t shown = 0;
    std::size_t more = 0;
    for (const NewPoint& each : points) {
        if (shown == selected_shown_max) {
            ++more;
            continue;
        }
        const SeriesSpec& spec = timeline_.spec(each.series);
        ++shown;
        if (each.point.gap == Gap::none)
            text += fmt::format("  {} {} {}", spec.name(), number_text(each.point.value), spec.rate_unit());
        else
            text += fmt::format("  {} ({})", spec.name(), sample::gap_name(each.point.gap));
    }
    if (more > 0) text += fmt::format("  and {} more", more);
    return text;
}

} // namespace assay::cli
