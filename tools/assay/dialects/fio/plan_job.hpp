// One section -> one job of a plan. Control thread.
#pragma once

#include "core/plan/plan.hpp"
#include "tools/assay/dialects/fio/files.hpp"
#include "tools/assay/dialects/fio/settings.hpp"
#include "tools/assay/dialects/fio/shape.hpp"

#include <cstdint>

namespace assay::cli::fio {

struct Clones {
    unsigned count = 1;            // workers of the plan job
    unsigned thread_number = 0;    // of the first one, over all sections, from 0
    std::uint64_t more_offset = 0; // on top of `offset`
    std::uint64_t slices = 1;      // more than 1: clone i has slice i of a region so many times as long
};

// Everything but the name. Errors are kept by `settings`.
JobPlan plan_job(Settings& settings, const Shape& shape, const FileSet& files, const Clones& clones);

} // namespace assay::cli::fio
