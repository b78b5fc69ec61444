#include "core/record/plugin_text.hpp"

#include "core/base/text.hpp"

#include <string_view>

#include <cstring>

namespace assay {
namespace {

constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// So that a cut between the bytes of one character leaves no half of it.
std::size_t whole_characters(const char* text, std::size_t bytes) {
    std::size_t end = bytes;
    while (end > 0 && bytes - end < 3 && is_continuation(text[end]))
        --end;
    return end;
}

} // namespace

std::string plugin_text(const char* text, std::size_t bytes_max) {
    if (text == nullptr) return {};
    std::size_t bytes = strnlen(text, bytes_max);
    if (bytes == bytes_max) bytes = whole_characters(text, bytes);
    std::string copy(text, bytes);
    for (char& byte : copy) {
        const auto code = static_cast<unsigned char>(byte);
        if (code < 0x20 || code == 0x7f) byte = ' ';
    }
    if (is_utf8(copy)) return copy;
    for (char& byte : copy) {
        if (static_cast<unsigned char>(byte) >= 0x80) byte = '?';
    }
    return copy;
}

} // namespace assay
