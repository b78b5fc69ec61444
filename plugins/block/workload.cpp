#include "plugins/block/workload.hpp"

#include "assay/sdk/workload.hpp"
#include "plugins/common/data.hpp"
#include "plugins/common/prng.hpp"
#include "plugins/common/size_text.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::block {

using common::size_text;

namespace {

std::uint64_t machine_memory_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
                                       : UINT64_MAX;
}

} // namespace

sdk::Status BlockWorkload::configure(const sdk::Job& job) {
    config_ = Config::parse(job);
    if (auto status = config_.check(machine_memory_bytes()); !status.ok()) return status;
    const std::vector<std::string> paths = job.targets();
    if (paths.empty()) return {ASSAY_INVALID_OPTION, "block needs a target: the path of a file or of a block device"};
    for (const std::string& path : paths)
        if (auto status = inspect(path, config_, targets_.emplace_back()); !status.ok()) return status;
    if (auto status = check_duplicates(targets_); !status.ok()) return status;
    std::vector<std::vector<WorkerPart>> parts;
    if (auto status = divide(targets_, config_, parts); !status.ok()) return status;
    seats_.resize(parts.size());
    if (auto status = check_zones(parts); !status.ok()) return status;
    for (std::size_t w = 0; w < parts.size(); ++w)
        seats_[w].parts = std::move(parts[w]);
    layout_ = std::make_unique<Layout>(targets_, config_.workers, config_.data);
    data_salt_ = common::data_salt();
    for (const Target& target : targets_)
        report_target(target);
    declare_phases();
    return {};
}

// Every zone of every worker has a block.
sdk::Status BlockWorkload::check_zones(const std::vector<std::vector<WorkerPart>>& parts) const {
    if (config_.distribution != common::DistributionKind::zoned) return {};
    for (const auto& mine : parts) {
        std::uint64_t blocks = 0;
        for (const WorkerPart& part : mine)
            blocks += part.part.blocks;
        for (std::size_t zone = 0; zone < config_.zones.size(); ++zone) {
            const common::ZoneRange range = common::zone_range(blocks, config_.zones, zone);
            if (range.begin < range.end) continue;
            return {ASSAY_INVALID_OPTION,
                    fmt::format("zone {} has no whole block of the {} that a worker has; use a larger region or fewer "
                                "zones",
                                zone + 1, blocks),
                    "zones"};
        }
    }
    return {};
}

void BlockWorkload::report_target(const Target& target) const {
    const bool lays_out = target.layout_end > target.layout_begin || target.reserve;
    std::uint32_t flags = 0;
    if (config_.reads()) flags |= ASSAY_TARGET_READS;
    if (config_.writes() || (target.exists && lays_out)) flags |= ASSAY_TARGET_WRITES;
    if (config_.direct) flags |= ASSAY_TARGET_DIRECT;
    if (!target.exists) flags |= ASSAY_TARGET_CREATES;
    if (config_.unlink && !target.block_device) flags |= ASSAY_TARGET_REMOVES;
    assay_target report{};
    report.kind = target.block_device ? ASSAY_TARGET_BLOCK_DEVICE : ASSAY_TARGET_FILE;
    report.flags = flags;
    report.name = target.path.c_str();
    report.offset_bytes = target.offset_bytes;
    report.length_bytes = target.length_bytes;
    report.unique_bytes = target.length_bytes;
    host_.target(report);
}

void BlockWorkload::declare_phases() {
    std::uint64_t work_bytes = 0; // 0: not bounded by work
    for (const Seat& seat : seats_) {
        const std::uint64_t operations = operations_of(seat.parts, config_);
        // What 64 bits cannot hold has no end that anybody will see.
        std::uint64_t bytes = 0;
        if (__builtin_mul_overflow(operations, std::uint64_t{config_.block_bytes}, &bytes) ||
            __builtin_add_overflow(work_bytes, bytes, &work_bytes)) {
            work_bytes = 0;
            break;
        }
    }
    phases_ = {sdk::phase(ASSAY_PHASE_SETUP, layout_->total_bytes() > 0 ? "layout" : "prepare", layout_->total_bytes()),
               sdk::phase(ASSAY_PHASE_MEASURED, config_.pattern_name(), work_bytes)};
    roles_ = {PhaseRole::prepare, PhaseRole::measure};
    if (config_.unlink) {
        phases_.push_back(sdk::phase(ASSAY_PHASE_TEARDOWN, "unlink"));
        roles_.push_back(PhaseRole::unlink);
    }
}

sdk::Status BlockWorkload::run(sdk::Worker worker, std::uint32_t phase) {
    if (phase >= roles_.size() || worker.index() >= seats_.size())
        return {ASSAY_INTERNAL, fmt::format("no phase {} or no worker {}", phase, worker.index())};
    Seat& seat = seats_[worker.index()];
    switch (roles_[phase]) {
        case PhaseRole::prepare:
            if (auto status = ready(seat, worker); !status.ok()) return status;
            return layout_->run(worker, host_);
        case PhaseRole::measure:
            return measure(seat, worker);
        case PhaseRole::unlink:
            return worker.index() == 0 ? unlink_targets() : sdk::Status();
    }
    return {};
}

// Buffers on the worker's own thread, so that they lie on its NUMA node.
sdk::Status BlockWorkload::ready(Seat& seat, const sdk::Worker& worker) const {
    if (seat.requests != nullptr) return {};
    seat.memory = common::Mapping::allocate(config_.buffer_bytes());
    if (seat.memory.data() == nullptr)
        return {ASSAY_RESOURCE,
                fmt::format("{} of buffers for queue_depth {} cannot be had: {}; lower queue_depth or block_size",
                            size_text(config_.buffer_bytes()), config_.slots(), std::strerror(errno)),
                "queue_depth"};
    // Random bytes also where nothing is written: it makes the pages real. In pieces, because gigabytes take a while.
    common::DataSource source(common::derive_seed(data_salt_, worker.global_index()));
    for (auto rest = seat.memory.span(); !rest.empty();) {
        if (worker.stopped()) return {ASSAY_CANCELLED, "stopped before the buffers were ready"};
        const auto piece = rest.first(std::min(rest.size(), std::size_t{64} << 20));
        source.fill(piece);
        rest = rest.subspan(piece.size());
    }
    seat.buffers.resize(std::size_t{config_.slots()} + config_.spare_buffers());
    for (std::size_t i = 0; i < seat.buffers.size(); ++i)
        seat.buffers[i].data = seat.memory.data() + i * config_.slot_bytes();
    seat.requests = std::make_unique<common::Request[]>(config_.slots());
    for (std::uint32_t slot = 0; slot < config_.slots(); ++slot) {
        seat.requests[slot].slot = slot;
        seat.requests[slot].bytes = config_.block_bytes;
        seat.requests[slot].buffer = seat.buffers[slot].data;
    }
    return {};
}

sdk::Status BlockWorkload::measure(Seat& seat, const sdk::Worker& worker) {
    if (auto status = ready(seat, worker); !status.ok()) return status;
    const std::span<common::Buffer> buffers = seat.buffers;
    // The worker's seed differs from worker to worker; the option's is the user's own.
    const std::uint64_t seed = common::derive_seed(config_.seed, worker.seed());
    StreamSetup stream;
    stream.offsets = {seat.extents, config_.block_bytes, seed};
    stream.operations = operations_of(seat.parts, config_);
    const double read_share = config_.mixed() ? config_.read_share_percent / 100.0 : config_.reads() ? 1.0 : 0.0;
    stream.read_threshold = static_cast<std::uint64_t>(read_share * 4294967296.0);
    stream.sync_every = config_.sync_every;
    stream.salt = common::derive_seed(data_salt_, ~std::uint64_t{worker.global_index()});
    if (config_.rotates_buffers()) {
        const std::size_t read_only = config_.reads() ? config_.slots() : 0;
        stream.buffers = {buffers.subspan(read_only), buffers.first(read_only), config_.slots(), config_.slot_bytes()};
    }
    stream.order = config_.order();
    stream.trims = config_.trims();
    stream.distribution = {config_.distribution,     config_.zipf_theta, config_.pareto_h,
                           config_.normal_deviation, config_.zones,      common::derive_seed(config_.seed, 4)};
    stream.sizes = config_.block_size_mix;
    stream.data = config_.data;
    struct Opened {
        const BlockWorkload* workload;
        bool first;
    } opened{this, worker.index() == 0};
    const LoopSetup setup{worker,
                          config_,
                          stream,
                          seat.files,
                          seat.names,
                          seat.devices,
                          seat.memory.span(),
                          buffers,
                          {seat.requests.get(), config_.slots()},
                          [](void* context, const LoopReport& report) {
                              const auto* self = static_cast<const Opened*>(context);
                              if (self->first) self->workload->report_engine(report);
                          },
                          &opened};
    sdk::Status status;
    switch (config_.engine_in_force()) {
        case Engine::psync:
            status = run_psync(setup, seat.report);
            break;
        case Engine::libaio:
            status = run_libaio(setup, seat.report);
            break;
        case Engine::io_uring:
            status = run_uring(setup, seat.report);
            break;
    }
    if (status.ok() && config_.sync_at_end && config_.writes()) status = sync_targets(seat, worker);
    return status;
}

sdk::Status BlockWorkload::sync_targets(const Seat& seat, const sdk::Worker& worker) const {
    const sdk::Clock clock = worker.clock();
    sdk::Recorder recorder = worker.recorder(static_cast<std::uint32_t>(common::Direction::sync));
    for (std::size_t part = 0; part < seat.files.size(); ++part) {
        const std::uint64_t start = clock.ticks();
        const bool whole = config_.sync_call == common::SyncCall::fsync;
        if ((whole ? fsync(seat.files[part]) : fdatasync(seat.files[part])) != 0)
            return {ASSAY_IO, fmt::format("target {}: {} at the end failed: {}", seat.names[part],
                                          whole ? "fsync" : "fdatasync", std::strerror(errno))};
        recorder.complete(clock.ns(start, clock.ticks()), 0);
        recorder.publish();
    }
    return {};
}

} // namespace assay::block
