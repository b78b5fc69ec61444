#include "core/report/segments.hpp"

#include "core/report/text.hpp"

#include <algorithm>

namespace assay::report {

int width_of(const Line& line) {
    int width = 0;
    for (const Segment& segment : line)
        width += display_width(segment.text);
    return width;
}

std::string text_of(const Line& line) {
    std::string text;
    for (const Segment& segment : line)
        text += segment.text;
    return text;
}

void append(Line& to, const Line& more) { to.insert(to.end(), more.begin(), more.end()); }

Line cut(const Line& line, int width) {
    if (width_of(line) <= width) return line;
    constexpr int dots = 3;
    Line out;
    int used = 0;
    for (auto segment = line.begin(); segment != line.end(); ++segment) {
        const int columns = display_width(segment->text);
        if (used + columns <= width - dots) {
            out.push_back(*segment);
            used += columns;
            continue;
        }
        // Together with the rest it is too wide for sure, so that fit() shows that something is missing.
        out.push_back({fit(text_of(Line(segment, line.end())), width - used), segment->style});
        break;
    }
    return out;
}

Line filled(Line line, int width) {
    const int missing = width - width_of(line);
    if (missing > 0) line.push_back({std::string(static_cast<std::size_t>(missing), ' ')});
    return line;
}

Line spread(const Line& left, const Line& right, int width) {
    constexpr int gap = 2;
    const int right_width = width_of(right);
    if (right_width == 0 || width_of(left) + gap + right_width > width) return cut(left, width);
    Line line = filled(left, width - right_width);
    append(line, right);
    return line;
}

Line row_of(std::vector<Field> fields, int width, int gap) {
    std::erase_if(fields, [](const Field& field) { return width_of(field.line) == 0; });
    const auto total = [&] {
        int columns = 0;
        for (const Field& field : fields)
            columns += (columns > 0 ? gap : 0) + width_of(field.line);
        return columns;
    };
    while (fields.size() > 1 && total() > width)
        fields.erase(std::min_element(fields.begin(), fields.end(),
                                      [](const Field& a, const Field& b) { return a.keep < b.keep; }));
    Line row;
    for (const Field& field : fields) {
        if (!row.empty()) row.push_back({std::string(static_cast<std::size_t>(gap), ' ')});
        append(row, field.line);
    }
    return cut(row, width);
}

} // namespace assay::report
