// Samplers and the timeline they fill: one tick reads all of them once and gives the points that this made.
//
// Starts no thread: the caller ticks, from one thread, at the instants it wants (schedule.hpp). What is sampled can be
// narrowed to what a filter admits; the rest is read by the plugin but neither differenced nor kept.
#pragma once

#include "core/base/status.hpp"
#include "core/sample/history.hpp"
#include "core/sample/sampler.hpp"
#include "core/sample/timeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace assay::sample {

struct NewPoint {
    std::size_t series = 0; // in the timeline
    Point point;
};

class Collector {
public:
    using Filter = std::function<bool(const SeriesSpec&)>;

    Collector(std::vector<std::unique_ptr<Sampler>> samplers, Timeline::Limits limits, Filter filter = {});

    // Reads every sampler. Those that fail are left out of this tick, their series are absent; the first failure is
    // returned. The points are in new_points() until the next tick.
    Status tick();

    [[nodiscard]] std::span<const NewPoint> new_points() const { return new_points_; }
    [[nodiscard]] const Timeline& timeline() const { return timeline_; }
    [[nodiscard]] std::uint64_t ticks() const { return ticks_; }
    // Whether the filter admits any series that is listed now.
    [[nodiscard]] bool admits_any() const;
    // Of what the samplers list now.
    [[nodiscard]] const std::vector<std::unique_ptr<Sampler>>& samplers() const { return samplers_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    // Of one sampler: which track each of its series is.
    struct Source {
        std::uint64_t lists = 0;
        std::vector<std::size_t> tracks;
    };
    void map(const Sampler& sampler, Source& source);
    void take(const Sampler& sampler, const Source& source, std::int64_t now_ns);
    void lose(const Source& source, std::int64_t now_ns);
    void keep(std::size_t track, const std::optional<Point>& point);

    std::vector<std::unique_ptr<Sampler>> samplers_;
    std::vector<Source> sources_;
    Filter filter_;
    Timeline timeline_;
    std::vector<History> histories_; // one a track
    std::vector<NewPoint> new_points_;
    std::uint64_t ticks_ = 0;
};

} // namespace assay::sample
