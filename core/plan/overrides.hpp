// `--set KEY=VALUE` applied to a plan's tree before it is read; private to core/plan.
#pragma once

#include "core/plan/tree.hpp"

namespace assay::tree {

// What plan.hpp says about `sets`. A tree that is not shaped like a plan is left for the reader to refuse. Usage errors
// begin with the override itself.
Status apply_override(Node& root, const std::string& set);

} // namespace assay::tree
