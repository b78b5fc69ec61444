#include "core/context/mounts.hpp"

#include "core/base/text.hpp"
#include "core/context/facts.hpp"

#include <algorithm>
#include <limits>

#include <sys/sysmacros.h>

namespace assay::context {
namespace {

std::optional<dev_t> parse_device(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() != 2) return std::nullopt;
    const std::optional<std::int64_t> major_number = to_integer(parts[0]);
    const std::optional<std::int64_t> minor_number = to_integer(parts[1]);
    constexpr std::int64_t max = std::numeric_limits<std::uint32_t>::max();
    if (!major_number || !minor_number || *major_number < 0 || *minor_number < 0 || *major_number > max ||
        *minor_number > max)
        return std::nullopt;
    return makedev(static_cast<unsigned>(*major_number), static_cast<unsigned>(*minor_number));
}

// id parent major:minor root mount-point options optional* - type source super-options
std::optional<Mount> parse_line(std::string_view line) {
    const std::vector<std::string_view> fields = split(line, ' ');
    if (fields.size() < 10) return std::nullopt;
    const auto separator = std::find(fields.begin() + 6, fields.end(), "-");
    if (fields.end() - separator < 4) return std::nullopt;
    const std::optional<std::int64_t> id = to_integer(fields[0]);
    const std::optional<dev_t> device = parse_device(fields[2]);
    if (!id || *id < 0 || !device) return std::nullopt;
    Mount mount;
    mount.id = static_cast<std::uint64_t>(*id);
    mount.device = *device;
    mount.root = unescape_octal(fields[3]);
    mount.mount_point = unescape_octal(fields[4]);
    mount.options = unescape_octal(fields[5]);
    mount.type = unescape_octal(separator[1]);
    mount.source = unescape_octal(separator[2]);
    mount.super_options = unescape_octal(separator[3]);
    return mount;
}

} // namespace

std::string unescape_octal(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\' && at + 3 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '3' && digit(at + 2) &&
            digit(at + 3)) {
            out += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
            at += 3;
        } else {
            out += text[at];
        }
    }
    return out;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    for (const std::string_view line : split(text, '\n')) {
        if (std::optional<Mount> mount = parse_line(line)) mounts.push_back(std::move(*mount));
    }
    return mounts;
}

std::vector<Mount> read_mounts(const std::string& root) {
    constexpr std::size_t max_bytes = 64 * 1024 * 1024; // some 400,000 mounts
    const std::optional<std::string> text = read_text(root + "/proc/self/mountinfo", max_bytes);
    return text ? parse_mountinfo(*text) : std::vector<Mount>();
}

} // namespace assay::context
