// Pins workers to CPUs; which CPUs there are is core/context/machine.hpp's to know. Any thread.
#pragma once

#include "core/base/status.hpp"

#include <vector>

namespace assay {

// Usage error naming the first CPU that is not allowed, and those that are.
Status check_cpus(const std::vector<int>& cpus);

Status pin_this_thread(int cpu);

} // namespace assay
