// How far a job is, for everything that is shown while a run goes on. Any thread; pure functions.
#pragma once

#include "core/run/run.hpp"

#include <optional>
#include <string>

namespace assay::report {

// 0 .. 1 of a phase that ends on time or on work, whichever is first; nothing if neither bounds it.
std::optional<double> progress_share(const JobProgress& job);
std::optional<double> seconds_left(const JobProgress& job);
// The same job `seconds` after it was reported, going on as it did.
JobProgress advanced(JobProgress job, double seconds);

std::string seconds_text(double seconds); // "7 s", "2 min 05 s"
// The phase, after the job's name where there are several jobs; printable.
std::string job_title(const JobProgress& job, bool with_job);

} // namespace assay::report
