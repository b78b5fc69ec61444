// Every option of fio's jobs: one record each, from which the parser, its messages and docs/reference/fio.md come.
//
// Static data. Options of Debian 12's fio 3.33, and those of the engines that run here.
#pragma once

#include "core/base/status.hpp"

#include <span>
#include <string>
#include <string_view>

namespace assay::cli::fio {

enum class Type { text, boolean, toggle, integer, size, time, floats };
enum class Support {
    full,    // does what fio does, within what `here` says
    ignored, // cannot change the result here: accepted, with a note where it is given
    refused, // an error, unless the value is one of `neutral`
};

struct OptionRecord {
    std::string_view name;
    std::string_view alias; // "" where fio has none
    Type type;
    Support support;
    std::string_view neutral; // of refused options: values that ask for nothing, separated with spaces
    std::string_view here;    // what happens here; of refused options why, and what to do instead
};

std::span<const OptionRecord> option_table();

// By name or alias. Unknown: a usage error with the nearest name.
Result<const OptionRecord*> find_option(std::string_view name);

// Whether the value is one that this type has, whatever becomes of it.
Status check_type(const OptionRecord& option, std::string_view value);

// docs/reference/fio.md.
std::string option_reference();

} // namespace assay::cli::fio
