// The measured numbers of a stage as table rows: one an operation, with the spread over repeats, what a check makes of
// them, and what a reader must know about them. Text only; any thread.
#pragma once

#include "core/report/table.hpp"
#include "core/result/model.hpp"

namespace assay::report {

struct Marks {
    bool invalid = false; // some row is marked "!"
    bool suspect = false; // ... "?"
};

// The table of a stage; `marks` collects which marks its legend must explain.
Table measured_table(const result::Stage& stage, bool colour, Marks& marks);

} // namespace assay::report
