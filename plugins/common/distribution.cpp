#include "plugins/common/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::common {

namespace {

// In (0, 1).
double unit(Prng& prng) { return (static_cast<double>(prng.next() >> 11) + 0.5) * 0x1p-53; }

// log(1+x)/x and (exp(x)-1)/x, continued through 0: theta = 1 then needs no case of its own.
double log_ratio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x * (0.5 - x / 3); }
double exp_ratio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x * 0.5 * (1 + x / 3); }

} // namespace

ZipfSampler::ZipfSampler(std::uint64_t n, double theta)
    : n_(static_cast<double>(n)),
      theta_(theta),
      lowest_(integral(1.5) - 1),
      highest_(integral(n_ + 0.5)),
      accepted_(2 - inverse(integral(2.5) - density(2))) {}

double ZipfSampler::density(double x) const { return std::exp(-theta_ * std::log(x)); }

double ZipfSampler::integral(double x) const {
    const double log_x = std::log(x);
    return exp_ratio((1 - theta_) * log_x) * log_x;
}

double ZipfSampler::inverse(double y) const {
    const double t = std::max(y * (1 - theta_), -1.0); // rounding must not lead below -1
    return std::exp(log_ratio(t) * y);
}

std::uint64_t ZipfSampler::draw(Prng& prng) const {
    for (;;) {
        const double point = highest_ + unit(prng) * (lowest_ - highest_);
        const double x = inverse(point);
        const double rank = std::clamp(std::floor(x + 0.5), 1.0, n_);
        if (rank - x <= accepted_ || point >= integral(rank + 0.5) - density(rank))
            return static_cast<std::uint64_t>(rank);
    }
}

Distribution::Distribution(std::uint64_t n, const DistributionSetup& setup, std::uint64_t seed)
    : kind_(setup.kind),
      n_(n),
      prng_(seed),
      scatter_(n, setup.scatter_seed),
      zipf_(n, setup.zipf_theta),
      pareto_power_(std::log(setup.pareto_h) / std::log1p(-setup.pareto_h)),
      deviation_blocks_(setup.normal_deviation * static_cast<double>(n)) {
    if (kind_ != DistributionKind::zoned) return;
    double weights = 0;
    for (const Zone& zone : setup.zones)
        weights += zone.weight;
    double weight_up_to = 0;
    for (std::size_t i = 0; i < setup.zones.size(); ++i) {
        const ZoneRange range = zone_range(n, setup.zones, i);
        weight_up_to += setup.zones[i].weight / weights;
        zones_.push_back({weight_up_to, range.begin, range.end - range.begin});
    }
    zones_.back().weight_up_to = 1;
}

std::uint64_t Distribution::next() {
    switch (kind_) {
        case DistributionKind::uniform:
            break;
        case DistributionKind::zipf:
            return scatter_(zipf_.draw(prng_) - 1);
        case DistributionKind::pareto: {
            const auto rank =
                static_cast<std::uint64_t>(static_cast<double>(n_) * std::pow(unit(prng_), pareto_power_));
            return scatter_(std::min(rank, n_ - 1));
        }
        case DistributionKind::normal:
            return next_normal();
        case DistributionKind::zoned:
            return next_zoned();
    }
    return prng_.below(n_);
}

// Box and Muller 1958, one of the pair; what falls outside the region is drawn again.
std::uint64_t Distribution::next_normal() {
    for (;;) {
        const double radius = std::sqrt(-2 * std::log(unit(prng_)));
        const double place =
            static_cast<double>(n_) / 2 + deviation_blocks_ * radius * std::cos(2 * std::numbers::pi * unit(prng_));
        if (place >= 0 && place < static_cast<double>(n_)) return static_cast<std::uint64_t>(place);
    }
}

std::uint64_t Distribution::next_zoned() {
    const double drawn = unit(prng_);
    std::size_t zone = 0;
    while (zone + 1 < zones_.size() && drawn >= zones_[zone].weight_up_to)
        ++zone;
    return zones_[zone].first + prng_.below(zones_[zone].blocks);
}

ZoneRange zone_range(std::uint64_t n, std::span<const Zone> zones, std::size_t zone) {
    double before = 0;
    for (std::size_t i = 0; i < zone; ++i)
        before += zones[i].size_share;
    const auto cut = [n](double share) {
        return std::min(n, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(n))));
    };
    const bool last = zone + 1 == zones.size();
    return {cut(before), last ? n : cut(before + zones[zone].size_share)};
}

} // namespace assay::common
