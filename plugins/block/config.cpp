#include "plugins/block/config.hpp"
#include "plugins/common/size_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace assay::block {

using common::size_text;

namespace {
constexpr std::uint64_t mix_ring_bytes_max = std::uint64_t{32} << 20;
}

Config Config::parse(const sdk::Job& job) {
    const auto size = [&](Option option) { return static_cast<std::uint64_t>(job.integer(option)); };
    const auto count = [&](Option option) { return static_cast<std::uint32_t>(job.integer(option)); };
    Config config;
    config.engine = job.choice<Engine>(option_engine);
    config.direct = job.flag(option_direct);
    config.pattern = job.choice<Pattern>(option_pattern);
    config.read_share_percent = job.real(option_read_share);
    config.block_bytes = count(option_block_size);
    config.block_size_given = job.given(option_block_size);
    for (const assay_scalar& item : job.items(option_block_size_mix))
        config.block_size_mix.push_back({static_cast<std::uint32_t>(item.as.integer), item.weight});
    if (!config.block_size_mix.empty()) config.block_bytes = UINT32_MAX;
    for (const SizeShare& size : config.block_size_mix)
        config.block_bytes = std::min(config.block_bytes, size.bytes);
    config.queue_depth = count(option_queue_depth);
    config.offset_bytes = size(option_offset);
    if (job.present(option_size)) config.size_bytes = size(option_size);
    if (job.present(option_amount)) config.amount_bytes = size(option_amount);
    config.random_map = job.choice<RandomMap>(option_random_map);
    config.random_map_given = job.given(option_random_map);
    config.distribution = job.choice<common::DistributionKind>(option_distribution);
    config.zipf_theta = job.real(option_zipf_theta);
    config.pareto_h = job.real(option_pareto_h);
    config.normal_deviation = job.real(option_normal_deviation) / 100;
    for (const assay_scalar& item : job.items(option_zones))
        config.zones.push_back({item.as.real / 100, item.weight});
    config.zipf_theta_given = job.given(option_zipf_theta);
    config.pareto_h_given = job.given(option_pareto_h);
    config.normal_deviation_given = job.given(option_normal_deviation);
    config.share = job.choice<Share>(option_share);
    config.seed = size(option_seed);
    config.layout = job.choice<LayoutRule>(option_layout);
    config.unlink = job.flag(option_unlink);
    config.sync_every = count(option_sync_every);
    config.sync_call = job.choice<common::SyncCall>(option_sync_call);
    config.sync_at_end = job.flag(option_sync_at_end);
    config.sync_writes = job.choice<SyncWrites>(option_sync_writes);
    config.data = {job.real(option_compressible) / 100, job.real(option_dedupe) / 100};
    config.think_ns = job.integer(option_think_time);
    config.think_every = size(option_think_every);
    config.think_time_given = job.given(option_think_time);
    config.think_every_given = job.given(option_think_every);
    config.reap_batch = count(option_reap_batch);
    config.registered_buffers = job.choice<common::Preference>(option_registered_buffers);
    config.registered_files = job.choice<common::Preference>(option_registered_files);
    config.poll = job.choice<common::UringPoll>(option_poll);
    config.workers = job.local_workers();
    config.bounded_by_time = job.bounded_by_time();
    return config;
}

sdk::Status Config::check(std::uint64_t memory_bytes) const {
    if (auto status = check_ignored(); !status.ok()) return status;
    if (auto status = check_engine(); !status.ok()) return status;
    if (auto status = check_distribution(); !status.ok()) return status;
    if (auto status = check_mix(); !status.ok()) return status;
    const std::uint64_t total_bytes = buffer_bytes() * workers;
    if (total_bytes > memory_bytes / 2)
        return {ASSAY_INVALID_OPTION,
                fmt::format("queue_depth {}{} x {} {} x {} workers = {} of buffers, more than half of this "
                            "machine's {} of memory; lower one of them",
                            slots(),
                            spare_buffers() > 0 ? fmt::format(" (and {} spare buffers for writes)", spare_buffers())
                                                : std::string(),
                            size_option(), size_text(slot_bytes()), workers, size_text(total_bytes),
                            size_text(memory_bytes)),
                "queue_depth"};
    return {};
}

sdk::Status Config::check_engine() const {
    if (engine != Engine::io_uring) {
        const auto needs_uring = [&](const char* key, const char* value) {
            return sdk::Status(
                ASSAY_INVALID_OPTION,
                fmt::format("{} {} works with engine io_uring only, and engine is {}", key, value, engine_name()), key);
        };
        if (poll != common::UringPoll::none) return needs_uring("poll", poll_names[static_cast<std::size_t>(poll)]);
        if (registered_buffers == common::Preference::yes) return needs_uring("registered_buffers", "yes");
        if (registered_files == common::Preference::yes) return needs_uring("registered_files", "yes");
    }
    if (poll == common::UringPoll::iopoll) {
        if (!direct)
            return {ASSAY_INVALID_OPTION, "poll iopoll needs direct yes: the page cache cannot be polled", "poll"};
        if (writes() && (sync_every > 0 || sync_at_end))
            return {ASSAY_INVALID_OPTION,
                    "poll iopoll cannot carry sync calls: leave out sync_every and sync_at_end, or use poll none",
                    "poll"};
    }
    return {};
}

sdk::Status Config::check_distribution() const {
    if (distribution == common::DistributionKind::uniform) return {};
    const char* name = distribution_names[static_cast<std::size_t>(distribution)];
    if (!random())
        return {ASSAY_INVALID_OPTION,
                fmt::format("distribution {} works with random patterns only, and pattern is {}; use randread, "
                            "randwrite, randrw or randtrim",
                            name, pattern_name()),
                "distribution"};
    if (random_map_given && random_map == RandomMap::once)
        return {ASSAY_INVALID_OPTION,
                fmt::format("random_map once visits every block equally often, which distribution {} does not; leave "
                            "out one of them",
                            name),
                "random_map"};
    if (distribution != common::DistributionKind::zoned) return {};
    if (zones.empty())
        return {ASSAY_INVALID_OPTION, "distribution zoned needs zones, for example 10%:60,20%:30,70%:10", "zones"};
    double sum = 0;
    for (const common::Zone& zone : zones)
        sum += zone.size_share;
    if (std::abs(sum - 1) > 1e-6)
        return {ASSAY_INVALID_OPTION,
                fmt::format("zones add up to {:.4g}% of the region; their sizes must add up to 100%", sum * 100),
                "zones"};
    return {};
}

sdk::Status Config::check_mix() const {
    if (block_size_mix.empty()) return {};
    if (block_size_given)
        return {ASSAY_INVALID_OPTION, "block_size_mix takes the place of block_size; give one of them",
                "block_size_mix"};
    for (const SizeShare& size : block_size_mix)
        if (size.bytes % block_bytes != 0)
            return {ASSAY_INVALID_OPTION,
                    fmt::format("{} is no multiple of {}, the smallest of the sizes, to which offsets "
                                "are aligned",
                                size_text(size.bytes), size_text(block_bytes)),
                    "block_size_mix"};
    if (random() && random_map_given && random_map == RandomMap::once)
        return {ASSAY_INVALID_OPTION,
                "random_map once visits every block exactly once, which requests of different sizes (block_size_mix) "
                "cannot; leave out one of them",
                "random_map"};
    return {};
}

std::uint32_t Config::spare_buffers() const {
    if (!rotates_buffers()) return 0;
    std::uint64_t ring = (fresh_data_bytes - 1) / slot_bytes();
    if (!block_size_mix.empty()) {
        // Each buffer holds the largest, but most are not filled: more of them, within reason.
        const auto wanted = static_cast<std::uint64_t>(static_cast<double>(fresh_data_bytes) / mean_block_bytes());
        ring = std::max(ring, std::min(wanted, mix_ring_bytes_max / slot_bytes()));
    }
    // Reads of a pattern that does both go elsewhere, so that what was read is not written again.
    return static_cast<std::uint32_t>(ring) + (reads() ? slots() : 0);
}

double Config::mean_block_bytes() const {
    if (block_size_mix.empty()) return block_bytes;
    double bytes = 0;
    double weights = 0;
    for (const SizeShare& size : block_size_mix) {
        bytes += size.weight * size.bytes;
        weights += size.weight;
    }
    return bytes / weights;
}

} // namespace assay::block
