#include "core/report/text.hpp"

#include <algorithm>
#include <cstdint>

namespace assay::report {
namespace {

struct Character {
    std::uint32_t code = 0; // 0: not UTF-8
    std::size_t bytes = 1;
};

// The character at the start of a text that is not empty.
Character first_of(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
    std::uint32_t code = first & (0x7fU >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        const auto next = static_cast<unsigned char>(text[at]);
        if ((next & 0xc0U) != 0x80U) return {};
        code = (code << 6U) | (next & 0x3fU);
    }
    const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return {};
    return {code, bytes};
}

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

template <std::size_t N>
bool in(std::uint32_t code, const Range (&ranges)[N]) {
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [code](const Range& range) { return code >= range.first && code <= range.last; });
}

bool may_print(std::uint32_t code) {
    static constexpr Range refused[] = {{0, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    return !in(code, refused);
}

int columns_of(std::uint32_t code) {
    static constexpr Range none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static constexpr Range two[] = {{0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                                    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    if (in(code, none)) return 0;
    return in(code, two) ? 2 : 1;
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Character character = first_of(text);
        if (may_print(character.code))
            out += text.substr(0, character.bytes);
        else
            out += '?';
        text.remove_prefix(character.bytes);
    }
    return out;
}

int display_width(std::string_view text) {
    int width = 0;
    while (!text.empty()) {
        const Character character = first_of(text);
        width += columns_of(character.code);
        text.remove_prefix(character.bytes);
    }
    return width;
}

std::string fit(std::string_view text, int width) {
    if (display_width(text) <= width) return std::string(text);
    constexpr std::string_view dots = "...";
    const int room = width - static_cast<int>(dots.size());
    if (room <= 0) return std::string(dots.substr(0, static_cast<std::size_t>(std::max(width, 0))));
    std::size_t end = 0;
    int used = 0;
    while (end < text.size()) {
        const Character character = first_of(text.substr(end));
        if (used + columns_of(character.code) > room) break;
        used += columns_of(character.code);
        end += character.bytes;
    }
    return std::string(text.substr(0, end)) + std::string(dots);
}

std::string padded(std::string_view text, int width, Align align) {
    const std::string spaces(static_cast<std::size_t>(std::max(width - display_width(text), 0)), ' ');
    return align == Align::left ? std::string(text) + spaces : spaces + std::string(text);
}

std::vector<std::string> wrapped(std::string_view text, int width, int hanging) {
    const std::string indent(static_cast<std::size_t>(hanging), ' ');
    std::vector<std::string> lines;
    std::string line;
    bool has_word = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (has_word && display_width(line) + 1 + display_width(word) > width) {
            lines.push_back(std::move(line));
            line = indent;
            has_word = false;
        }
        if (has_word) line += ' ';
        line += word;
        has_word = true;
    }
    if (has_word) lines.push_back(std::move(line));
    return lines;
}

} // namespace assay::report
