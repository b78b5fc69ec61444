#include "core/loader/text_rules.hpp"

#include "core/base/text.hpp"

#include <cstring>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::size_t name_bytes_max = 64;
constexpr std::size_t id_bytes_max = 128;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Position of the first U+0000..U+001F, U+007F or U+0080..U+009F in well-formed UTF-8.
std::size_t control_at(std::string_view text, bool lines) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool c0 = (byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7f;
        const bool c1 = byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (c0 || c1) return i;
    }
    return std::string_view::npos;
}

} // namespace

Status check_text(std::string_view what, const char* text, const TextRule& rule) {
    if (text == nullptr) return usage_error(fmt::format("{} is a null pointer", what));
    const std::size_t length = ::strnlen(text, rule.bytes_max + 1);
    if (length > rule.bytes_max) return usage_error(fmt::format("{} is longer than {} bytes", what, rule.bytes_max));
    if (length == 0 && rule.required) return usage_error(fmt::format("{} is empty", what));
    const std::string_view all(text, length);
    if (!is_utf8(all)) return usage_error(fmt::format("{} is not UTF-8: {}", what, in_quotes(all)));
    if (const std::size_t at = control_at(all, rule.lines); at != std::string_view::npos)
        return usage_error(fmt::format("{} has a control character at byte {}: {}", what, at, in_quotes(all)));
    return {};
}

Status check_name(std::string_view what, const char* text) {
    if (Status bad = check_text(what, text, {name_bytes_max, true, false}); !bad.ok()) return bad;
    bool good = is_lower(text[0]);
    for (const char* c = text; *c != '\0'; ++c)
        good = good && (is_lower(*c) || is_digit(*c) || *c == '_' || *c == '-');
    if (good) return {};
    return usage_error(fmt::format(
        "{} is '{}', which must be a lower-case letter, then lower-case letters, digits, '_' or '-'", what, text));
}

Status check_id(std::string_view what, const char* text) {
    if (Status bad = check_text(what, text, {id_bytes_max, true, false}); !bad.ok()) return bad;
    bool good = true;
    std::size_t parts = 1;
    char before = '.';
    for (const char* c = text; *c != '\0'; before = *c++) {
        const bool letter = is_lower(*c) || (*c >= 'A' && *c <= 'Z') || is_digit(*c) || *c == '-' || *c == '_';
        good = good && (letter || (*c == '.' && before != '.'));
        parts += *c == '.' ? 1 : 0;
    }
    if (good && before != '.' && parts >= 2) return {};
    return usage_error(fmt::format("{} is '{}', which must be reverse DNS such as 'org.example.disk'", what, text));
}

} // namespace assay
