// Who moved how many bytes through a job's devices while its window was open: the two sides that cache.client compares.
//
// Pure functions of the result; any thread.
#pragma once

#include "core/result/model.hpp"
#include "core/verdict/check.hpp"

#include <string>
#include <vector>

namespace assay::verdict {

// Block devices below a job's targets, each once.
std::vector<std::string> devices_of(const result::Job& job);

// O_DIRECT in force, as the workload found it; where it does not say, as it was asked for.
bool is_direct(const result::Job& job);

double bytes_of(const result::Phase& phase, result::OperationKind kind);

// Share of the bytes read that the devices hold at all: 1, less what FIEMAP shows as never written. Those reads ask no
// device, and are data.unwritten's finding.
double written_share(const result::Job& job);

// Why a job's bytes cannot be compared with its devices', and what to do about it; empty reason: they can.
struct Obstacle {
    std::string reason;
    std::string remedy;
};
Obstacle obstacle_to_comparing(const result::Job& job, const result::Phase& phase);

// The clients are the jobs that share devices with this one and bypass the page cache as it does. Direct jobs are
// compared with all that the devices moved; buffered ones with what is left after the direct ones, which surely moved
// theirs. What a job that shares only some of the devices moved on those is not known, hence the two bounds.
struct ClientBytes {
    bool direct = false;
    double own = 0;
    double client_least = 0;
    double client_most = 0;
    double device_least = 0;
    double device_most = 0;
    std::vector<std::string> jobs; // whose bytes are in client_*

    // What client_* may be wrong by. Requests in flight when the window opened were the devices' before it:
    double own_crossing = 0;
    double crossing = 0; // of all clients
    // The series of other jobs tell an interval's bytes, not when in it: client_least may be less, client_most more.
    double astride_less = 0;
    double astride_more = 0;
    std::string astride_text; // the interval in question: "job backup's interval of 1 s"

    // What the clients moved in the window even if every doubt is decided against it.
    [[nodiscard]] double surely() const;
};
ClientBytes client_bytes(const JobView& view, const result::Phase& phase, result::OperationKind kind);

// Why too few bytes on the devices prove nothing here, as a sentence, and what to do about it.
Obstacle doubt_of(const ClientBytes& bytes);

} // namespace assay::verdict
