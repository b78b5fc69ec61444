#include "core/base/fd.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/io.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::result {
namespace {

constexpr std::string_view result_name = "result.json";
constexpr std::string_view series_name = "series.csv";
constexpr std::string_view report_name = "report.html";

// Whatever a bundle may hold, and what write_file_atomically() leaves when the process is killed in it. A directory
// with anything else in it is not ours to write into.
bool belongs_to_a_bundle(std::string_view name) {
    for (const std::string_view ours : {result_name, series_name, report_name}) {
        if (name == ours) return true;
        if (name.substr(0, ours.size()) == ours && name.size() > 4 && name.substr(name.size() - 4) == ".tmp")
            return true;
    }
    return false;
}

// Nothing has run yet: the user named a place that cannot be used.
Status refused(const std::string& directory, std::string_view why, std::string_view advice) {
    return usage_error(fmt::format("cannot write the result to {}: {}; {}", in_quotes(directory), why, advice));
}

Status refused(const std::string& directory, int error) {
    return refused(directory, std::generic_category().message(error), "name a directory you can write to");
}

struct Contents {
    std::optional<std::string> foreign;
    std::optional<std::string> ours;
};

Contents look_into(const std::string& directory, std::error_code& error) {
    Contents found;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        (belongs_to_a_bundle(name) ? found.ours : found.foreign) = name;
    }
    return found;
}

// A result.json that is ours says so near its start; a directory with a series alone was left by a crash.
bool holds_our_result(const std::string& directory) {
    const std::string path = fmt::format("{}/{}", directory, result_name);
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return errno == ENOENT;
    std::string start(512, '\0');
    const ssize_t got = ::read(file.get(), start.data(), start.size());
    start.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return start.find("\"format_version\"") != std::string::npos && start.find("\"tool_version\"") != std::string::npos;
}

Status replace_file(const std::string& directory, std::string_view name, const std::string& content) {
    const Status written = write_file_atomically(fmt::format("{}/{}", directory, name), content);
    if (written.ok()) return written;
    return run_error(fmt::format("{}; {} bytes are needed there: make room, or name another directory with --output",
                                 written.message(), content.size()));
}

} // namespace

void BundleClaim::abandon() {
    for (const std::string& directory : made_)
        ::rmdir(directory.c_str()); // stays if somebody else has put something there
    made_.clear();
}

Result<BundleClaim> prepare_bundle(const std::string& directory, bool replace) {
    std::error_code error;
    if (std::filesystem::exists(directory, error) && !std::filesystem::is_directory(directory, error))
        return refused(directory, "it is not a directory", "name another one");
    std::vector<std::string> made;
    for (std::filesystem::path path = directory; !path.empty() && !std::filesystem::exists(path, error);
         path = path.parent_path())
        made.push_back(path.string());
    std::filesystem::create_directories(directory, error);
    if (error) return refused(directory, error.value());
    Fd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.valid()) return refused(directory, errno);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return refused(directory, "another assay is writing its result there", "name another directory");
    const Contents found = look_into(directory, error);
    if (error) return refused(directory, error.value());
    if (found.foreign)
        return refused(directory, fmt::format("it holds {}, which is no part of a result", in_quotes(*found.foreign)),
                       "name a new or empty directory");
    if (found.ours && replace && !holds_our_result(directory))
        return refused(directory, fmt::format("{} there is not a result of assay", in_quotes(*found.ours)),
                       "--replace replaces nothing else: name another directory");
    if (found.ours && !replace)
        return refused(directory, fmt::format("it holds {} of an earlier result", in_quotes(*found.ours)),
                       "name another directory, or add --replace");
    // Better to learn before the run than after it that nothing can be written. A file without a name leaves no trace;
    // file systems that do not know it are found out when the first result is written.
    const Fd probe(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (!probe.valid() && errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) return refused(directory, errno);
    return BundleClaim(std::move(lock), std::move(made));
}

Status write_bundle(const Run& run, const std::string& directory) {
    // The series first: whoever finds a new result.json finds the series that belongs to it.
    Status written = replace_file(directory, series_name, to_series_csv(run));
    if (written.ok()) written = replace_file(directory, result_name, to_json(run));
    if (!written.ok()) return written;
    std::error_code error; // a report of an earlier result would contradict the new one
    std::filesystem::remove(fmt::format("{}/{}", directory, report_name), error);
    if (error)
        return run_error(
            fmt::format("cannot remove the earlier report in {}: {}", in_quotes(directory), error.message()));
    return {};
}

} // namespace assay::result
