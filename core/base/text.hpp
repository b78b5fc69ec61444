// Small text helpers that every part needs for reading keys and for writing messages.
//
// ASCII only where case or space matters, whatever the locale. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Without surrounding spaces, tabs and line ends. A view into `text`.
std::string_view trim(std::string_view text);
// The pieces between `separator`s, empty ones included; one piece if there is none. Views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
std::string lower(std::string_view text);
// Dashes as underscores: the form in which keys are compared, however they were written.
std::string with_underscores(std::string_view key);

// In double quotes for a message: control characters and bytes that are not UTF-8 escaped, cut after about 80 bytes.
std::string in_quotes(std::string_view text);
// How many bytes from the start are well-formed UTF-8 without NUL (overlong forms, surrogates and values past U+10FFFF
// are not); is_utf8 if that is all of them.
std::size_t utf8_prefix(std::string_view text);
bool is_utf8(std::string_view text);
// Characters (code points) in well-formed UTF-8.
std::size_t utf8_characters(std::string_view text);

// The candidate that `word` is most likely a slip of, if any is near enough: at most a third of its characters
// inserted, left out, replaced or swapped with their neighbour.
std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean block_size?", or "" if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

} // namespace assay
