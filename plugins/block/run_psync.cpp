#include "plugins/block/dispatch.hpp"
#include "plugins/block/sync_loop.hpp"

namespace assay::block {

sdk::Status run_psync(const LoopSetup& setup, LoopReport& report) {
    report.effective_depth = 1;
    setup.opened(setup.context, report);
    return with_stream(
        setup, [&](auto stream, auto gate) { return run_sync(setup, std::move(stream), std::move(gate), report); });
}

} // namespace assay::block
