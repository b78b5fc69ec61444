// A result in fio's words: the text that scripts written for fio read. docs/design/fio-output.md says which of fio's
// values come from what of ours and which nobody knows.
//
// Pure functions of what was asked and what came of it; any thread.
#pragma once

#include "core/result/model.hpp"
#include "tools/assay/dialects/fio/invocation.hpp"

#include <string>

namespace assay::cli::fio {

// --output-format=json, and json+ with `plus` (the histograms as bins).
std::string to_json(const Invocation& invocation, const result::Run& run, bool plus);
// --output-format=normal: what fio prints when all jobs are done.
std::string to_normal(const Invocation& invocation, const result::Run& run);
// --output-format=terse, version 3: one line an entry.
std::string to_terse(const Invocation& invocation, const result::Run& run);

} // namespace assay::cli::fio
