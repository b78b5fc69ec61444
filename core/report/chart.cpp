#include "core/report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace assay::report {
namespace {

constexpr int steps = 8;
constexpr std::string_view blocks[steps + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view ascii[steps + 1] = {" ", ".", ",", ":", "-", "=", "+", "*", "#"};

int level_of(double value, double top, int levels) {
    if (!(value > 0) || !(top > 0)) return 0;
    if (value >= top) return levels;
    return std::clamp(static_cast<int>(std::lround(value / top * levels)), 1, levels);
}

} // namespace

std::vector<std::string> chart(std::span<const double> values, int height, double top, bool utf8) {
    std::vector<std::string> lines(static_cast<std::size_t>(std::max(height, 0)));
    for (const double value : values) {
        const int level = level_of(value, top, height * steps);
        for (int line = 0; line < height; ++line) {
            const int below = (height - 1 - line) * steps; // what the lines below this one already show
            const auto step = static_cast<std::size_t>(std::clamp(level - below, 0, steps));
            lines[static_cast<std::size_t>(line)] += utf8 ? blocks[step] : ascii[step];
        }
    }
    return lines;
}

int bar_columns(double share, int width) {
    if (!(share > 0) || width <= 0) return 0;
    if (share >= 1) return width;
    return std::clamp(static_cast<int>(std::lround(share * width)), 1, std::max(width - 1, 1));
}

std::string bar_text(int columns, bool filled, bool utf8) {
    const std::string_view one = filled ? (utf8 ? "█" : "#") : (utf8 ? "░" : ".");
    std::string text;
    for (int at = 0; at < columns; ++at)
        text += one;
    return text;
}

} // namespace assay::report
