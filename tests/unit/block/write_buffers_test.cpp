// What is written has nothing to find for a compressor that looks back 2 MiB.
#include "plugins/block/write_buffers.hpp"
#include "plugins/block/config.hpp"
#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::block {
namespace {

// The least distance between two equal 8-byte words of `content`, both on 8-byte bounds; UINT64_MAX: all differ. Of
// random words in so little data none are equal by chance (2^-25). The number that all stamps of one request share is
// left out.
std::uint64_t shortest_repeat(const std::string& content) {
    std::unordered_map<std::uint64_t, std::size_t> last;
    last.reserve(content.size() / 8);
    std::uint64_t shortest = UINT64_MAX;
    for (std::size_t at = 0; at + 8 <= content.size(); at += 8) {
        if (at % 4096 == 8) continue;
        std::uint64_t word = 0;
        std::memcpy(&word, content.data() + at, sizeof(word));
        const auto [found, fresh] = last.try_emplace(word, at);
        if (fresh) continue;
        shortest = std::min<std::uint64_t>(shortest, at - found->second);
        found->second = at;
    }
    return shortest;
}

class WrittenData : public FileTest, public testing::WithParamInterface<const char*> {
protected:
    std::string written(OptionTexts options, double rate_per_s = 0) {
        filled("a", 8 << 20);
        options.emplace_back("engine", GetParam());
        BenchRun run{std::move(options), {path("a")}};
        run.rate_per_s = rate_per_s;
        const auto outcome = run_block(run);
        EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        return content_of(path("a"));
    }
};
INSTANTIATE_TEST_SUITE_P(Block, WrittenData, testing::Values("psync", "libaio", "io_uring"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(WrittenData, ComesBackAfterTwoMebibytesAtTheEarliest) {
    for (const char* block : {"512B", "4KiB", "64KiB", "1MiB", "4MiB"})
        for (const char* depth : {"1", "32"})
            EXPECT_GE(shortest_repeat(written({{"pattern", "write"}, {"block_size", block}, {"queue_depth", depth}})),
                      std::uint64_t{2} << 20)
                << block << " at depth " << depth;
}

TEST_P(WrittenData, IsTheSameWithASchedule) {
    const auto content = written({{"pattern", "write"}, {"queue_depth", "8"}, {"amount", "4MiB"}}, 50'000);
    EXPECT_GE(shortest_repeat(content.substr(0, 4 << 20)), std::uint64_t{2} << 20);
}

TEST_P(WrittenData, IsFreshInAMixOfSizesToo) {
    const auto content = written(
        {{"pattern", "write"}, {"block_size_mix", "4KiB:80,64KiB:20"}, {"amount", "4MiB"}, {"queue_depth", "4"}});
    // A request that does not fit into the rest of a buffer begins it again.
    EXPECT_GE(shortest_repeat(content.substr(0, 4 << 20)), std::uint64_t{1} << 20);
}

TEST_P(WrittenData, IsNeverWhatAMixHasRead) {
    // Half of the requests read a file full of 'x'.
    const auto content = written({{"pattern", "randrw"}, {"queue_depth", "8"}});
    std::size_t written_blocks = 0;
    for (std::size_t at = 0; at < content.size(); at += 4096) {
        const std::string block = content.substr(at, 4096);
        if (block == std::string(4096, 'x')) continue;
        ++written_blocks;
        ASSERT_EQ(block.find(std::string(16, 'x')), std::string::npos) << at;
    }
    EXPECT_GT(written_blocks, 800u);
}

std::vector<common::Buffer> some_buffers(std::vector<std::byte>& memory, std::uint32_t slot_bytes) {
    std::vector<common::Buffer> buffers;
    for (std::size_t at = 0; at < memory.size(); at += slot_bytes)
        buffers.push_back({memory.data() + at, static_cast<std::uint32_t>(at / slot_bytes), 0});
    return buffers;
}

TEST(WriteBuffers, NeverGiveABufferThatAnotherSlotStillHas) {
    constexpr std::uint32_t slots = 4;
    std::vector<std::byte> memory(std::size_t{10} * 4096);
    auto buffers = some_buffers(memory, 4096);
    WriteBuffers writes({buffers, {}, slots, 4096});
    std::vector<common::Request> requests(slots);
    for (std::uint32_t i = 0; i < slots; ++i)
        requests[i].slot = i;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        // Slot 0 is in flight for long: only now and then it is given another.
        common::Request& request = requests[i % 97 == 0 ? 0 : 1 + i * 7 % 3];
        writes.give_for_write(request, 4096);
        EXPECT_EQ(request.buffer, memory.data() + std::size_t{request.buffer_index} * 4096);
        std::set<const std::byte*> held;
        for (const common::Request& each : requests) {
            if (each.buffer == nullptr) continue;
            EXPECT_TRUE(held.insert(each.buffer).second);
        }
    }
}

TEST(WriteBuffers, GoThroughABufferPieceByPieceAndStayInside) {
    std::vector<std::byte> memory(4096);
    auto buffers = some_buffers(memory, 4096);
    WriteBuffers writes({buffers, {}, 1, 4096});
    common::Request request;
    std::vector<std::ptrdiff_t> at;
    for (const std::uint64_t bytes : {512u, 1000u, 2048u, 1024u, 4096u, 512u}) {
        writes.give_for_write(request, bytes);
        at.push_back(request.buffer - memory.data());
    }
    EXPECT_EQ(at, (std::vector<std::ptrdiff_t>{0, 512, 1536, 0, 0, 0}));
}

TEST(WriteBuffers, WithoutAnyARequestKeepsItsOwn) {
    WriteBuffers writes({});
    std::byte own{};
    common::Request request;
    request.buffer = &own;
    writes.give_for_write(request, 4096);
    writes.give_for_read(request);
    EXPECT_EQ(request.buffer, &own);
}

TEST(WriteBuffers, AreCountedAsMemoryOfTheRun) {
    Config config;
    config.queue_depth = 8;
    EXPECT_EQ(config.buffer_bytes(), 8u * 4096) << "reads need none";
    config.pattern = Pattern::write;
    EXPECT_EQ(config.buffer_bytes(), (8u + 511) * 4096) << "one that comes back after 512 writes of 4 KiB";
    config.pattern = Pattern::randrw;
    EXPECT_EQ(config.buffer_bytes(), (16u + 511) * 4096) << "a mix reads elsewhere";
    config.block_bytes = 2 << 20;
    config.pattern = Pattern::write;
    EXPECT_EQ(config.buffer_bytes(), std::uint64_t{8} << 21) << "two MiB of its own each";
    config.block_bytes = 4096;
    config.data.repeated_share = 0.5;
    EXPECT_EQ(config.buffer_bytes(), 8u * 4096) << "such data is made anew for each write";
}

} // namespace
} // namespace assay::block
