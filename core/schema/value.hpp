// One option's text to typed values and back; private to core/schema. Any thread; pure but for SECRET references.
#pragma once

#include "core/schema/schema.hpp"

namespace assay {

inline constexpr std::size_t kOptionTextBytesMax = 64 * 1024;
inline constexpr std::size_t kListItemsMax = 4096;

// One item of the option's type, range checked. Messages name the text and the rule, not the option.
Result<Scalar> parse_scalar(const OptionSpec& option, std::string_view text);
// The whole text: one item, or a list with or without weights.
Result<OptionValue> parse_value(const OptionSpec& option, std::string_view text);

std::string scalar_text(const OptionSpec& option, const Scalar& value);

// `env:NAME` or `file:PATH` (one trailing line end is not part of it) -> the secret. Messages never repeat what was
// given unless it is such a reference: it could be the secret itself.
Result<std::string> resolve_secret(std::string_view reference);

} // namespace assay
