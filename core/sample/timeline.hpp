// What happened when: the points of every series, on the one clock that the load is measured by, in bounded memory.
//
// A series is known by plugin, metric and labels, so it goes on where it was after a list was replaced. Where the
// points of one series become too many, its neighbours are merged two by two: means and totals stay exact, the
// resolution halves. Totals, mean and maximum are kept beside the points and do not lose anything. One thread at a
// time.
#pragma once

#include "core/sample/history.hpp"
#include "core/sample/series.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::sample {

struct Totals {
    double total = 0;            // of a counter: growth over all, in its unit
    double sum = 0;              // of a gauge: of its values
    std::uint64_t values = 0;    // points with a value
    std::int64_t covered_ns = 0; // time that values stand for
    std::optional<Point> max_at; // the point of the largest value
    std::uint64_t gaps = 0;
    Gap last_gap = Gap::none;
};

class Timeline {
public:
    struct Limits {
        std::size_t series = series_max;
        std::size_t points = 2'000'000; // over all series
        // Shorter intervals are not considered for the maximum unless there is nothing else: a rate over a few
        // milliseconds says more about the clock ticks of the source than about the machine.
        std::int64_t max_span_min_ns = 0;
    };
    explicit Timeline(Limits limits) : limits_(limits) {}

    // Index of the series; nullopt where there are too many. A series whose unit, scale or width changed is another one
    // of the same name.
    std::optional<std::size_t> find_or_add(const SeriesSpec& spec);
    void add(std::size_t series, const Point& point);

    [[nodiscard]] std::size_t size() const { return tracks_.size(); }
    [[nodiscard]] const SeriesSpec& spec(std::size_t series) const { return tracks_[series].spec; }
    [[nodiscard]] const std::vector<Point>& points(std::size_t series) const { return tracks_[series].points; }
    [[nodiscard]] const Totals& totals(std::size_t series) const { return tracks_[series].totals; }
    // Of a counter total / covered time, of a gauge the mean of its values; nullopt without a value.
    [[nodiscard]] std::optional<double> mean(std::size_t series) const;
    // Series that were left out because there were too many.
    [[nodiscard]] std::size_t left_out() const { return left_out_; }

private:
    struct Track {
        SeriesSpec spec;
        std::vector<Point> points;
        Totals totals;
        std::size_t merged = 1; // readings in one point
        std::size_t in_last = 0;
    };
    [[nodiscard]] std::size_t points_max() const;
    void store(Track& track, const Point& point);

    const Limits limits_;
    std::vector<Track> tracks_;
    std::unordered_map<std::string, std::size_t> index_;
    std::size_t left_out_ = 0;
};

// Two neighbours in one: values weighted by the time they stand for; where one is a gap, the other.
Point merged(const SeriesSpec& spec, const Point& earlier, const Point& later);

} // namespace assay::sample
