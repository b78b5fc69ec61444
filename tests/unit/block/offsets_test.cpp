#include "plugins/common/offsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace assay::common {
namespace {

constexpr std::uint64_t block = 4096;
using Seen = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

template <class Strategy>
Seen take(Strategy& strategy, std::size_t count, unsigned direction = 0) {
    Seen seen;
    for (std::size_t i = 0; i < count; ++i) {
        const Place place = strategy.next(direction);
        seen.emplace_back(place.part, place.offset_bytes);
    }
    return seen;
}

// Every block of every part, in order.
Seen blocks_of(const std::vector<Part>& parts) {
    Seen all;
    for (std::uint32_t part = 0; part < parts.size(); ++part)
        for (std::uint64_t i = 0; i < parts[part].blocks; ++i)
            all.emplace_back(part, parts[part].base_bytes + i * block);
    return all;
}

Seen sorted(Seen seen) {
    std::sort(seen.begin(), seen.end());
    return seen;
}

const std::vector<Part> one = {{8192, 5}};
const std::vector<Part> uneven = {{0, 3}, {1 << 20, 1}, {4096, 6}};

TEST(Sequential, AscendsFromTheBaseAndStartsAgainAtTheEnd) {
    SequentialOne strategy({one, block, 1});
    EXPECT_EQ(take(strategy, 7),
              (Seen{{0, 8192}, {0, 12288}, {0, 16384}, {0, 20480}, {0, 24576}, {0, 8192}, {0, 12288}}));
}

TEST(Sequential, ReadsAndWritesOfAMixKeepPositionsOfTheirOwn) {
    // fio 3.33, rw=rw: --debug=io shows both directions start at offset 0 and ascend independently.
    SequentialOne strategy({one, block, 1});
    take(strategy, 3, 0);
    EXPECT_EQ(take(strategy, 2, 1), (Seen{{0, 8192}, {0, 12288}}));
    EXPECT_EQ(take(strategy, 1, 0), (Seen{{0, 20480}}));
}

TEST(Sequential, TakesPartsInTurnAndLeavesOutThoseThatAreDone) {
    SequentialMany strategy({uneven, block, 1});
    const Seen pass = {{0, 0},    {1, 1 << 20}, {2, 4096},  {0, 4096},  {2, 8192},
                       {0, 8192}, {2, 12288},   {2, 16384}, {2, 20480}, {2, 24576}};
    EXPECT_EQ(take(strategy, 10), pass);
    EXPECT_EQ(take(strategy, 10), pass) << "the second pass repeats the first";
}

template <class Strategy>
void visits_each_block_once_a_pass(const std::vector<Part>& parts) {
    Strategy strategy({parts, block, 11});
    const Seen all = blocks_of(parts);
    const Seen first = take(strategy, all.size());
    const Seen second = take(strategy, all.size());
    EXPECT_EQ(sorted(first), sorted(all));
    EXPECT_EQ(sorted(second), sorted(all));
    EXPECT_NE(first, second) << "each pass has an order of its own";
    EXPECT_NE(first, all) << "not in ascending order";
}

TEST(RandomOnce, VisitsEachBlockOfOnePartOnceAPass) { visits_each_block_once_a_pass<RandomOnceOne>({{1 << 16, 1001}}); }

TEST(RandomOnce, VisitsEachBlockOfAllPartsOnceAPass) {
    visits_each_block_once_a_pass<RandomOnceMany>({{0, 300}, {8192, 1}, {4096, 77}});
}

TEST(RandomOnce, TheSameSeedGivesTheSameOrderAndAnotherSeedAnother) {
    const std::vector<Part> parts = {{0, 500}};
    RandomOnceOne a({parts, block, 7});
    RandomOnceOne b({parts, block, 7});
    RandomOnceOne c({parts, block, 8});
    const Seen order = take(a, 500);
    EXPECT_EQ(take(b, 500), order);
    EXPECT_NE(take(c, 500), order);
}

TEST(RandomFree, StaysInsideThePartsAndRepeatsBlocks) {
    const std::vector<Part> parts = {{0, 700}, {1 << 30, 300}};
    RandomFreeMany strategy({parts, block, 5});
    const Seen all = blocks_of(parts);
    const std::set<Seen::value_type> valid(all.begin(), all.end());
    std::set<Seen::value_type> distinct;
    std::size_t in_second = 0;
    for (const auto& place : take(strategy, 1000)) {
        ASSERT_TRUE(valid.count(place)) << place.first << " " << place.second;
        distinct.insert(place);
        in_second += place.first;
    }
    // Expected distinct of 1000 draws from 1000: 1000 (1 - 1/e) = 632, standard deviation about 10.
    EXPECT_NEAR(static_cast<double>(distinct.size()), 632, 50);
    // A part is drawn in proportion to its blocks: binomial, 300 +- 5 * 14.5.
    EXPECT_NEAR(static_cast<double>(in_second), 300, 73);
}

TEST(BlockMap, FindsThePartAtEveryBoundary) {
    const BlockMap map({uneven, block, 0});
    EXPECT_EQ(map.total(), 10u);
    Seen located;
    for (std::uint64_t i = 0; i < 10; ++i)
        located.emplace_back(map.locate(i).part, map.locate(i).offset_bytes);
    EXPECT_EQ(located, blocks_of(uneven));
}

} // namespace
} // namespace assay::common
