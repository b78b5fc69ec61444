#include "plugins/common/shaped_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace assay::common {
namespace {

constexpr std::size_t block = 4096;

// `count` blocks, written in requests of `each`.
std::vector<std::string> blocks_of(const DataShape& shape, std::size_t count, std::size_t each = 1,
                                   std::uint64_t salt = 1) {
    ShapedData data(shape, salt, block);
    std::vector<std::byte> buffer(each * block, std::byte{0x55});
    std::vector<std::string> blocks;
    while (blocks.size() < count) {
        data.fill(buffer);
        for (std::size_t i = 0; i < each; ++i)
            blocks.emplace_back(reinterpret_cast<const char*>(buffer.data()) + i * block, block);
    }
    return blocks;
}

TEST(ShapedData, EndsEachBlockWithTheShareOfZerosAndIsRandomBefore) {
    for (const double share : {0.25, 0.5, 0.9}) {
        for (const std::string& one : blocks_of({share, 0}, 20, 4)) {
            const std::size_t last = one.find_last_not_of('\0');
            EXPECT_NEAR(static_cast<double>(block - 1 - last), share * block, 4) << "one random byte in 256 is zero";
            // Of n random bytes each value comes n/256 times: deviation below its root.
            const auto random = (1 - share) * block;
            EXPECT_NEAR(
                static_cast<double>(std::count(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(random), '\7')),
                random / 256, 6 * std::sqrt(random / 256));
        }
    }
}

TEST(ShapedData, NoTwoBlocksAreAlikeWithoutRepeatsHoweverCompressible) {
    for (const double share : {0.5, 1.0}) {
        const auto blocks = blocks_of({share, 0}, 5000, 5);
        EXPECT_EQ(std::set<std::string>(blocks.begin(), blocks.end()).size(), 5000u) << share;
    }
}

TEST(ShapedData, ThatShareOfTheBlocksIsACopyOfAnEarlierOne) {
    for (const double share : {0.1, 0.5, 0.9}) {
        const auto blocks = blocks_of({0.5, share}, 20'000, 4);
        const std::set<std::string> distinct(blocks.begin(), blocks.end());
        // Binomial, five deviations.
        EXPECT_NEAR(20'000 - static_cast<double>(distinct.size()), share * 20'000,
                    5 * std::sqrt(20'000 * share * (1 - share)));
    }
    const auto all = blocks_of({0, 1}, 100);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 1u) << "the first, and 99 copies of it";
}

TEST(ShapedData, DifferentSaltsShareNoBlock) {
    auto both = blocks_of({0.5, 0.5}, 1000, 1, 1);
    const auto others = blocks_of({0.5, 0.5}, 1000, 1, 2);
    const std::set<std::string> mine(both.begin(), both.end());
    for (const std::string& one : others)
        ASSERT_EQ(mine.count(one), 0u);
}

TEST(ShapedData, SmallRequestsAreBlocksOfTheirOwn) {
    ShapedData data({0.5, 0}, 1, 512);
    std::vector<std::byte> buffer(512, std::byte{1});
    std::set<std::vector<std::byte>> seen;
    for (int i = 0; i < 100; ++i) {
        data.fill(buffer);
        EXPECT_EQ(buffer.back(), std::byte{0});
        seen.insert(buffer);
    }
    EXPECT_EQ(seen.size(), 100u);
}

} // namespace
} // namespace assay::common
