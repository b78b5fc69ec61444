// Whether this is a machine or somebody's idea of one: hypervisor, container, and what the firmware calls it.
#pragma once

#include "core/context/facts.hpp"

#include <string>

namespace assay::context {

// Facts virtualization ("none", "KVM", ...), container, machine_model; absent where it cannot be told.
void add_virtualization(Facts& facts, const std::string& root);

} // namespace assay::context
