// The verbs of `assay`, and how each ends: with an exit code, after at most one "assay: ..." line on stderr.
//
//   0 fine · 1 expectation missed · 2 usage · 3 run failed · 4 suspect with --strict · 5 invalid · 128+N ended by
//   signal N
#pragma once

#include "core/base/status.hpp"

#include <string>
#include <vector>

namespace assay::cli {

using Arguments = std::vector<std::string>; // after the verb

int run_command(const Arguments& arguments, const std::vector<std::string>& command_line);
int sample_command(const Arguments& arguments);
int plugins_command(const Arguments& arguments);
int checks_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
// `as_fio`: called through a link named fio, so it exits as fio does.
int fio_command(const Arguments& arguments, const std::vector<std::string>& command_line, bool as_fio);

// Prints "assay: message" on stderr and returns the exit code of the failure.
int fail(const Status& status);

} // namespace assay::cli
