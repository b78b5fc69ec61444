// Colours of a level, for terminals; whoever prints decides whether to use them. Any thread.
#pragma once

#include "core/result/model.hpp"

#include <string_view>

namespace assay::report {

inline constexpr std::string_view paint_end = "\033[0m";

inline std::string_view paint_of(result::Level level) {
    switch (level) {
        case result::Level::invalid:
            return "\033[1;31m";
        case result::Level::suspect:
            return "\033[1;33m";
        case result::Level::unknown:
            return "\033[36m";
        case result::Level::note:
            return "\033[34m";
        case result::Level::pass:
            break;
    }
    return "";
}

} // namespace assay::report
