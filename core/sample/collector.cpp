#include "core/sample/collector.hpp"

#include "core/base/clock.hpp"

#include <algorithm>
#include <utility>

namespace assay::sample {

Collector::Collector(std::vector<std::unique_ptr<Sampler>> samplers, Timeline::Limits limits, Filter filter)
    : samplers_(std::move(samplers)), sources_(samplers_.size()), filter_(std::move(filter)), timeline_(limits) {}

bool Collector::admits_any() const {
    if (!filter_) return true;
    return std::any_of(samplers_.begin(), samplers_.end(), [&](const auto& sampler) {
        const auto& series = sampler->table().series;
        return std::any_of(series.begin(), series.end(), filter_);
    });
}

Status Collector::tick() {
    new_points_.clear();
    ++ticks_;
    Status first;
    for (std::size_t i = 0; i < samplers_.size(); ++i) {
        Sampler& sampler = *samplers_[i];
        if (Status bad = sampler.read(); !bad.ok()) {
            if (first.ok()) first = bad;
            lose(sources_[i], monotonic_ns());
            continue;
        }
        if (sources_[i].lists != sampler.lists()) map(sampler, sources_[i]);
        take(sampler, sources_[i], monotonic_ns());
    }
    return first;
}

void Collector::map(const Sampler& sampler, Source& source) {
    std::vector<std::size_t> gone = std::exchange(source.tracks, {});
    for (const SeriesSpec& spec : sampler.table().series) {
        const bool wanted = !spec.duplicate && (!filter_ || filter_(spec));
        source.tracks.push_back(wanted ? timeline_.find_or_add(spec).value_or(none) : none);
    }
    histories_.resize(timeline_.size());
    std::vector<bool> listed(timeline_.size(), false);
    for (const std::size_t track : source.tracks)
        if (track != none) listed[track] = true;
    for (const std::size_t track : gone)
        if (track != none && !listed[track]) histories_[track].forget();
    source.lists = sampler.lists();
}

void Collector::take(const Sampler& sampler, const Source& source, std::int64_t now_ns) {
    const std::vector<SeriesSpec>& series = sampler.table().series;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const std::size_t track = source.tracks[i];
        if (track == none) continue;
        keep(track, histories_[track].add(series[i], sampler.values()[i], sampler.group_ns()[series[i].group], now_ns));
    }
}

void Collector::lose(const Source& source, std::int64_t now_ns) {
    for (const std::size_t track : source.tracks)
        if (track != none) keep(track, histories_[track].add(timeline_.spec(track), {}, 0, now_ns));
}

void Collector::keep(std::size_t track, const std::optional<Point>& point) {
    if (!point) return;
    timeline_.add(track, *point);
    new_points_.push_back({track, *point});
}

} // namespace assay::sample
