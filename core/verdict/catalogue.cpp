#include "core/verdict/checks.hpp"

namespace assay::verdict {

const std::vector<Check>& catalogue() {
    static const std::vector<Check> checks = {cache_client, data_unwritten, phase_short,
                                              depth_inert,  little_law,     workers_partial};
    return checks;
}

} // namespace assay::verdict
