#include "core/sample/timeline.hpp"

#include <algorithm>

namespace assay::sample {
namespace {

constexpr std::size_t points_a_series_min = 16;
constexpr double ns_per_s = 1e9;

double span_ns(const Point& point) { return static_cast<double>(point.end_ns - point.start_ns); }

} // namespace

Point merged(const SeriesSpec& spec, const Point& earlier, const Point& later) {
    if (earlier.gap != Gap::none && later.gap != Gap::none) return {earlier.start_ns, later.end_ns, 0, 0, later.gap};
    if (earlier.gap != Gap::none) return later;
    if (later.gap != Gap::none) return earlier;
    Point both{earlier.start_ns, later.end_ns, 0, earlier.growth + later.growth, Gap::none};
    const double whole_ns = span_ns(earlier) + span_ns(later);
    if (spec.counter && whole_ns > 0)
        both.value = both.growth / (whole_ns / ns_per_s);
    else if (whole_ns > 0)
        both.value = (earlier.value * span_ns(earlier) + later.value * span_ns(later)) / whole_ns;
    else
        both.value = (earlier.value + later.value) / 2;
    return both;
}

std::optional<std::size_t> Timeline::find_or_add(const SeriesSpec& spec) {
    std::string key = spec.plugin + '\n' + spec.name();
    for (int other = 2;; ++other) {
        const auto known = index_.find(key);
        if (known == index_.end()) break;
        if (tracks_[known->second].spec.same_shape(spec)) return known->second;
        key = spec.plugin + '\n' + spec.name() + '\n' + std::to_string(other);
    }
    if (tracks_.size() >= limits_.series) {
        ++left_out_;
        return std::nullopt;
    }
    tracks_.push_back({spec, {}, {}});
    index_.emplace(std::move(key), tracks_.size() - 1);
    return tracks_.size() - 1;
}

std::size_t Timeline::points_max() const {
    return std::max(points_a_series_min, limits_.points / std::max<std::size_t>(1, tracks_.size()));
}

void Timeline::store(Track& track, const Point& point) {
    if (track.in_last > 0 && track.in_last < track.merged) {
        track.points.back() = merged(track.spec, track.points.back(), point);
        ++track.in_last;
        return;
    }
    if (track.points.size() >= points_max()) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < track.points.size(); i += 2)
            track.points[kept++] = i + 1 < track.points.size()
                                       ? merged(track.spec, track.points[i], track.points[i + 1])
                                       : track.points[i];
        track.points.resize(kept);
        track.merged *= 2;
    }
    track.points.push_back(point);
    track.in_last = 1;
}

void Timeline::add(std::size_t series, const Point& point) {
    Track& track = tracks_[series];
    Totals& totals = track.totals;
    store(track, point);
    if (point.gap != Gap::none) {
        ++totals.gaps;
        totals.last_gap = point.gap;
        return;
    }
    ++totals.values;
    totals.total += point.growth;
    totals.sum += point.value;
    totals.covered_ns += point.end_ns - point.start_ns;
    const auto long_enough = [&](const Point& each) {
        return !track.spec.counter || each.end_ns - each.start_ns >= limits_.max_span_min_ns;
    };
    const bool better =
        !totals.max_at ||
        (long_enough(point) == long_enough(*totals.max_at) ? point.value > totals.max_at->value : long_enough(point));
    if (better) totals.max_at = point;
}

std::optional<double> Timeline::mean(std::size_t series) const {
    const Track& track = tracks_[series];
    const Totals& totals = track.totals;
    if (totals.values == 0) return std::nullopt;
    if (!track.spec.counter) return totals.sum / static_cast<double>(totals.values);
    return totals.total / (static_cast<double>(totals.covered_ns) / ns_per_s);
}

} // namespace assay::sample
