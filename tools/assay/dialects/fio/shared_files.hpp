// Files that several jobs of one stage would have to make: a stage before it lays them out, as fio does before it
// starts its jobs. Looks at which files are there; changes none. Control thread.
#pragma once

#include "tools/assay/dialects/fio/invocation.hpp"

#include <vector>

namespace assay::cli::fio {

// Inserts such stages, to which no job of `invocation` belongs.
void lay_out_shared_files(Invocation& invocation);

// By index in the plan: whether a stage is one of fio's jobs, and not of these.
std::vector<bool> stages_of_jobs(const Invocation& invocation);

} // namespace assay::cli::fio
