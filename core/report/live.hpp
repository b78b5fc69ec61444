// What is shown while a run goes on: one line that is redrawn on a terminal, plain lines elsewhere. Text only; any
// thread.
#pragma once

#include "core/result/model.hpp"
#include "core/run/run.hpp"

#include <string>
#include <vector>

namespace assay::report {

// All jobs on one line of at most `width` columns: phase, progress, time left, rate, p99, in flight, errors. What
// matters least goes first where there is no room; progress and errors stay longest.
std::string live_line(const std::vector<JobProgress>& jobs, int width);

// One line a job, nothing left out, without line breaks.
std::vector<std::string> plain_lines(const std::vector<JobProgress>& jobs);

// One job of a finished repeat: rate, bandwidth and p99 of each operation; numbers that one of the repeat's verdicts
// calls invalid or suspect carry its mark.
std::string finished_line(const result::Job& job, const std::vector<result::Verdict>& verdicts = {});

} // namespace assay::report
