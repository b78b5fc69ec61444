// What a block run tells about itself: what was asked for, what is in force, and what came of it.
#include "plugins/block/workload.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>

namespace assay::block {

// Known once everything is open.
void BlockWorkload::report_facts() const {
    host_.fact("engine", config_.engine_name(), "option engine");
    host_.fact_bool(ASSAY_FACT_SYNCHRONOUS_ENGINE, config_.engine_in_force() == Engine::psync,
                    config_.trims() ? "trim calls return when they are done" : "option engine");
    host_.fact(ASSAY_FACT_REQUESTED_QUEUE_DEPTH, std::int64_t{config_.queue_depth}, "requests", "option queue_depth");
    const bool inert =
        config_.engine_in_force() == Engine::psync || (config_.engine == Engine::libaio && !config_.direct);
    host_.fact(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH, std::int64_t{inert ? 1 : config_.queue_depth}, "requests",
               config_.trims() ? "trim calls return when they are done: one at a time for each worker"
               : inert         ? "this engine completes a request before it takes the next"
                               : "engine");
    report_shape();
    host_.fact_bool(ASSAY_FACT_PAUSES, config_.think_ns > 0, "option think_time");
    bool direct = true;
    for (const Seat& seat : seats_)
        for (const int fd : seat.files)
            direct = direct && (fcntl(fd, F_GETFL) & O_DIRECT) != 0;
    host_.fact_bool(ASSAY_FACT_DIRECT_IN_FORCE, direct, "F_GETFL");
    std::uint64_t unique_bytes = 0;
    for (const Target& target : targets_) {
        unique_bytes += target.length_bytes;
        if (target.alignment)
            host_.fact("direct_alignment_bytes", std::int64_t{target.alignment->offset_bytes}, "B",
                       target.alignment->source);
    }
    host_.fact("unique_bytes", static_cast<std::int64_t>(unique_bytes), "B", "regions of all targets");
    host_.fact("buffer_bytes", static_cast<std::int64_t>(config_.buffer_bytes() * config_.workers), "B",
               "buffers of all requests of all workers, spare ones of writes too");
    host_.fact("layout_bytes", static_cast<std::int64_t>(layout_->total_bytes()), "B", "data to write before the run");
}

// Where requests fall, how large they are and what they carry, where that is out of the ordinary.
void BlockWorkload::report_shape() const {
    if (config_.distribution != common::DistributionKind::uniform) {
        const char* name = distribution_names[static_cast<std::size_t>(config_.distribution)];
        std::string text = name;
        if (config_.distribution == common::DistributionKind::zipf) text += fmt::format(" {}", config_.zipf_theta);
        if (config_.distribution == common::DistributionKind::pareto) text += fmt::format(" {}", config_.pareto_h);
        if (config_.distribution == common::DistributionKind::normal)
            text += fmt::format(" {}%", config_.normal_deviation * 100);
        host_.fact("distribution", text, "option distribution");
        const bool whole = config_.workers == 1 || config_.share == Share::shared;
        host_.fact("distribution_scope", whole ? "whole region" : "each worker's slice", "option share");
    }
    if (!config_.block_size_mix.empty())
        host_.fact("mean_block_bytes", config_.mean_block_bytes(), "B", "option block_size_mix");
    if (config_.sync_writes != SyncWrites::none && config_.writes() && !seats_.empty() && !seats_[0].files.empty()) {
        const int flags = fcntl(seats_[0].files[0], F_GETFL);
        host_.fact("sync_writes",
                   (flags & O_SYNC) == O_SYNC ? "sync"
                   : (flags & O_DSYNC) != 0   ? "dsync"
                                              : "none",
                   "F_GETFL");
    }
}

// Known once a worker's engine stands.
void BlockWorkload::report_engine(const LoopReport& report) const {
    if (config_.engine_in_force() != Engine::io_uring) return;
    host_.fact("io_uring_flags", report.uring.flags, "io_uring_setup");
    host_.fact("registered_buffers", report.uring.registered_buffers, "io_uring_register_buffers");
    host_.fact("registered_files", report.uring.registered_files, "io_uring_register_files");
}

// Known at the end, from all workers.
sdk::Status BlockWorkload::finish() {
    host_.fact("layout_bytes", static_cast<std::int64_t>(layout_->written_bytes()), "B", "data written before the run");
    std::uint64_t batches = 0;
    std::uint64_t reaped = 0;
    std::uint32_t depth = 0;
    LoopReport worst = seats_[0].report;
    for (const Seat& seat : seats_) {
        batches += seat.report.batches;
        reaped += seat.report.reaped;
        depth = std::max(depth, seat.report.effective_depth);
        // One worker that had to do without (a limit on locked memory counts them together) is what must be known.
        if (seat.report.uring.registered_buffers != "yes")
            worst.uring.registered_buffers = seat.report.uring.registered_buffers;
        if (seat.report.uring.registered_files != "yes")
            worst.uring.registered_files = seat.report.uring.registered_files;
    }
    if (batches > 0)
        host_.fact(ASSAY_FACT_MEAN_REAP_BATCH, static_cast<double>(reaped) / static_cast<double>(batches), "requests",
                   "completions of all workers / calls that reaped any");
    if (config_.engine_in_force() == Engine::libaio && depth > 0 && depth < config_.slots() && config_.direct)
        host_.fact(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH, std::int64_t{depth}, "requests",
                   "the device completes requests inside io_submit: one batch at a time is in flight");
    if (worst.effective_depth > 0) report_engine(worst);
    return {};
}

} // namespace assay::block
