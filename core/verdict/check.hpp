// The shape of a check, and judging a run with all of them.
//
// One check is one function in a file of its own: it looks at one job of one repeat and says nothing (does not apply),
// or one verdict a scope, with evidence, arithmetic, threshold and remedy, `pass` included. Thresholds live
// in thresholds.hpp with their reasons. Pure functions of the result: judging again gives the same.
#pragma once

#include "core/result/model.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::verdict {

// What a check sees.
struct JobView {
    const result::Run& run;
    const result::Repeat& repeat;
    const result::Job& job;
    std::string scope; // text for Verdict::scope
};

struct Check {
    std::string_view id;
    int version;
    std::string_view summary; // for `assay checks`
    std::vector<result::Verdict> (*judge)(const JobView& view);
};

// All checks, in catalogue order.
const std::vector<Check>& catalogue();

// Fills the verdicts of every repeat, replacing what is there.
void judge(result::Run& run);
// The same for one repeat, by index; a run is judged as it goes. Checks see what has been measured so far.
void judge(result::Run& run, std::size_t stage, std::size_t point, std::size_t repeat);

// Of a repeat that is still running: what can be said before it is over.
std::vector<result::Verdict> judge_so_far(const result::Run& run, const result::Repeat& repeat);

// 0 fine, 4 a suspect verdict with `strict`, 5 an invalid one; a failed job is 3 whatever the verdicts.
int exit_code(const result::Run& run, bool strict);

} // namespace assay::verdict
