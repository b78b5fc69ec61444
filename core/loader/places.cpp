#include "core/loader/places.hpp"

#include "core/loader/vet.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/auxv.h>

namespace assay {
namespace {

constexpr std::string_view suffix = ".so";
constexpr const char* variable = "ASSAY_PLUGIN_PATH";

std::string absolute(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
}

void add_environment(std::vector<Place>& places) {
    if (::getauxval(AT_SECURE) != 0) return;
    const char* value = std::getenv(variable);
    if (value == nullptr) return;
    std::string_view rest(value);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) places.push_back({Origin::environment, std::string(rest.substr(0, end))});
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

bool is_candidate(const std::filesystem::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return name.size() > suffix.size() && name.ends_with(suffix) && name.front() != '.';
}

PlaceContent look_into_directory(const Place& place) {
    PlaceContent content;
    std::error_code error;
    for (std::filesystem::directory_iterator at(place.path, error), end; !error && at != end; at.increment(error)) {
        if (!is_candidate(*at)) continue;
        if (content.files.size() == candidates_max) {
            content.reason = usage_error(fmt::format(
                "{}: holds more than {} files named *.so, and none of them is looked at", place.path, candidates_max));
            content.files.clear();
            return content;
        }
        content.files.push_back(at->path().string());
    }
    if (error) content.reason = usage_error(fmt::format("{}: cannot be listed: {}", place.path, error.message()));
    std::sort(content.files.begin(), content.files.end());
    // One message for the directory instead of one for each file in it.
    if (Status bad = vet_directory(place.path); !bad.ok() && !content.files.empty()) {
        content.reason = bad;
        content.files.clear();
    }
    return content;
}

} // namespace

std::string place_text(const Place& place) {
    if (place.origin == Origin::option) return "--plugin " + place.path;
    if (place.origin == Origin::environment) return fmt::format("{} from {}", place.path, variable);
    return place.path;
}

std::vector<Place> places_of(const Loader::Options& options) {
    std::vector<Place> places;
    for (const std::string& path : options.plugin_paths)
        places.push_back({Origin::option, absolute(path)});
    if (options.use_environment) add_environment(places);
    for (const std::string& path : options.directories)
        places.push_back({Origin::own, absolute(path)});
    return places;
}

PlaceContent look_into(const Place& place) {
    PlaceContent content;
    if (place.origin == Origin::environment && place.path.front() != '/') {
        content.reason = usage_error(
            fmt::format("{}: is relative, and {} takes absolute paths only: write it from / on", place.path, variable));
        return content;
    }
    std::error_code error;
    const auto type = std::filesystem::status(place.path, error).type();
    if (type == std::filesystem::file_type::directory) return look_into_directory(place);
    // A single file; what is wrong with it, its absence included, is found when it is vetted.
    if (place.origin != Origin::own) content.files.push_back(place.path);
    return content;
}

std::string stem_of(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    return name;
}

std::vector<std::string> default_plugin_directories() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const std::filesystem::path root = program.parent_path().parent_path();
    std::vector<std::string> directories{(root / "plugins").string()};
    for (const char* library_directory : {ASSAY_LIBRARY_DIRECTORY, "lib", "lib64"}) {
        const std::string directory = (root / library_directory / "assay" / "0").string();
        if (std::find(directories.begin(), directories.end(), directory) == directories.end())
            directories.push_back(directory);
    }
    return directories;
}

} // namespace assay
