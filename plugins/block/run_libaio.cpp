#include "plugins/block/async_loop.hpp"
#include "plugins/block/dispatch.hpp"
#include "plugins/common/aio_engine.hpp"

#include <memory>

namespace assay::block {

sdk::Status run_libaio(const LoopSetup& setup, LoopReport& report) {
    const Config& config = setup.config;
    const auto engine = std::make_unique<common::AioEngine>();
    const common::AioSetup aio{config.slots(), config.sync_call, setup.files};
    if (auto status = engine->open(aio, setup.requests); !status.ok()) return status;
    report.effective_depth = config.direct ? config.slots() : 1;
    setup.opened(setup.context, report);
    auto status = with_stream(setup, [&](auto stream, auto gate) {
        return run_async(*engine, setup, std::move(stream), std::move(gate), report);
    });
    if (engine->completes_inline())
        report.effective_depth = config.slots() <= single_submit_depth ? 1 : common::AioEngine::most_queued_inline;
    return status;
}

} // namespace assay::block
