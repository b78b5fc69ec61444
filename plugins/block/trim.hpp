// Whether a target can give blocks back, found out before anything runs. Control thread.
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/block/config.hpp"
#include "plugins/block/target.hpp"

namespace assay::block {

// Changes nothing. Fails with what the target lacks.
sdk::Status probe_trim(const Target& target, const Config& config);

} // namespace assay::block
