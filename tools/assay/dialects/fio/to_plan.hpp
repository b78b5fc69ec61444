// fio's sections -> jobs in fio's terms and the plan that runs them.
//
// A group of sections up to the next stonewall is a stage; a section is a job of it, its clones are the workers. Where
// clones differ in more than their files (offset_increment), each is a job of its own. Looks at existing files for
// their sizes; runs nothing. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "tools/assay/dialects/fio/invocation.hpp"
#include "tools/assay/dialects/fio/sections.hpp"

namespace assay::cli::fio {

// Fills jobs, plan and notes of `into`. `read_only` is --readonly: a job that writes is an error. Usage errors name job
// and option.
Status make_plan(const Sections& sections, bool read_only, Invocation& into);

} // namespace assay::cli::fio
