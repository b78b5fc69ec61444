// What machine a run ran on: CPU, NUMA, memory, kernel, limits. Read once a run; control thread.
#pragma once

#include "core/result/model.hpp"

#include <string>
#include <vector>

namespace assay {

// Facts with keys such as cpu_model, cpu_count, cpu_allowed, numa_nodes, memory_total_bytes, memory_limit_bytes (cgroup
// v1 or v2, absent if none), kernel, clock_source, cpu_governor, hostname, virtualization. What cannot be read is
// absent.
std::vector<result::Fact> machine_context();

// NUMA node of a CPU, -1 if unknown; CPUs this process may run on, in order.
int numa_node_of_cpu(int cpu);
std::vector<int> allowed_cpus();

} // namespace assay
