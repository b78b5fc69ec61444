// Where plugins are looked for, in order of precedence, and which files lie there.
//
// First --plugin PATH, then ASSAY_PLUGIN_PATH (ignored where the process has more rights than its user, AT_SECURE),
// then assay's own directories. Directories are not searched recursively, and neither an empty element nor `.` is
// implied. Control thread only.
#pragma once

#include "core/base/status.hpp"
#include "core/loader/loader.hpp"

#include <string>
#include <vector>

namespace assay {

enum class Origin { option, environment, own };

struct Place {
    Origin origin = Origin::own;
    std::string path; // absolute
};

// "--plugin /x", "/y from ASSAY_PLUGIN_PATH", "/z": for messages.
std::string place_text(const Place& place);

std::vector<Place> places_of(const Loader::Options& options);

// What a place holds. `reason` is set where the place itself is unusable (missing, unreadable, writable by others); a
// missing directory of assay's own is simply empty.
struct PlaceContent {
    std::vector<std::string> files; // candidates, sorted by name
    Status reason;
};
PlaceContent look_into(const Place& place);

// Most candidates of one directory that are looked at.
inline constexpr std::size_t candidates_max = 1024;

// File name without directory and ".so".
std::string stem_of(const std::string& path);

} // namespace assay
