#include "plugins/common/distribution.hpp"
#include "tests/unit/block/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::common {
namespace {

using block::chi_square_misfit;

constexpr std::uint64_t draws = 1'000'000;

std::vector<std::uint64_t> counts_of(std::uint64_t n, const DistributionSetup& setup, std::uint64_t seed = 1) {
    Distribution distribution(n, setup, seed);
    std::vector<std::uint64_t> counts(n);
    for (std::uint64_t i = 0; i < draws; ++i)
        ++counts.at(distribution.next());
    return counts;
}

// By rank instead of by place.
std::vector<std::uint64_t> unscattered(const std::vector<std::uint64_t>& counts, std::uint64_t scatter_seed) {
    const Permutation scatter(counts.size(), scatter_seed);
    std::vector<std::uint64_t> ranked;
    for (std::uint64_t rank = 0; rank < counts.size(); ++rank)
        ranked.push_back(counts[scatter(rank)]);
    return ranked;
}

DistributionSetup of_kind(DistributionKind kind) {
    DistributionSetup setup;
    setup.kind = kind;
    return setup;
}

TEST(Distribution, UniformDrawsEveryBlockAlike) {
    EXPECT_EQ(chi_square_misfit(counts_of(1000, of_kind(DistributionKind::uniform)), std::vector<double>(1000, 1)), "");
}

TEST(Distribution, ZipfDrawsRanksInProportionToTheirPower) {
    for (const double theta : {0.2, 0.5, 0.8, 0.99, 1.0, 1.0000001, 1.2, 1.5, 2.0, 3.0}) {
        DistributionSetup setup = of_kind(DistributionKind::zipf);
        setup.zipf_theta = theta;
        setup.scatter_seed = 17;
        std::vector<double> probabilities;
        for (int rank = 1; rank <= 200; ++rank)
            probabilities.push_back(std::pow(rank, -theta));
        for (const std::uint64_t seed : {1, 2})
            EXPECT_EQ(chi_square_misfit(unscattered(counts_of(200, setup, seed), 17), probabilities), "")
                << "theta " << theta << " seed " << seed;
    }
}

TEST(Distribution, TheChiSquareTestTellsNeighbouringExponentsApart) {
    DistributionSetup setup = of_kind(DistributionKind::zipf);
    setup.zipf_theta = 1.02;
    std::vector<double> probabilities;
    for (int rank = 1; rank <= 200; ++rank)
        probabilities.push_back(std::pow(rank, -1.0));
    EXPECT_NE(chi_square_misfit(unscattered(counts_of(200, setup), 0), probabilities), "");
}

TEST(Distribution, ZipfIsExactOverATerabyteToo) {
    // Of 2^40 ranks: the sum of k^-1.2 is zeta(1.2) - n^-0.2 / 0.2 = 5.5915824 - 0.0195313 (Euler and Maclaurin).
    constexpr double sum = 5.5915824 - 0.0195313;
    const ZipfSampler sampler(std::uint64_t{1} << 40, 1.2);
    Prng prng(3);
    std::vector<std::uint64_t> counts(51);
    for (std::uint64_t i = 0; i < draws; ++i) {
        const std::uint64_t rank = sampler.draw(prng);
        ASSERT_GE(rank, 1u);
        ASSERT_LE(rank, std::uint64_t{1} << 40);
        ++counts[rank <= 50 ? rank - 1 : 50];
    }
    std::vector<double> probabilities;
    double rest = 1;
    for (int rank = 1; rank <= 50; ++rank) {
        probabilities.push_back(std::pow(rank, -1.2) / sum);
        rest -= probabilities.back();
    }
    probabilities.push_back(rest);
    EXPECT_EQ(chi_square_misfit(counts, probabilities), "");
}

TEST(Distribution, ZipfOfOneOrTwoBlocksIsNoSpecialCase) {
    DistributionSetup setup = of_kind(DistributionKind::zipf);
    setup.zipf_theta = 1;
    EXPECT_EQ(counts_of(1, setup)[0], draws);
    EXPECT_EQ(chi_square_misfit(unscattered(counts_of(2, setup), 0), {1, 0.5}), "");
}

TEST(Distribution, ZipfsPopularBlocksAreNoNeighbours) {
    const Permutation scatter(1 << 20, 5);
    int close = 0;
    for (std::uint64_t rank = 0; rank + 1 < 100; ++rank) {
        const auto a = static_cast<double>(scatter(rank));
        const auto b = static_cast<double>(scatter(rank + 1));
        close += std::abs(a - b) < 1000 ? 1 : 0;
    }
    // Two random places of 2^20 are that close once in 500.
    EXPECT_LE(close, 3);
}

TEST(Distribution, ThoseWhoShareARegionAgreeOnItsPopularBlocks) {
    DistributionSetup setup = of_kind(DistributionKind::zipf);
    setup.scatter_seed = 9;
    const auto hottest = [](const std::vector<std::uint64_t>& counts) {
        return std::max_element(counts.begin(), counts.end()) - counts.begin();
    };
    EXPECT_EQ(hottest(counts_of(1000, setup, 1)), hottest(counts_of(1000, setup, 2)));
}

TEST(Distribution, ParetoKeepsItsShareRule) {
    for (const double h : {0.1, 0.2, 0.35, 0.5}) {
        DistributionSetup setup = of_kind(DistributionKind::pareto);
        setup.pareto_h = h;
        setup.scatter_seed = 4;
        const auto ranked = unscattered(counts_of(1000, setup), 4);
        const auto share = [&](double of_blocks) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(std::llround(of_blocks * 1000)); ++i)
                sum += ranked[i];
            return static_cast<double>(sum) / draws;
        };
        // Binomial: at most 0.0005 deviation. Self-similar: the rule holds within the popular part again.
        EXPECT_NEAR(share(h), 1 - h, 0.0025) << h;
        if (h * h * 1000 == std::floor(h * h * 1000)) {
            EXPECT_NEAR(share(h * h), (1 - h) * (1 - h), 0.0025) << h;
        }
    }
}

TEST(Distribution, ParetoFitsItsCurveByChiSquare) {
    // P(rank <= x n) = x^(log(1-h)/log(h)).
    for (const double h : {0.05, 0.2, 0.4}) {
        DistributionSetup setup = of_kind(DistributionKind::pareto);
        setup.pareto_h = h;
        const double power = std::log(1 - h) / std::log(h);
        std::vector<double> probabilities;
        for (int i = 0; i < 300; ++i)
            probabilities.push_back(std::pow((i + 1) / 300.0, power) - std::pow(i / 300.0, power));
        EXPECT_EQ(chi_square_misfit(unscattered(counts_of(300, setup), 0), probabilities), "") << h;
    }
}

TEST(Distribution, NormalIsABellCutOffAtTheRegionsEnds) {
    for (const double deviation : {0.02, 0.1, 0.5, 1.0}) {
        DistributionSetup setup = of_kind(DistributionKind::normal);
        setup.normal_deviation = deviation;
        const auto below = [&](double place) {
            return 0.5 * std::erfc(-(place / 400 - 0.5) / deviation / std::sqrt(2));
        };
        std::vector<double> probabilities;
        for (int i = 0; i < 400; ++i)
            probabilities.push_back(below(i + 1) - below(i));
        EXPECT_EQ(chi_square_misfit(counts_of(400, setup), probabilities), "") << deviation;
    }
}

TEST(Distribution, ZonesGetTheirSharesAndAreUniformInside) {
    const std::vector<Zone> zones = {{0.1, 60}, {0.2, 30}, {0.7, 10}};
    DistributionSetup setup = of_kind(DistributionKind::zoned);
    setup.zones = zones;
    std::vector<double> probabilities;
    for (int i = 0; i < 1000; ++i)
        probabilities.push_back(i < 100 ? 0.6 / 100 : i < 300 ? 0.3 / 200 : 0.1 / 700);
    EXPECT_EQ(chi_square_misfit(counts_of(1000, setup), probabilities), "");
}

TEST(Distribution, ZonesCoverTheRegionWithoutGapsWhateverItsSize) {
    const std::vector<Zone> zones = {{1.0 / 3, 1}, {1.0 / 3, 1}, {1.0 / 3, 1}};
    for (const std::uint64_t n : {3, 4, 5, 100, 1001}) {
        std::uint64_t end = 0;
        for (std::size_t zone = 0; zone < 3; ++zone) {
            const ZoneRange range = zone_range(n, zones, zone);
            EXPECT_EQ(range.begin, end) << n;
            EXPECT_GT(range.end, range.begin) << n;
            end = range.end;
        }
        EXPECT_EQ(end, n);
    }
}

TEST(Distribution, TheSameSeedDrawsTheSameBlocks) {
    const std::vector<Zone> zones = {{0.5, 1}, {0.5, 9}};
    for (const auto kind : {DistributionKind::zipf, DistributionKind::pareto, DistributionKind::normal,
                            DistributionKind::zoned, DistributionKind::uniform}) {
        DistributionSetup setup = of_kind(kind);
        setup.zones = zones;
        const auto first = [&](std::uint64_t seed) {
            Distribution distribution(1 << 20, setup, seed);
            std::vector<std::uint64_t> blocks;
            for (int i = 0; i < 100; ++i)
                blocks.push_back(distribution.next());
            return blocks;
        };
        EXPECT_EQ(first(1), first(1));
        EXPECT_NE(first(1), first(2));
    }
}

} // namespace
} // namespace assay::common
