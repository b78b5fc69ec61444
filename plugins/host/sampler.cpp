#include "plugins/host/sampler.hpp"

#include "plugins/host/options.hpp"

#include <algorithm>
#include <ctime>

#include <fnmatch.h>

namespace assay::host {
namespace {

// The search for what is new sleeps this many times as long as it took.
constexpr std::int64_t rest_factor = 100;

std::int64_t thread_cpu_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

} // namespace

bool DeviceFilter::admits(const std::string& name) const {
    if (globs_.empty()) return true;
    return std::any_of(globs_.begin(), globs_.end(),
                       [&](const std::string& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

sdk::Status HostSampler::configure(const sdk::Values& values) {
    set_up(settings_of(values));
    return {};
}

void HostSampler::set_up(const Settings& settings) {
    parts_.clear();
    discover_every_ns_ = settings.discover_every_ns;
    const auto wants = [&](Group group) {
        return settings.groups.empty() ||
               std::find(settings.groups.begin(), settings.groups.end(), group) != settings.groups.end();
    };
    const auto add = [&](SourcePointer source) { parts_.emplace_back().source = std::move(source); };
    const Roots& roots = settings.roots;
    // What a workload moves comes first and close together in time.
    if (wants(Group::cpu)) add(make_cpu_source(roots));
    if (wants(Group::disks)) add(make_disk_source(roots, settings.devices));
    if (wants(Group::nics)) add(make_nic_source(roots, settings.devices));
    if (wants(Group::tcp)) add(make_protocol_source(roots));
    if (wants(Group::nfs)) add(make_nfs_source(roots));
    if (wants(Group::cifs)) add(make_cifs_source(roots));
    if (wants(Group::lustre)) add(make_lustre_source(roots));
    if (wants(Group::memory)) {
        add(make_memory_source(roots));
        add(make_paging_source(roots));
    }
    if (wants(Group::pressure)) add(make_pressure_source(roots));
    if (wants(Group::cgroup)) add(make_cgroup_source(roots));
    if (wants(Group::threads) && settings.threads > 0) add(make_thread_source(roots, settings.threads));
    if (wants(Group::softirqs)) add(make_softirq_source(roots));
    if (wants(Group::interrupts)) add(make_interrupt_source(roots));
    if (wants(Group::nics)) add(make_link_source(roots, settings.devices));
    if (wants(Group::ethtool)) add(make_driver_source(roots, settings.devices, make_ethtool_statistics()));
    if (wants(Group::temperature)) add(make_temperature_source(roots));
    if (wants(Group::nvme)) add(make_nvme_source(roots, settings.devices, &read_smart));
}

sdk::Status HostSampler::list(sdk::SeriesList& list) {
    std::vector<sdk::SeriesList> replaced;
    for (Part& part : parts_) {
        if (part.rediscover) {
            sdk::SeriesList fresh;
            part.source->discover(fresh, buffer_);
            replaced.push_back(std::move(part.list));
            part.list = std::move(fresh);
            part.rediscover = false;
            part.next_ns = 0;
        }
        part.first_series = list.size();
        part.first_group = list.groups();
        for (std::uint32_t group = 0; group < part.list.groups(); ++group)
            list.add_group();
        for (const assay_series& series : part.list.series())
            list.add(series, static_cast<std::uint32_t>(part.first_group) + series.group, series.labels);
    }
    replaced_ = std::move(replaced);
    changed_ = false;
    if (next_look_ns_ == 0) next_look_ns_ = monotonic_ns() + discover_every_ns_;
    return {};
}

sdk::Status HostSampler::read(const sdk::Reading& reading) {
    if (changed_) return sdk::series_changed();
    const std::int64_t now_ns = monotonic_ns();
    for (Part& part : parts_)
        if (part.list.groups() > 0) read_part(part, reading, now_ns);
    if (now_ns >= next_look_ns_) look_for_new();
    return {};
}

void HostSampler::read_part(Part& part, const sdk::Reading& reading, std::int64_t now_ns) {
    const auto mine = reading.slice(part.first_series, part.list.size(), part.first_group, part.list.groups());
    const std::int64_t period_ns = part.source->period_min_ns();
    if (period_ns == 0) return part.source->read(mine, buffer_);
    if (now_ns >= part.next_ns) {
        part.source->read(mine, buffer_);
        part.values.assign(mine.values().begin(), mine.values().end());
        part.group_ns.assign(mine.group_ns().begin(), mine.group_ns().end());
        part.next_ns = now_ns + period_ns;
    } else {
        std::copy(part.values.begin(), part.values.end(), mine.values().begin());
        std::copy(part.group_ns.begin(), part.group_ns.end(), mine.group_ns().begin());
    }
}

// The reading just made is good; it is the next that asks for the new list.
void HostSampler::look_for_new() {
    const std::int64_t before_ns = thread_cpu_ns();
    for (Part& part : parts_) {
        part.rediscover = part.source->stale(buffer_) || part.rediscover;
        changed_ = changed_ || part.rediscover;
    }
    const std::int64_t cost_ns = thread_cpu_ns() - before_ns;
    next_look_ns_ = monotonic_ns() + std::max(discover_every_ns_, cost_ns * rest_factor);
}

} // namespace assay::host
