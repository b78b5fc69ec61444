// Job files: sections, [global], include, comments, ${ENVIRONMENT}.
//
// A job file is what somebody else may have written: its size, the depth of includes, its lines and their length are
// bounded. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "tools/assay/dialects/fio/sections.hpp"

#include <string>
#include <string_view>

namespace assay::cli::fio {

// Reads `path` into `into`. Usage errors carry "file:line: ".
Status read_job_file(const std::string& path, Sections& into);
// The same for text that is there already; `source` is its name in messages, and includes are relative to its
// directory.
Status read_job_text(std::string_view text, const std::string& source, Sections& into);

// ${NAME} replaced by the environment's; unset is a usage error, because fio goes on with nothing in its place.
// Keywords ($jobname ..) stay.
Result<std::string> with_environment(std::string_view text);

} // namespace assay::cli::fio
