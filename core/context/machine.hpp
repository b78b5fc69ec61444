// What machine a run ran on: CPU, NUMA, memory, kernel, limits. Read once a run; control thread.
//
// Plain /proc and /sys: a topology library takes longer to load than all of this takes to read (under 1 ms).
#pragma once

#include "core/result/model.hpp"

#include <string>
#include <vector>

namespace assay {

// Facts with keys such as cpu_model, cpu_count, cpu_allowed, numa_nodes, memory_total_bytes, memory_limit_bytes (cgroup
// v1 or v2, absent if none), kernel, clock_source, cpu_governor, hostname, virtualization. What cannot be read is
// absent. `root` stands in front of /proc, /sys and /etc: the files of another machine.
std::vector<result::Fact> machine_context(const std::string& root = {});

// NUMA node of a CPU, -1 if unknown; CPUs this process may run on, in order.
int numa_node_of_cpu(int cpu, const std::string& root = {});
std::vector<int> allowed_cpus();

} // namespace assay
