#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace assay {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kQuotedBytesMax = 80;
constexpr std::size_t kMatchedBytesMax = 64; // keys are shorter; keeps the distance's cost bounded

// Bytes of the well-formed character at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool past_end = first == 0xF4 && second > 0x8F;
    return overlong || surrogate || past_end ? 0 : length;
}

// Optimal string alignment distance (Damerau-Levenshtein in which no substring is edited twice).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::string normalised(std::string_view word) { return with_underscores(lower(word)); }

} // namespace

std::string with_underscores(std::string_view key) {
    std::string result(key);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

std::string_view trim(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const std::size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return pieces;
        text.remove_prefix(end + 1);
    }
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
    return fmt::format("{}", fmt::join(pieces, separator));
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        if (result.size() > kQuotedBytesMax) return result + "...\"";
        const auto first = static_cast<unsigned char>(text[0]);
        const std::size_t length = utf8_length(text);
        if (first == '\n') {
            result += "\\n";
        } else if (length == 0 || first < 0x20 || first == 0x7F) {
            result += fmt::format("\\x{:02x}", first);
        } else {
            if (first == '"' || first == '\\') result += '\\';
            result += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result + '"';
}

std::size_t utf8_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && text[at] != '\0') {
        const std::size_t length = utf8_length(text.substr(at));
        if (length == 0) break;
        at += length;
    }
    return at;
}

bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

std::size_t utf8_characters(std::string_view text) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.empty() || word.size() > kMatchedBytesMax) return std::nullopt;
    const std::string wanted = normalised(word);
    std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > kMatchedBytesMax) continue;
        const std::size_t distance = edit_distance(wanted, normalised(candidate));
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::optional<std::string> match = closest_match(word, candidates);
    return match ? fmt::format("; did you mean {}?", *match) : std::string();
}

} // namespace assay
