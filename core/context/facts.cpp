#include "core/context/facts.hpp"

#include "core/base/fd.hpp"
#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace assay::context {
namespace {

// Bytes of the well-formed UTF-8 character at the start of `text`; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
    for (std::size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
        if (is_utf8(text.substr(0, bytes))) return bytes;
    }
    return 0;
}

} // namespace

std::optional<std::string> read_text(const std::string& path, std::size_t max_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) return std::nullopt;
    std::string content;
    std::array<char, 16384> buffer;
    while (content.size() < max_bytes) {
        const ssize_t got = ::read(fd.get(), buffer.data(), std::min(buffer.size(), max_bytes - content.size()));
        if (got < 0) {
            if (errno == EINTR) continue;
            return std::nullopt;
        }
        if (got == 0) break;
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return std::string(trim(content));
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

std::optional<std::int64_t> read_integer(const std::string& path) {
    const std::optional<std::string> text = read_text(path, 64);
    return text ? to_integer(*text) : std::nullopt;
}

std::vector<std::string> list_directory(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string link_name(const std::string& path) {
    std::error_code error;
    return std::filesystem::read_symlink(path, error).filename().string();
}

std::vector<int> parse_cpu_list(std::string_view text) {
    constexpr std::int64_t max_cpu = 1 << 20;
    std::vector<int> cpus;
    for (const std::string_view part : split(trim(text), ',')) {
        const std::size_t dash = part.find('-');
        const std::optional<std::int64_t> first = to_integer(part.substr(0, dash));
        const std::optional<std::int64_t> last =
            dash == std::string_view::npos ? first : to_integer(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last >= max_cpu) continue;
        for (std::int64_t cpu = *first; cpu <= *last && cpus.size() < max_cpu; ++cpu)
            cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
    std::string text;
    for (std::size_t at = 0; at < cpus.size();) {
        std::size_t last = at;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
            ++last;
        if (!text.empty()) text += ',';
        text += last == at ? fmt::format("{}", cpus[at]) : fmt::format("{}-{}", cpus[at], cpus[last]);
        at = last + 1;
    }
    return text;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = character_bytes(text);
        const auto byte = static_cast<unsigned char>(text[0]);
        const bool escape = length == 0 || byte < 0x20 || byte == 0x7f;
        const std::string piece = escape ? fmt::format("\\x{:02x}", byte) : std::string(text.substr(0, length));
        if (out.size() + piece.size() > max_bytes) break;
        out += piece;
        text.remove_prefix(escape ? 1 : length);
    }
    return out;
}

void Facts::text(std::string key, std::string_view value, std::string source) {
    if (value.empty()) return;
    facts_.push_back({std::move(key), printable(value), "", std::move(source)});
}

void Facts::integer(std::string key, std::int64_t value, std::string unit, std::string source) {
    facts_.push_back({std::move(key), value, std::move(unit), std::move(source)});
}

void Facts::real(std::string key, double value, std::string unit, std::string source) {
    facts_.push_back({std::move(key), value, std::move(unit), std::move(source)});
}

void Facts::flag(std::string key, bool value, std::string source) {
    facts_.push_back({std::move(key), value, "", std::move(source)});
}

void Facts::text_file(std::string key, const std::string& path) {
    if (const std::optional<std::string> value = read_text(path)) text(std::move(key), *value, path);
}

void Facts::integer_file(std::string key, const std::string& path, std::string unit, std::int64_t scale) {
    const std::optional<std::int64_t> value = read_integer(path);
    std::int64_t scaled = 0;
    if (value && !__builtin_mul_overflow(*value, scale, &scaled))
        integer(std::move(key), scaled, std::move(unit), path);
}

void Facts::flag_file(std::string key, const std::string& path) {
    if (const std::optional<std::int64_t> value = read_integer(path)) flag(std::move(key), *value != 0, path);
}

} // namespace assay::context
