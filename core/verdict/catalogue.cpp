#include "core/verdict/checks.hpp"

namespace assay::verdict {

const std::vector<Check>& catalogue() {
    static const std::vector<Check> checks = {
        cache_client, odirect_dropped,  data_unwritten, trim_empty,  phase_empty,    phase_short,
        depth_inert,  little_law,       cpu_hot,        cpu_client,  cpu_wait,       cpu_steal,
        cgroup_limit, noise_background, closed_loop,    run_stopped, workers_partial};
    return checks;
}

} // namespace assay::verdict
