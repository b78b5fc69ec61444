// Lines of styled text, measured in the columns of a terminal: what a screen is made of before anything paints it.
// Any thread; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

enum class Style : std::uint8_t { plain, faint, strong, title, rate, latency, load, softirq, suspect, invalid };

struct Segment {
    std::string text; // printable
    Style style = Style::plain;
};
using Line = std::vector<Segment>;

int width_of(const Line& line);
std::string text_of(const Line& line);
void append(Line& to, const Line& more);

// At most `width` columns, the end cut and shown by "..." if need be.
Line cut(const Line& line, int width);
// Filled with spaces to `width` columns; unchanged if it is wider.
Line filled(Line line, int width);
// Left and right aligned on one line; where they do not fit beside each other, the right part is left out.
Line spread(const Line& left, const Line& right, int width);

struct Field {
    Line line;
    int keep = 0; // the least goes first where there is no room
};
// Fields side by side, `gap` spaces between them, at most `width` columns.
Line row_of(std::vector<Field> fields, int width, int gap);

} // namespace assay::report
