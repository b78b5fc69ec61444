// Text that a plugin handed over: bounded and made safe before anything else in the core sees it.
//
// A plugin's string is borrowed and unchecked; results and logs need short, valid UTF-8 on one line. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace assay {

// A copy of at most `bytes_max` bytes. NULL is empty; control characters become spaces, bytes that are not UTF-8 '?'.
std::string plugin_text(const char* text, std::size_t bytes_max);

} // namespace assay
