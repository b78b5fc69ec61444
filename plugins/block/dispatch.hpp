// From options to types, once a phase: picks the stream class that the configuration asks for. Included by the three
// files that compile a loop for each of them.
#pragma once

#include "plugins/block/gate.hpp"
#include "plugins/block/loop.hpp"
#include "plugins/block/shaped_stream.hpp"

namespace assay::block {

namespace dispatch {

template <class Address, class Choice, class Run>
sdk::Status with_syncs(const LoopSetup& setup, Run&& run) {
    if (setup.config.sync_every > 0) return run(Stream<Address, Choice, true>(setup.stream), OpenGate());
    return run(Stream<Address, Choice, false>(setup.stream), OpenGate());
}

template <class Address, class Run>
sdk::Status with_choice(const LoopSetup& setup, Run&& run) {
    if (setup.config.mixed()) return with_syncs<Address, Mixed>(setup, run);
    if (setup.config.writes()) return with_syncs<Address, WriteOnly>(setup, run);
    return run(Stream<Address, ReadOnly, false>(setup.stream), OpenGate());
}

} // namespace dispatch

// `run` is called with a stream and a gate by value and returns a status. What is not plain shares one stream class, so
// that options do not multiply the loops.
template <class Run>
sdk::Status with_stream(const LoopSetup& setup, Run&& run) {
    if (setup.config.think_ns > 0 || sdk::Arrivals(setup.worker.block()).open())
        return run(ShapedStream(setup.stream), TimedGate(setup));
    if (setup.config.shaped()) return run(ShapedStream(setup.stream), OpenGate());
    const bool one = setup.stream.offsets.parts.size() == 1;
    const Config& config = setup.config;
    if (!config.random())
        return one ? dispatch::with_choice<common::SequentialOne>(setup, run)
                   : dispatch::with_choice<common::SequentialMany>(setup, run);
    if (config.random_map == RandomMap::once)
        return one ? dispatch::with_choice<common::RandomOnceOne>(setup, run)
                   : dispatch::with_choice<common::RandomOnceMany>(setup, run);
    return one ? dispatch::with_choice<common::RandomFreeOne>(setup, run)
               : dispatch::with_choice<common::RandomFreeMany>(setup, run);
}

} // namespace assay::block
