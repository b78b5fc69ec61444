#include "tools/assay/dialects/fio/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::cli::fio {
namespace {

constexpr int size_characters = 4;
using Prefixes = std::array<const char*, 7>;
constexpr Prefixes plain = {"", "k", "M", "G", "T", "P", "E"};
constexpr Prefixes binary = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
constexpr Prefixes decimal = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

int digits_of(std::uint64_t value) {
    int digits = 1;
    for (; value >= 10; value /= 10)
        ++digits;
    return digits;
}

std::string shortened(std::uint64_t value, int characters, std::uint64_t base, const Prefixes& prefixes) {
    double scaled = static_cast<double>(value);
    std::uint64_t left = value;
    std::size_t steps = 0;
    while (digits_of(left) > characters && steps + 1 < prefixes.size()) {
        left /= base;
        scaled /= static_cast<double>(base);
        ++steps;
    }
    if (steps == 0) return fmt::format("{}{}", value, prefixes[0]);
    const int decimals = std::max(characters - digits_of(left) - 1, 0);
    const double grain = std::pow(10, decimals); // halves go up, as fio's do
    return fmt::format("{:.{}f}{}", std::round(scaled * grain) / grain, decimals, prefixes[steps]);
}

} // namespace

std::string short_number(std::uint64_t value, int characters) { return shortened(value, characters, 1000, plain); }
std::string binary_size(std::uint64_t bytes) { return shortened(bytes, size_characters, 1024, binary); }
std::string decimal_size(std::uint64_t bytes) { return shortened(bytes, size_characters, 1000, decimal); }

} // namespace assay::cli::fio
