#include "plugins/block/share.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace assay::block {
namespace {

Target target_of(std::uint64_t blocks, std::uint64_t offset_bytes = 0) {
    Target target;
    target.path = "t";
    target.offset_bytes = offset_bytes;
    target.length_bytes = blocks * 4096;
    return target;
}

Config config_of(std::uint32_t workers, Share share = Share::split) {
    Config config;
    config.workers = workers;
    config.share = share;
    return config;
}

std::vector<std::vector<WorkerPart>> divided(const std::vector<Target>& targets, const Config& config) {
    std::vector<std::vector<WorkerPart>> parts;
    const auto status = divide(targets, config, parts);
    EXPECT_TRUE(status.ok()) << status.text();
    return parts;
}

TEST(Share, SplitDealsTargetsInTurnWhereThereAreEnough) {
    const auto parts =
        divided({target_of(10), target_of(20), target_of(30), target_of(40), target_of(50)}, config_of(2));
    ASSERT_EQ(parts.size(), 2u);
    ASSERT_EQ(parts[0].size(), 3u);
    ASSERT_EQ(parts[1].size(), 2u);
    EXPECT_EQ(parts[0][0].target, 0u);
    EXPECT_EQ(parts[0][1].target, 2u);
    EXPECT_EQ(parts[0][2].target, 4u);
    EXPECT_EQ(parts[1][0].target, 1u);
    EXPECT_EQ(parts[1][1].target, 3u);
    EXPECT_EQ(parts[1][1].part.blocks, 40u);
}

TEST(Share, SplitCutsATargetIntoEqualRunsThatCoverItExactly) {
    // 10 blocks over 4 workers: floor(10 i / 4) = 0 2 5 7 10.
    const auto parts = divided({target_of(10, 1 << 20)}, config_of(4));
    const std::uint64_t begins[] = {0, 2, 5, 7};
    const std::uint64_t counts[] = {2, 3, 2, 3};
    for (std::size_t w = 0; w < 4; ++w) {
        ASSERT_EQ(parts[w].size(), 1u);
        EXPECT_EQ(parts[w][0].part.base_bytes, (1u << 20) + begins[w] * 4096);
        EXPECT_EQ(parts[w][0].part.blocks, counts[w]);
    }
}

TEST(Share, SplitOfTwoTargetsOverFiveWorkersGivesOneThreeAndTheOtherTwo) {
    const auto parts = divided({target_of(30), target_of(30)}, config_of(5));
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_target;
    for (const auto& mine : parts) {
        ASSERT_EQ(mine.size(), 1u);
        by_target[mine[0].target].push_back(mine[0].part.blocks);
    }
    EXPECT_EQ(by_target[0], (std::vector<std::uint64_t>{10, 10, 10}));
    EXPECT_EQ(by_target[1], (std::vector<std::uint64_t>{15, 15}));
}

TEST(Share, SharedGivesEveryWorkerEverything) {
    const auto parts = divided({target_of(10), target_of(20)}, config_of(3, Share::shared));
    for (const auto& mine : parts) {
        ASSERT_EQ(mine.size(), 2u);
        EXPECT_EQ(mine[0].part.blocks, 10u);
        EXPECT_EQ(mine[1].part.blocks, 20u);
    }
}

TEST(Share, RefusesToSplitFewerBlocksThanWorkersWithTheArithmetic) {
    std::vector<std::vector<WorkerPart>> parts;
    const auto status = divide({target_of(3)}, config_of(4), parts);
    EXPECT_EQ(status.code(), ASSAY_INVALID_OPTION);
    EXPECT_EQ(status.option(), "share");
    EXPECT_NE(status.text().find("3 blocks of 4KiB cannot be split over 4 workers"), std::string::npos);
}

TEST(Share, OnePassWithoutTimeAndNoEndWithIt) {
    const std::vector<WorkerPart> parts = {{0, {0, 10}}, {1, {0, 7}}};
    Config config = config_of(1);
    EXPECT_EQ(operations_of(parts, config), 17u);
    config.bounded_by_time = true;
    EXPECT_EQ(operations_of(parts, config), UINT64_MAX);
}

TEST(Share, AnAmountIsRoundedUpToWholeRequestsAsFioDoes) {
    // fio 3.33: --io_size=10000 --bs=4096 moves 12288 bytes, also past the region's end and with a run time.
    Config config = config_of(1);
    config.amount_bytes = 10000;
    EXPECT_EQ(operations_of({{0, {0, 2}}}, config), 3u);
    config.bounded_by_time = true;
    EXPECT_EQ(operations_of({{0, {0, 2}}}, config), 3u);
    config.amount_bytes = 8192;
    EXPECT_EQ(operations_of({{0, {0, 2}}}, config), 2u);
    config.amount_bytes = 1;
    EXPECT_EQ(operations_of({{0, {0, 2}}}, config), 1u);
}

} // namespace
} // namespace assay::block
