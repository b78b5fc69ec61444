// Text for a terminal of a given width: what may be printed, how wide it is, and fitting it in.
//
// Names in a result come from files, networks and plugins; nothing of them may move the cursor or change colours. Any
// thread; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

// Control characters, bidirectional overrides and bytes that are not UTF-8 become '?', one for each.
std::string printable(std::string_view text);

// Columns that printable UTF-8 takes: combining characters none, East Asian wide ones and emoji two.
int display_width(std::string_view text);

// At most `width` columns, the end cut and shown by "..." if need be.
std::string fit(std::string_view text, int width);

enum class Align { left, right };
std::string padded(std::string_view text, int width, Align align);

// Lines of at most `width` columns, broken at spaces; lines after the first start with `hanging` spaces. A word longer
// than a line gets a line of its own.
std::vector<std::string> wrapped(std::string_view text, int width, int hanging);

} // namespace assay::report
