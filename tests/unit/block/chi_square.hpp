// Whether counts fit their expected probabilities: Pearson's chi-square test at 0.1 %.
//
// Bins that expect fewer than 10 are merged with their neighbours, as the test's approximation needs it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::block {

// Empty if they fit, else the statistic against its critical value. Probabilities need not add up to 1.
inline std::string chi_square_misfit(const std::vector<std::uint64_t>& counts,
                                     const std::vector<double>& probabilities) {
    double total = 0;
    double weight = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        total += static_cast<double>(counts[i]);
        weight += probabilities[i];
    }
    struct Bin {
        double expected;
        double seen;
    };
    std::vector<Bin> bins;
    Bin open{0, 0};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        open.expected += probabilities[i] / weight * total;
        open.seen += static_cast<double>(counts[i]);
        if (open.expected < 10) continue;
        bins.push_back(open);
        open = {0, 0};
    }
    if (!bins.empty()) { // what is left at the end
        bins.back().expected += open.expected;
        bins.back().seen += open.seen;
    }
    if (bins.size() < 2) return "too few draws for a test";
    double statistic = 0;
    for (const Bin& bin : bins)
        statistic += (bin.seen - bin.expected) * (bin.seen - bin.expected) / bin.expected;
    // Wilson and Hilferty 1931: the cube root of chi-square / k is nearly normal; 3.09 is its 99.9 % point.
    const auto freedom = static_cast<double>(bins.size() - 1);
    const double spread = 2 / (9 * freedom);
    const double critical = freedom * std::pow(1 - spread + 3.09 * std::sqrt(spread), 3);
    if (statistic <= critical) return "";
    return "chi-square " + std::to_string(statistic) + " of " + std::to_string(bins.size()) + " bins, critical value " +
           std::to_string(critical);
}

} // namespace assay::block
