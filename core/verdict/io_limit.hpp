// Whether a phase's rate is that of an I/O limit which a control group sets for one of its devices, from the text of
// the context fact cgroup_io_limits (core/context/cgroup.hpp).
//
// Pure functions of the result; any thread.
#pragma once

#include "core/result/model.hpp"

#include <string>

namespace assay::verdict {

struct ReachedLimit {
    std::string text; // "read_bps 1048576 on 254:0"; empty: none was reached
    double limit = 0;
    double reached = 0;
    const char* unit = "";
};

// `limits` is "FILE: ENTRY,ENTRY; FILE: ENTRY" with entries "254:0 1048576" (version 1, whose files are named by the
// kind, blkio.throttle.read_bps_device) or "254:0 rbps=1048576 wbps=max" (version 2, io.max).
ReachedLimit reached_io_limit(const result::Job& job, const result::Phase& phase, const std::string& limits);

} // namespace assay::verdict
