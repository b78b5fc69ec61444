// A plan's tree to a Plan, by the plan's grammar; private to core/plan.
#pragma once

#include "core/plan/plan.hpp"
#include "core/plan/tree.hpp"

namespace assay {

Result<Plan> read_plan(const tree::Node& root, const std::string& source);

} // namespace assay
