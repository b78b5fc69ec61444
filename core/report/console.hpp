// The summary a person reads at the end of a run. Text only; any thread.
#pragma once

#include "core/result/model.hpp"

#include <string>

namespace assay::report {

struct ConsoleStyle {
    bool colour = false;
    int width = 100;
};

// Table of every measured phase (IOPS, GiB/s and GB/s, mean, p50, p99, p99.9, max, in flight), errors, then verdicts
// grouped so that the same finding on many points is one line, worst first; passes are counted, not listed. A number
// that a verdict calls invalid is marked in the table.
std::string console(const result::Run& run, const ConsoleStyle& style);

} // namespace assay::report
