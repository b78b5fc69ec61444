// Bars and small charts of block characters, or of ASCII where the terminal has no others. Any thread; pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace assay::report {

// One column a value, `height` lines, the upper one first. Linear from 0 to `top` in eight steps a line: 0 is blank,
// and whatever is more shows at least the lowest step.
std::vector<std::string> chart(std::span<const double> values, int height, double top, bool utf8);

// The filled part of a bar of `width` columns, in whole columns; padded by the caller. More than 0 shows something, and
// only 1 fills it.
int bar_columns(double share, int width);
// `columns` of a bar, filled or not.
std::string bar_text(int columns, bool filled, bool utf8);

} // namespace assay::report
