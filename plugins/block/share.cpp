#include "plugins/block/share.hpp"

#include "plugins/common/size_text.hpp"

#include <fmt/core.h>

namespace assay::block {

using common::size_text;

namespace {

// floor(blocks * index / count) without overflow.
std::uint64_t cut(std::uint64_t blocks, std::uint64_t index, std::uint64_t count) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(blocks) * index / count);
}

} // namespace

sdk::Status divide(const std::vector<Target>& targets, const Config& config,
                   std::vector<std::vector<WorkerPart>>& parts) {
    const std::uint64_t workers = config.workers;
    const std::uint64_t block = config.block_bytes;
    parts.assign(workers, {});
    for (std::uint32_t t = 0; t < targets.size(); ++t) {
        const Target& target = targets[t];
        const std::uint64_t blocks = target.length_bytes / block;
        const std::uint64_t least = config.largest_block_bytes() / block; // of a part
        if (config.share == Share::shared) {
            for (auto& mine : parts)
                mine.push_back({t, {target.offset_bytes, blocks}});
            continue;
        }
        if (targets.size() >= workers) {
            parts[t % workers].push_back({t, {target.offset_bytes, blocks}});
            continue;
        }
        const std::uint64_t count = (workers - t + targets.size() - 1) / targets.size();
        if (blocks / count < least)
            return {ASSAY_INVALID_OPTION,
                    fmt::format("target {}: its {} blocks of {} cannot be split over {} workers{}; use fewer workers, "
                                "a larger size, or share shared",
                                target.path, blocks, size_text(block), count,
                                least > 1 ? " with requests of up to " + size_text(config.largest_block_bytes()) : ""),
                    "share"};
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t begin = cut(blocks, i, count);
            const std::uint64_t end = cut(blocks, i + 1, count);
            parts[t + i * targets.size()].push_back({t, {target.offset_bytes + begin * block, end - begin}});
        }
    }
    return {};
}

std::uint64_t operations_of(const std::vector<WorkerPart>& parts, const Config& config) {
    const std::uint64_t block = config.block_bytes;
    if (config.amount_bytes) return (*config.amount_bytes - 1) / block + 1;
    if (config.bounded_by_time) return UINT64_MAX;
    std::uint64_t blocks = 0;
    for (const WorkerPart& part : parts)
        blocks += part.part.blocks;
    return blocks;
}

} // namespace assay::block
