// The rows of each section of the live view. Any thread; pure functions.
#pragma once

#include "core/report/screen.hpp"

#include <cstddef>
#include <vector>

namespace assay::report {

inline constexpr int busiest_cores_max = 4;

// Every one is as wide as the room it was given or less; names from outside are made printable here.
class ScreenRows {
public:
    ScreenRows(const LiveView& view, int columns) : view_(view), columns_(columns) {}

    [[nodiscard]] Line title() const;
    [[nodiscard]] Line progress() const;
    [[nodiscard]] Line footer() const;
    // Of a job with `rows` rows: 1 is its rate, 2 its latency as well; then charts of rate and p99, each `chart_rows`.
    [[nodiscard]] std::vector<Line> job(std::size_t index, int rows, int charts, int chart_rows) const;
    // The busiest ones first, as many beside each other as fit.
    [[nodiscard]] std::vector<Line> cores() const;
    [[nodiscard]] std::vector<Line> devices() const;
    // Newest last.
    [[nodiscard]] std::vector<Line> finished(std::size_t rows) const;
    [[nodiscard]] std::vector<Line> notices(std::size_t rows) const;

private:
    [[nodiscard]] std::string shown(std::string_view text) const;
    [[nodiscard]] int title_width() const;
    [[nodiscard]] Line labelled(const char* label, Line content) const;
    [[nodiscard]] Line bar(double share, double marked_share, int width, Style style) const;
    [[nodiscard]] Line core(const HostGlance::Cpu& cpu, int number_width, int bar_width) const;
    [[nodiscard]] std::vector<Line> chart_of(std::size_t index, bool latency, int rows) const;

    const LiveView& view_;
    const int columns_;
};

} // namespace assay::report
