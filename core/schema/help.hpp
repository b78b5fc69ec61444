// Renders a schema: help for people, JSON for programs. Output text only; any thread.
#pragma once

#include "core/schema/schema.hpp"

#include <string>

namespace assay {

// "size (unit required, e.g. 4KiB)", "one of psync, libaio, io_uring": the form a value takes, with range and default.
std::string option_form(const OptionSpec& option);

// The options grouped by their group, wrapped to `width` columns, each with form, default, range and help.
std::string schema_help(const Schema& schema, int width);

// JSON Schema (draft 2020-12) of an `options:` map for this plugin, and the flat list of options that
// `assay plugins show NAME --json` prints under "options"; both as JSON text. Ranges of values with units are in the
// descriptions only: JSON Schema cannot compare them.
std::string schema_json_schema(const Schema& schema);
std::string schema_options_json(const Schema& schema);

} // namespace assay
