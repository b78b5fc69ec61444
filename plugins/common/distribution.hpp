// Where random requests fall when not every block is equally likely: zipf, pareto, normal and zoned draws over the
// blocks 0 .. n-1.
//
// zipf and pareto rank blocks by popularity; the ranks are scattered over the region by a bijection, so that popular
// blocks are not neighbours. normal and zoned are about places and are not scattered. Hot: a draw costs 20 to 60 ns
// (tests/perf/bench_block) and allocates nothing. Used by one thread.
#pragma once

#include "plugins/common/permutation.hpp"
#include "plugins/common/prng.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace assay::common {

enum class DistributionKind : std::uint8_t { uniform = 0, zipf = 1, pareto = 2, normal = 3, zoned = 4 };

// A run of blocks of the region and its share of the requests.
struct Zone {
    double size_share = 0; // of all blocks; those of all zones add up to 1
    double weight = 0;     // relative to the other zones; above 0
};

struct DistributionSetup {
    DistributionKind kind = DistributionKind::uniform;
    double zipf_theta = 1.2;        // above 0
    double pareto_h = 0.2;          // 0 < h <= 0.5: 1-h of the requests go to h of the blocks
    double normal_deviation = 0.1;  // of the region
    std::span<const Zone> zones;    // in the order of the region
    std::uint64_t scatter_seed = 0; // the same for all who share a region, so that they agree on the popular blocks
};

// Draws ranks 1 .. n with probabilities in proportion to rank^-theta, exactly: rejection-inversion (Hoermann and
// Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", 1996). Fewer than 1.2
// attempts a draw, for any n and theta, without tables.
class ZipfSampler {
public:
    ZipfSampler(std::uint64_t n, double theta);
    std::uint64_t draw(Prng& prng) const;

private:
    [[nodiscard]] double density(double x) const;
    [[nodiscard]] double integral(double x) const; // of the density, up to a constant
    [[nodiscard]] double inverse(double y) const;  // of integral()

    double n_;
    double theta_;
    double lowest_; // integral at the left end of rank 1's step and at the right end of rank n's
    double highest_;
    double accepted_; // ranks at most this far above the drawn point need no second look
};

class Distribution {
public:
    // n: 1 .. 2^50.
    Distribution(std::uint64_t n, const DistributionSetup& setup, std::uint64_t seed);
    // A block, 0 .. n-1.
    std::uint64_t next();

private:
    struct ZoneRow {
        double weight_up_to; // of 1
        std::uint64_t first;
        std::uint64_t blocks;
    };
    std::uint64_t next_normal();
    std::uint64_t next_zoned();

    DistributionKind kind_;
    std::uint64_t n_;
    Prng prng_;
    Permutation scatter_;
    ZipfSampler zipf_;
    double pareto_power_;
    double deviation_blocks_;
    std::vector<ZoneRow> zones_;
};

// Blocks of zone number `zone`: from its first block to the one after its last.
struct ZoneRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
ZoneRange zone_range(std::uint64_t n, std::span<const Zone> zones, std::size_t zone);

} // namespace assay::common
