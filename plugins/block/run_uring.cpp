#include "plugins/block/async_loop.hpp"
#include "plugins/block/dispatch.hpp"
#include "plugins/common/uring_engine.hpp"

#include <memory>

namespace assay::block {

sdk::Status run_uring(const LoopSetup& setup, LoopReport& report) {
    const Config& config = setup.config;
    const auto engine = std::make_unique<common::UringEngine>();
    common::UringSetup uring;
    uring.depth = config.slots();
    uring.poll = config.poll;
    uring.registered_buffers = config.registered_buffers;
    uring.registered_files = config.registered_files;
    uring.sync_call = config.sync_call;
    uring.files = setup.files;
    uring.memory = setup.memory;
    uring.buffers = setup.buffers;
    uring.slot_bytes = config.slot_bytes();
    if (auto status = engine->open(uring, setup.requests); !status.ok()) return status;
    report.effective_depth = config.slots();
    report.uring = engine->features();
    setup.opened(setup.context, report);
    return with_stream(setup, [&](auto stream, auto gate) {
        return run_async(*engine, setup, std::move(stream), std::move(gate), report);
    });
}

} // namespace assay::block
