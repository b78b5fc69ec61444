// The verdicts of a run for a reader: the same finding on many points is one entry, worst first. Text only; any thread.
#pragma once

#include "core/result/model.hpp"

#include <string>

namespace assay::report {

std::string verdicts_text(const result::Run& run, bool colour, int width);

} // namespace assay::report
