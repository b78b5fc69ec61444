#include "plugins/block/config.hpp"
#include "plugins/common/size_text.hpp"

#include <fmt/core.h>

namespace assay::block {

using common::size_text;

Config Config::parse(const sdk::Job& job) {
    const auto size = [&](Option option) { return static_cast<std::uint64_t>(job.integer(option)); };
    const auto count = [&](Option option) { return static_cast<std::uint32_t>(job.integer(option)); };
    Config config;
    config.engine = job.choice<Engine>(option_engine);
    config.direct = job.flag(option_direct);
    config.pattern = job.choice<Pattern>(option_pattern);
    config.read_share_percent = job.real(option_read_share);
    config.block_bytes = count(option_block_size);
    config.queue_depth = count(option_queue_depth);
    config.offset_bytes = size(option_offset);
    if (job.present(option_size)) config.size_bytes = size(option_size);
    if (job.present(option_amount)) config.amount_bytes = size(option_amount);
    config.random_map = job.choice<RandomMap>(option_random_map);
    config.share = job.choice<Share>(option_share);
    config.seed = size(option_seed);
    config.layout = job.choice<LayoutRule>(option_layout);
    config.unlink = job.flag(option_unlink);
    config.sync_every = count(option_sync_every);
    config.sync_call = job.choice<common::SyncCall>(option_sync_call);
    config.sync_at_end = job.flag(option_sync_at_end);
    config.reap_batch = count(option_reap_batch);
    config.registered_buffers = job.choice<common::Preference>(option_registered_buffers);
    config.registered_files = job.choice<common::Preference>(option_registered_files);
    config.poll = job.choice<common::UringPoll>(option_poll);
    config.workers = job.local_workers();
    config.bounded_by_time = job.bounded_by_time();
    return config;
}

sdk::Status Config::check(std::uint64_t memory_bytes) const {
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
    const std::uint64_t total_bytes = buffer_bytes() * workers;
    if (total_bytes > memory_bytes / 2)
        return {ASSAY_INVALID_OPTION,
                fmt::format("queue_depth {} x block_size {} x {} workers = {} of buffers, more than half of this "
                            "machine's {} of memory; lower one of them",
                            slots(), size_text(slot_bytes()), workers, size_text(total_bytes), size_text(memory_bytes)),
                "queue_depth"};
    return {};
}

} // namespace assay::block
