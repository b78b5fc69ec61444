#include "core/result/io/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace assay::result {
namespace {

// Length of the valid UTF-8 sequence at the start of `text` (RFC 3629: no overlong forms, no surrogates), 0 if none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
    const auto continues = [&](std::size_t at) { return (byte(at) & 0xc0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
        return continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
        return continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

} // namespace

void JsonWriter::new_line() {
    out_ += '\n';
    out_.append(levels_.size(), ' ');
}

void JsonWriter::before_value() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.empty) out_ += level.compact ? ", " : ",";
    if (!level.compact) new_line();
    level.empty = false;
}

void JsonWriter::key(std::string_view name) {
    before_value();
    quoted(name);
    out_ += ": ";
    after_key_ = true;
}

void JsonWriter::open(char bracket, Layout layout) {
    before_value();
    out_ += bracket;
    const bool compact = layout == Layout::compact || (!levels_.empty() && levels_.back().compact);
    levels_.push_back({compact, true});
}

void JsonWriter::close(char bracket) {
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty && !level.compact) new_line();
    out_ += bracket;
}

void JsonWriter::scalar(std::string_view text) {
    before_value();
    out_ += text;
}

void JsonWriter::text(std::string_view value) {
    before_value();
    quoted(value);
}

void JsonWriter::real(double value) {
    if (!std::isfinite(value)) {
        begin_object(Layout::compact);
        key("non_finite");
        text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        end_object();
        return;
    }
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    std::string number(digits.data(), end);
    if (number.find_first_of(".e") == std::string::npos) number += ".0";
    scalar(number);
}

void JsonWriter::quoted(std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    out_ += '"';
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        if (length == 0) {
            out_ += "\\ufffd";
        } else if (first == '"' || first == '\\') {
            out_ += '\\';
            out_ += text[0];
        } else if (first == '\n') {
            out_ += "\\n";
        } else if (first == '\t') {
            out_ += "\\t";
        } else if (first < 0x20 || first == 0x7f) {
            out_ += "\\u00";
            out_ += hex[first >> 4U];
            out_ += hex[first & 0xfU];
        } else {
            out_ += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out_ += '"';
}

} // namespace assay::result
