// The full-screen live view of a run: what is on it and where, as styled text. Painting is somebody else's. Any
// thread; pure functions.
#pragma once

#include "core/report/history.hpp"
#include "core/report/notices.hpp"
#include "core/report/segments.hpp"
#include "core/session/session.hpp"

#include <string>
#include <vector>

namespace assay::report {

struct LiveView {
    std::string plan; // its name
    SessionObserver::Position position;
    std::vector<JobProgress> jobs;
    std::vector<History> histories; // one a job
    HostGlance host;
    std::vector<Notice> notices;       // oldest first
    std::vector<std::string> finished; // a line each, oldest first
    double run_s = 0;                  // since the command began
    double age_s = 0;                  // since `jobs` was reported
    bool stopping = false;
    bool utf8 = true; // the terminal shows more than ASCII
};

// At most `rows` lines of at most `columns` columns; the last one is the footer. What matters least goes first where
// there is no room; the jobs' rates and the newest warning stay longest.
std::vector<Line> layout(const LiveView& view, int columns, int rows);

} // namespace assay::report
