#include "plugins/host/labels.hpp"

namespace assay::host {
namespace {

constexpr char hex[] = "0123456789ABCDEF";

bool is_octal(char c) { return c >= '0' && c <= '7'; }

} // namespace

std::string escaped(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != ',' && c != '=' && c != '%') {
            out += c;
        } else {
            out += '%';
            out += hex[byte >> 4];
            out += hex[byte & 0xf];
        }
    }
    return out;
}

std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
    std::string out;
    for (const auto& [key, value] : pairs) {
        if (value.empty()) continue;
        if (!out.empty()) out += ',';
        out += key;
        out += '=';
        out += escaped(value);
    }
    return out;
}

std::string without_octal_escapes(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool escape = text[at] == '\\' && at + 3 < text.size() && is_octal(text[at + 1]) &&
                            is_octal(text[at + 2]) && is_octal(text[at + 3]) && text[at + 1] < '4';
        if (!escape) {
            out += text[at];
            continue;
        }
        out += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
        at += 3;
    }
    return out;
}

} // namespace assay::host
