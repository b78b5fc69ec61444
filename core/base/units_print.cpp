#include "core/base/units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>

namespace assay {
namespace {

constexpr std::string_view kBinaryUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
constexpr std::string_view kDecimalUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
constexpr std::string_view kCountUnits[] = {"", "k", "M", "G", "T", "P", "E"};
constexpr std::string_view kNoValue = "n/a"; // what a mean over nothing prints as

// Three significant digits, all digits before the point.
std::string three_digits(double value) {
    const double size = std::fabs(value);
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", value, decimals);
}

// The number and the unit in which it is below `base` also after rounding; the unit itself prints whole values whole.
std::string scaled(double value, double base, std::span<const std::string_view> units, std::string_view space) {
    if (!std::isfinite(value)) return std::string(kNoValue);
    std::size_t unit = 0;
    while (unit + 1 < units.size() && std::round(std::fabs(value)) >= base) {
        value /= base;
        ++unit;
    }
    const bool whole = unit == 0 && value == std::round(value);
    const std::string number = whole ? fmt::format("{:.0f}", value) : three_digits(value);
    return number + std::string(units[unit].empty() ? "" : space) + std::string(units[unit]);
}

std::string with_rate(std::string text) { return text == kNoValue ? text : text + "/s"; }

// "2 min 05 s" of a whole number of the smaller unit.
std::string two_units(double small, double ratio, std::string_view large_name, std::string_view small_name) {
    const double whole = std::round(small);
    return fmt::format("{:.0f} {} {:02.0f} {}", std::floor(whole / ratio), large_name, std::fmod(whole, ratio),
                       small_name);
}

} // namespace

std::string size_text(std::uint64_t bytes) {
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kBinaryUnits)) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{}{}", bytes, kBinaryUnits[unit]);
}

std::string binary_bytes(double bytes) { return scaled(bytes, 1024, kBinaryUnits, " "); }
std::string decimal_bytes(double bytes) { return scaled(bytes, 1000, kDecimalUnits, " "); }
std::string binary_rate(double bytes_per_second) { return with_rate(binary_bytes(bytes_per_second)); }
std::string decimal_rate(double bytes_per_second) { return with_rate(decimal_bytes(bytes_per_second)); }
std::string count_text(double count) { return scaled(count, 1000, kCountUnits, ""); }

std::string duration_text(double ns) {
    if (!std::isfinite(ns)) return std::string(kNoValue);
    if (ns < 0) return fmt::format("-{}", duration_text(-ns));
    const double seconds = ns / 1e9;
    if (seconds >= 86400 - 30) return two_units(seconds / 3600, 24, "d", "h");
    if (seconds >= 3600 - 0.5) return two_units(seconds / 60, 60, "h", "min");
    if (seconds >= 59.95) return two_units(seconds, 60, "min", "s");
    if (std::round(ns) < 1000)
        return fmt::format("{} ns", ns == std::round(ns) ? fmt::format("{:.0f}", ns) : three_digits(ns));
    if (std::round(ns / 1e3) < 1000) return three_digits(ns / 1e3) + " us";
    if (std::round(ns / 1e6) < 1000) return three_digits(ns / 1e6) + " ms";
    return three_digits(seconds) + " s";
}

std::string exact_duration_text(std::int64_t ns) {
    struct Step {
        std::uint64_t ns;
        std::string_view name;
    };
    constexpr Step kSteps[] = {
        {3'600'000'000'000, "h"}, {60'000'000'000, "min"}, {1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}};
    if (ns == 0) return "0s";
    const std::string_view sign = ns < 0 ? "-" : "";
    const auto size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    for (const Step& step : kSteps) {
        if (size % step.ns == 0) return fmt::format("{}{}{}", sign, size / step.ns, step.name);
    }
    return fmt::format("{}{}ns", sign, size);
}

} // namespace assay
