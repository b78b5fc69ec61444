#include "tools/assay/dialects/fio/job_file.hpp"

#include "core/base/file.hpp"
#include "core/base/text.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace assay::cli::fio {
namespace {

constexpr std::size_t file_bytes_max = 4U << 20;
constexpr std::size_t line_bytes_max = 16'384;
constexpr int include_depth_max = 16;
constexpr std::size_t files_max = 256; // included, over all: a file that includes another twice, and so on

class JobFileReader {
public:
    explicit JobFileReader(Sections& into) : into_(into) {}

    Status file(const std::string& path, int depth) {
        if (++files_ > files_max) return usage_error(fmt::format("more than {} files are included", files_max));
        Result<std::string> text = read_text_file(path, file_bytes_max);
        if (!text) return text.status().wrap("job file");
        return lines(*text, path, depth);
    }

    Status lines(std::string_view text, const std::string& source, int depth) {
        std::size_t number = 0;
        for (const std::string_view one : split(text, '\n')) {
            ++number;
            if (Status status = line(one, source, number, depth); !status.ok()) {
                return located_ ? status : located(std::move(status), source, number);
            }
        }
        return {};
    }

private:
    // The innermost file's position is the one that helps.
    Status located(Status status, const std::string& source, std::size_t number) {
        located_ = true;
        return status.wrap(fmt::format("{}:{}", source, number));
    }

    Status line(std::string_view text, const std::string& source, std::size_t number, int depth) {
        if (text.size() > line_bytes_max)
            return usage_error(fmt::format("the line is longer than {} bytes", line_bytes_max));
        // As in fio, a comment may also follow a value.
        text = trim(text.substr(0, text.find_first_of(";#")));
        if (text.empty()) return {};
        if (text.front() == '[') return header(text, fmt::format("{}:{}", source, number));
        const std::string_view word = text.substr(0, text.find_first_of(" \t"));
        if (word == "include" && word.size() < text.size())
            return include(trim(text.substr(word.size())), source, depth);
        if (!began_) return usage_error(fmt::format("{} comes before any [section]", in_quotes(text)));
        return option(text);
    }

    Status header(std::string_view text, std::string origin) {
        if (text.back() != ']') return usage_error(fmt::format("{} does not end with ]", in_quotes(text)));
        const std::string name(text.substr(1, text.size() - 2));
        began_ = true;
        if (lower(name) != "global") return into_.begin(name, std::move(origin));
        into_.begin_global();
        return {};
    }

    Status include(std::string_view name, const std::string& source, int depth) {
        if (depth == include_depth_max)
            return usage_error(fmt::format("includes are nested deeper than {}", include_depth_max));
        std::string path(name);
        const std::size_t slash = source.rfind('/');
        if (path.front() != '/' && slash != std::string::npos) path = source.substr(0, slash + 1) + path;
        return file(path, depth + 1);
    }

    Status option(std::string_view text) {
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
        if (name != trim(name) || value != trim(value))
            return usage_error(fmt::format("{}: fio misreads values with a space beside the '='; write {}={}",
                                           in_quotes(text), trim(name), trim(value)));
        const Result<std::string> expanded = with_environment(value);
        if (!expanded) return expanded.status().wrap(name);
        return into_.set(name, *expanded);
    }

    Sections& into_;
    bool began_ = false;
    bool located_ = false;
    std::size_t files_ = 0;
};

} // namespace

Status read_job_file(const std::string& path, Sections& into) { return JobFileReader(into).file(path, 0); }

Status read_job_text(std::string_view text, const std::string& source, Sections& into) {
    return JobFileReader(into).lines(text, source, 0);
}

Result<std::string> with_environment(std::string_view text) {
    std::string result;
    while (true) {
        const std::size_t begin = text.find("${");
        result += text.substr(0, begin);
        if (begin == std::string_view::npos) return result;
        const std::size_t end = text.find('}', begin);
        if (end == std::string_view::npos) return usage_error(fmt::format("{} has no closing }}", in_quotes(text)));
        const std::string name(text.substr(begin + 2, end - begin - 2));
        const char* value = std::getenv(name.c_str());
        if (value == nullptr)
            return usage_error(
                fmt::format("the environment has no {}: set it, if need be to an empty text", in_quotes(name)));
        result += value;
        if (result.size() > line_bytes_max)
            return usage_error(fmt::format("with the environment the value is longer than {} bytes", line_bytes_max));
        text.remove_prefix(end + 1);
    }
}

} // namespace assay::cli::fio
