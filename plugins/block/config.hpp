// The options as typed fields, checked for how they fit together. Plain data; fixed after parse().
#pragma once

#include "assay/sdk/job.hpp"
#include "assay/sdk/status.hpp"
#include "plugins/block/options.hpp"
#include "plugins/common/request.hpp"
#include "plugins/common/uring_engine.hpp"

#include <cstdint>
#include <optional>

namespace assay::block {

struct Config {
    Engine engine = Engine::io_uring;
    bool direct = true;
    Pattern pattern = Pattern::randread;
    double read_share_percent = 50;
    std::uint32_t block_bytes = 4096;
    std::uint32_t queue_depth = 1;
    std::uint64_t offset_bytes = 0;
    std::optional<std::uint64_t> size_bytes;
    std::optional<std::uint64_t> amount_bytes;
    RandomMap random_map = RandomMap::once;
    Share share = Share::split;
    std::uint64_t seed = 1;
    LayoutRule layout = LayoutRule::automatic;
    bool unlink = false;
    std::uint32_t sync_every = 0;
    common::SyncCall sync_call = common::SyncCall::fsync;
    bool sync_at_end = false;
    std::uint32_t reap_batch = 0;
    common::Preference registered_buffers = common::Preference::automatic;
    common::Preference registered_files = common::Preference::automatic;
    common::UringPoll poll = common::UringPoll::none;

    std::uint32_t workers = 1;
    bool bounded_by_time = false;

    static Config parse(const sdk::Job& job);
    // What the option table cannot refuse by itself. `memory_bytes`: what this machine has.
    [[nodiscard]] sdk::Status check(std::uint64_t memory_bytes) const;

    [[nodiscard]] bool mixed() const { return pattern == Pattern::readwrite || pattern == Pattern::randrw; }
    [[nodiscard]] bool random() const {
        return pattern == Pattern::randread || pattern == Pattern::randwrite || pattern == Pattern::randrw;
    }
    [[nodiscard]] bool reads() const {
        return pattern == Pattern::read || pattern == Pattern::randread || (mixed() && read_share_percent > 0);
    }
    [[nodiscard]] bool writes() const {
        return pattern == Pattern::write || pattern == Pattern::randwrite || (mixed() && read_share_percent < 100);
    }
    // Request slots of a worker: what the engine can use of queue_depth.
    [[nodiscard]] std::uint32_t slots() const { return engine == Engine::psync ? 1 : queue_depth; }
    // From one buffer to the next: whole pages, so that no two requests share one.
    [[nodiscard]] std::uint64_t slot_bytes() const { return (std::uint64_t{block_bytes} + 4095) / 4096 * 4096; }
    [[nodiscard]] std::uint64_t buffer_bytes() const { return slot_bytes() * slots(); }
    [[nodiscard]] const char* pattern_name() const { return pattern_names[static_cast<std::size_t>(pattern)]; }
    [[nodiscard]] const char* engine_name() const { return engine_names[static_cast<std::size_t>(engine)]; }
};

} // namespace assay::block
