#include "plugins/common/permutation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::common {
namespace {

std::vector<std::uint64_t> all_of(const Permutation& order, std::uint64_t n) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < n; ++i)
        values.push_back(order(i));
    return values;
}

TEST(Prng, SplitMixFollowsItsPublishedSequence) {
    // Reference output of splitmix64.c for the seed 1234567.
    std::uint64_t state = 1234567;
    EXPECT_EQ(mix64(state += golden_gamma), 6457827717110365317u);
    EXPECT_EQ(mix64(state += golden_gamma), 3203168211198807973u);
    EXPECT_EQ(mix64(state += golden_gamma), 9817491932198370423u);
    EXPECT_EQ(mix64(state += golden_gamma), 4593380528125082431u);
    EXPECT_EQ(mix64(state += golden_gamma), 16408922859458223821u);
}

TEST(Prng, BelowStaysBelowItsBoundAndReachesAllValues) {
    Prng prng(3);
    std::vector<int> seen(7, 0);
    for (int i = 0; i < 7000; ++i) {
        const std::uint64_t value = prng.below(7);
        ASSERT_LT(value, 7u);
        ++seen[value];
    }
    // Binomial(7000, 1/7): mean 1000, standard deviation 29.3; five of those on either side.
    for (const int count : seen)
        EXPECT_NEAR(count, 1000, 147);
}

TEST(Prng, DifferentSeedsAndStreamsGiveDifferentNumbers) {
    EXPECT_NE(Prng(1).next(), Prng(2).next());
    EXPECT_NE(derive_seed(1, 0), derive_seed(1, 1));
    EXPECT_NE(derive_seed(1, 1), derive_seed(2, 0));
    EXPECT_EQ(Prng(9).next(), Prng(9).next());
}

TEST(Permutation, VisitsEveryNumberExactlyOnceForAnyCount) {
    for (const std::uint64_t n :
         {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 100u, 255u, 256u, 257u, 1000u, 4096u, 10007u, 65537u}) {
        for (const std::uint64_t key : {0u, 1u, 77u}) {
            std::vector<bool> seen(n, false);
            for (const std::uint64_t value : all_of(Permutation(n, key), n)) {
                ASSERT_LT(value, n);
                ASSERT_FALSE(seen[value]) << "twice: " << value << " of " << n << " with key " << key;
                seen[value] = true;
            }
        }
    }
}

TEST(Permutation, AnotherKeyGivesAnotherOrder) {
    Permutation order(1000, 5);
    const auto first = all_of(order, 1000);
    order.rekey(6);
    EXPECT_NE(all_of(order, 1000), first);
    order.rekey(5);
    EXPECT_EQ(all_of(order, 1000), first);
}

// Of a truly random order, the distance between neighbours averages (n + 1) / 3, and the correlation of neighbours has
// a standard deviation of about 1 / sqrt(n).
TEST(Permutation, NeighboursInTheOrderAreUnrelated) {
    for (const std::uint64_t n : {4096u, 10007u, 65536u, 100000u}) {
        const auto values = all_of(Permutation(n, 1), n);
        const double mean = (static_cast<double>(n) - 1) / 2;
        double distance = 0;
        double covariance = 0;
        double variance = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            const double here = static_cast<double>(values[i]) - mean;
            const double next = static_cast<double>(values[(i + 1) % n]) - mean;
            distance += std::abs(here - next);
            covariance += here * next;
            variance += here * here;
        }
        const auto count = static_cast<double>(n);
        EXPECT_NEAR(distance / count, (count + 1) / 3, count * 0.02) << n;
        EXPECT_NEAR(covariance / variance, 0, 5 / std::sqrt(count)) << n;
    }
}

// Chi-square over `cells` equally likely cells stays below this with probability 0.99999 (Wilson-Hilferty, z = 4.27).
double chi_square_limit(double cells) {
    const double degrees = cells - 1;
    return degrees * std::pow(1 - 2 / (9 * degrees) + 4.27 * std::sqrt(2 / (9 * degrees)), 3);
}

double chi_square(const std::vector<double>& counts, double total) {
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const double count : counts)
        sum += (count - expected) * (count - expected) / expected;
    return sum;
}

// What a device could notice: the next block is predictable from this one, or lies at a favourite distance.
TEST(Permutation, StepsAndPairsAreSpreadEvenly) {
    for (const std::uint64_t n : {4096u, 10007u, 65536u, 65537u, 100000u, 1u << 20}) {
        for (const std::uint64_t key : {1u, 2u, 3u}) {
            const auto values = all_of(Permutation(n, key), n);
            std::vector<double> pairs(64, 0);
            std::vector<double> steps(64, 0);
            for (std::uint64_t i = 0; i + 1 < n; ++i) {
                pairs[values[i] * 8 / n * 8 + values[i + 1] * 8 / n] += 1;
                steps[(values[i + 1] + n - values[i]) % n * 64 / n] += 1;
            }
            EXPECT_LT(chi_square(pairs, static_cast<double>(n - 1)), chi_square_limit(64)) << n << " key " << key;
            EXPECT_LT(chi_square(steps, static_cast<double>(n - 1)), chi_square_limit(64)) << n << " key " << key;
        }
    }
}

// 16 equal stretches of the order by 16 equal ranges of values. (Without replacement they vary less, never more.)
TEST(Permutation, EveryStretchOfTheOrderCoversAllRegionsAlike) {
    constexpr std::uint64_t n = 1u << 20;
    const Permutation order(n, 42);
    std::vector<double> cells(256, 0);
    for (std::uint64_t i = 0; i < n; ++i)
        cells[(i >> 16) * 16 + (order(i) >> 16)] += 1;
    EXPECT_LT(chi_square(cells, n), chi_square_limit(256));
}

} // namespace
} // namespace assay::common
