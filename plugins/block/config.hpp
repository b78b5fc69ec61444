// The options as typed fields, checked for how they fit together. Plain data; fixed after parse().
#pragma once

#include "assay/sdk/job.hpp"
#include "assay/sdk/status.hpp"
#include "plugins/block/options.hpp"
#include "plugins/block/stream.hpp"
#include "plugins/common/distribution.hpp"
#include "plugins/common/request.hpp"
#include "plugins/common/shaped_data.hpp"
#include "plugins/common/uring_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::block {

struct Config {
    Engine engine = Engine::io_uring;
    bool direct = true;
    Pattern pattern = Pattern::randread;
    double read_share_percent = 50;
    std::uint32_t block_bytes = 4096;      // of a mix the smallest: offsets and lengths are multiples of it
    std::vector<SizeShare> block_size_mix; // empty: block_bytes each
    bool block_size_given = false;
    std::uint32_t queue_depth = 1;
    std::uint64_t offset_bytes = 0;
    std::optional<std::uint64_t> size_bytes;
    std::optional<std::uint64_t> amount_bytes;
    RandomMap random_map = RandomMap::once;
    bool random_map_given = false;
    common::DistributionKind distribution = common::DistributionKind::uniform;
    double zipf_theta = 1.2;
    double pareto_h = 0.2;
    double normal_deviation = 0.1; // of the region
    std::vector<common::Zone> zones;
    bool zipf_theta_given = false;
    bool pareto_h_given = false;
    bool normal_deviation_given = false;
    Share share = Share::split;
    std::uint64_t seed = 1;
    LayoutRule layout = LayoutRule::automatic;
    bool unlink = false;
    std::uint32_t sync_every = 0;
    common::SyncCall sync_call = common::SyncCall::fsync;
    bool sync_at_end = false;
    SyncWrites sync_writes = SyncWrites::none;
    common::DataShape data;
    std::int64_t think_ns = 0;
    std::uint64_t think_every = 1;
    bool think_time_given = false;
    bool think_every_given = false;
    std::uint32_t reap_batch = 0;
    common::Preference registered_buffers = common::Preference::automatic;
    common::Preference registered_files = common::Preference::automatic;
    common::UringPoll poll = common::UringPoll::none;

    std::uint32_t workers = 1;
    bool bounded_by_time = false;

    static Config parse(const sdk::Job& job);
    // What the option table cannot refuse by itself. `memory_bytes`: what this machine has.
    [[nodiscard]] sdk::Status check(std::uint64_t memory_bytes) const;
    [[nodiscard]] sdk::Status check_engine() const;
    // Refuses what was given and would be ignored (ignored.cpp).
    [[nodiscard]] sdk::Status check_ignored() const;
    [[nodiscard]] sdk::Status check_distribution() const;
    [[nodiscard]] sdk::Status check_mix() const;

    [[nodiscard]] bool mixed() const { return pattern == Pattern::readwrite || pattern == Pattern::randrw; }
    [[nodiscard]] bool random() const {
        return pattern == Pattern::randread || pattern == Pattern::randwrite || pattern == Pattern::randrw ||
               pattern == Pattern::randtrim;
    }
    [[nodiscard]] bool trims() const { return pattern == Pattern::trim || pattern == Pattern::randtrim; }
    [[nodiscard]] bool reads() const {
        return pattern == Pattern::read || pattern == Pattern::randread || (mixed() && read_share_percent > 0);
    }
    // Changes the target: also by trimming it.
    [[nodiscard]] bool writes() const {
        return pattern == Pattern::write || pattern == Pattern::randwrite || trims() ||
               (mixed() && read_share_percent < 100);
    }
    // How the next place is found.
    [[nodiscard]] Order order() const {
        if (!random()) return Order::sequential;
        const bool once = random_map == RandomMap::once && distribution == common::DistributionKind::uniform &&
                          block_size_mix.empty();
        return once ? Order::once : Order::drawn;
    }
    // Needs the stream that looks at options as it goes.
    [[nodiscard]] bool shaped() const {
        return trims() || !block_size_mix.empty() || (writes() && !data.plain()) ||
               (random() && distribution != common::DistributionKind::uniform);
    }
    // Trims are system calls that return when they are done, whatever the engine.
    [[nodiscard]] Engine engine_in_force() const { return trims() ? Engine::psync : engine; }
    // Request slots of a worker: what the engine can use of queue_depth.
    [[nodiscard]] std::uint32_t slots() const { return engine_in_force() == Engine::psync ? 1 : queue_depth; }
    // From one buffer to the next: whole pages, so that no two requests share one. A trim needs no buffer.
    [[nodiscard]] std::uint64_t slot_bytes() const {
        return trims() ? 4096 : (std::uint64_t{largest_block_bytes()} + 4095) / 4096 * 4096;
    }
    [[nodiscard]] std::uint32_t largest_block_bytes() const {
        std::uint32_t largest = block_bytes;
        for (const SizeShare& size : block_size_mix)
            largest = std::max(largest, size.bytes);
        return largest;
    }
    [[nodiscard]] double mean_block_bytes() const;
    // The option that sizes come from, for messages.
    [[nodiscard]] const char* size_option() const { return block_size_mix.empty() ? "block_size" : "block_size_mix"; }
    // Writes of stamped random data take their buffers from a ring (write_buffers.hpp); shaped data is made anew.
    [[nodiscard]] bool rotates_buffers() const { return writes() && !trims() && data.plain(); }
    // Buffers of a worker besides one for each slot.
    [[nodiscard]] std::uint32_t spare_buffers() const;
    [[nodiscard]] std::uint64_t buffer_bytes() const {
        return slot_bytes() * (std::uint64_t{slots()} + spare_buffers());
    }
    [[nodiscard]] const char* pattern_name() const { return pattern_names[static_cast<std::size_t>(pattern)]; }
    [[nodiscard]] const char* engine_name() const { return engine_names[static_cast<std::size_t>(engine)]; }
};

} // namespace assay::block
