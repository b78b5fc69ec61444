// Who works where: deals targets over workers and cuts what several of them share. Pure arithmetic.
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/block/config.hpp"
#include "plugins/block/target.hpp"
#include "plugins/common/offsets.hpp"

#include <cstdint>
#include <vector>

namespace assay::block {

// What one worker may touch of one target.
struct WorkerPart {
    std::uint32_t target = 0;
    common::Part part;
};

// split, as many targets as workers or more: worker w gets targets w, w + workers, w + 2 * workers, ...
// split, fewer targets: target t serves workers t, t + targets, ...; its blocks are cut into equal runs, which differ
// by
//   one block at most and cover the region exactly.
// shared: every worker gets the whole region of every target.
sdk::Status divide(const std::vector<Target>& targets, const Config& config,
                   std::vector<std::vector<WorkerPart>>& parts);

// Requests of a worker in the measured phase: amount in whole requests (rounded up, as fio does), or one pass, or no
// end (UINT64_MAX) where time ends it.
std::uint64_t operations_of(const std::vector<WorkerPart>& parts, const Config& config);

} // namespace assay::block
