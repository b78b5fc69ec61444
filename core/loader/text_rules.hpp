// What text that comes from a plugin must look like before anybody prints it: there, bounded, UTF-8, and without the
// control characters that would let it rewrite a terminal. Any thread.
#pragma once

#include "core/base/status.hpp"

#include <cstddef>
#include <string_view>

namespace assay {

struct TextRule {
    std::size_t bytes_max = 0;
    bool required = false; // "" is not enough
    bool lines = false;    // may hold newlines
};

// `what` names the text in the message ("the summary"). A null pointer always fails.
Status check_text(std::string_view what, const char* text, const TextRule& rule);

// A word that users type and results are keyed by: a lower-case letter, then lower-case letters, digits, '_' or '-', up
// to 64 bytes.
Status check_name(std::string_view what, const char* text);

// Reverse DNS: letters, digits, '-', '_' in parts joined by dots, at least two parts, up to 128 bytes.
Status check_id(std::string_view what, const char* text);

} // namespace assay
