#include "tools/assay/dialects/fio/values.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace assay::cli::fio {
namespace {

constexpr std::uint64_t bytes_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t time_max_us = std::int64_t{365} * 86'400 * 1'000'000;
constexpr std::size_t floats_max = 20; // as in fio
constexpr std::size_t split_max = 64;
constexpr std::size_t cpus_max = 4096;
constexpr int cpu_max = 8191;

struct NumberAndUnit {
    std::uint64_t number = 0;
    std::string unit; // lower case
};

// The digits and what comes after them; nothing if there are none or too many.
std::optional<NumberAndUnit> number_and_unit(std::string_view text) {
    NumberAndUnit result;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.number, base);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    result.unit = lower(text.substr(static_cast<std::size_t>(end - text.data())));
    return result;
}

std::optional<std::uint64_t> multiplied(std::uint64_t number, std::uint64_t by, std::uint64_t max) {
    if (by != 0 && number > max / by) return std::nullopt;
    return number * by;
}

// What `unit` multiplies by, or nothing.
std::optional<std::uint64_t> bytes_of_unit(std::string_view unit, unsigned kb_base) {
    if (unit.empty() || unit == "b") return 1;
    constexpr std::string_view letters = "kmgtp";
    const std::size_t power = letters.find(unit.front());
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view rest = unit.substr(1);
    unsigned base = kb_base;
    if (rest == "ib")
        base = kb_base == 1024 ? 1000 : 1024;
    else if (rest == "i" && kb_base != 1024)
        return std::nullopt; // fio takes it for the plain letter, which nobody means
    else if (!rest.empty() && rest != "b" && rest != "i")
        return std::nullopt;
    std::uint64_t factor = 1;
    for (std::size_t i = 0; i <= power; ++i)
        factor *= base;
    return factor;
}

} // namespace

Result<std::uint64_t> parse_bytes(std::string_view text, unsigned kb_base) {
    constexpr std::string_view rule = "write a whole number with k, m, g, t, p or no unit, for example 4k or 1536m";
    const auto parsed = number_and_unit(text);
    if (!parsed) return usage_error(fmt::format("{} is not a size: {}", in_quotes(text), rule));
    const auto factor = bytes_of_unit(parsed->unit, kb_base);
    if (!factor)
        return usage_error(
            fmt::format("{} is not a size, {} is no unit: {}", in_quotes(text), in_quotes(parsed->unit), rule));
    const auto bytes = multiplied(parsed->number, *factor, bytes_max);
    if (!bytes) return usage_error(fmt::format("{} is more than 8 EiB, the largest size", in_quotes(text)));
    return *bytes;
}

bool is_inverted_unit(std::string_view text) {
    const std::string small = lower(text);
    return small.find("kib") != std::string::npos || small.find("mib") != std::string::npos ||
           small.find("gib") != std::string::npos || small.find("tib") != std::string::npos ||
           small.find("pib") != std::string::npos;
}

Result<std::optional<unsigned>> parse_share(std::string_view text) {
    if (!text.ends_with('%')) return std::optional<unsigned>();
    const Result<std::uint64_t> percent = parse_count(text.substr(0, text.size() - 1));
    if (!percent || *percent == 0 || *percent > 100)
        return usage_error(fmt::format("{} is not a share: write a whole percentage from 1% to 100%", in_quotes(text)));
    return std::optional<unsigned>(static_cast<unsigned>(*percent));
}

Result<std::int64_t> parse_time_us(std::string_view text, std::int64_t bare_us) {
    constexpr std::string_view rule = "write a whole number with us, ms, s, m, h, d or no unit, for example 90s or 2m";
    const auto parsed = number_and_unit(text);
    if (!parsed) return usage_error(fmt::format("{} is not a time: {}", in_quotes(text), rule));
    static const std::pair<std::string_view, std::int64_t> units[] = {
        {"us", 1},        {"usec", 1},       {"ms", 1'000},        {"msec", 1'000},
        {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}, {"d", 86'400'000'000},
    };
    std::int64_t factor = parsed->unit.empty() ? bare_us : 0;
    for (const auto& [name, us] : units)
        if (parsed->unit == name) factor = us;
    if (factor == 0)
        return usage_error(
            fmt::format("{} is not a time, {} is no unit: {}", in_quotes(text), in_quotes(parsed->unit), rule));
    const auto us = multiplied(parsed->number, static_cast<std::uint64_t>(factor), time_max_us);
    if (!us) return usage_error(fmt::format("{} is more than 365 days, the longest time", in_quotes(text)));
    return static_cast<std::int64_t>(*us);
}

Result<std::uint64_t> parse_count(std::string_view text) {
    const auto parsed = number_and_unit(text);
    if (!parsed || !parsed->unit.empty() || parsed->number > bytes_max)
        return usage_error(fmt::format("{} is not a whole number: write digits only, for example 16", in_quotes(text)));
    return parsed->number;
}

Result<double> parse_float(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        return usage_error(fmt::format("{} is not a number, for example 1.2", in_quotes(text)));
    return value;
}

Result<bool> parse_switch(std::string_view text) {
    if (text.empty() || text == "1") return true;
    if (text == "0") return false;
    return usage_error(fmt::format("{} is neither 0 nor 1", in_quotes(text)));
}

Result<std::vector<double>> parse_floats(std::string_view text) {
    std::vector<double> values;
    for (const std::string_view piece : split(text, ':')) {
        const Result<double> value = parse_float(piece);
        if (!value) return value.status();
        values.push_back(*value);
        if (values.size() > floats_max)
            return usage_error(fmt::format("{} has more than {} numbers", in_quotes(text), floats_max));
    }
    return values;
}

Result<Directions> parse_directions(std::string_view text) {
    const auto pieces = split(text, ',');
    if (pieces.size() > 3)
        return usage_error(fmt::format("{} has more than three values, for reads, writes and trims", in_quotes(text)));
    const auto piece = [&](std::size_t index) -> std::optional<std::string> {
        const std::string_view one = pieces[std::min(index, pieces.size() - 1)];
        return one.empty() ? std::nullopt : std::optional(std::string(one));
    };
    return Directions{piece(0), piece(1), piece(2)};
}

Result<ByteRange> parse_byte_range(std::string_view text, unsigned kb_base) {
    const auto ends = split(text, '-');
    if (ends.size() != 2)
        return usage_error(fmt::format("{} is not a range: write two sizes, for example 4k-64k", in_quotes(text)));
    const Result<std::uint64_t> low = parse_bytes(ends[0], kb_base);
    if (!low) return low.status();
    const Result<std::uint64_t> high = parse_bytes(ends[1], kb_base);
    if (!high) return high.status();
    return ByteRange{std::min(*low, *high), std::max(*low, *high)};
}

Result<std::vector<WeightedBytes>> parse_split(std::string_view text, unsigned kb_base) {
    std::vector<WeightedBytes> entries;
    double given = 0;
    std::size_t open = 0;
    for (const std::string_view piece : split(text, ':')) {
        const auto parts = split(piece, '/');
        const Result<std::uint64_t> bytes = parse_bytes(parts[0], kb_base);
        if (!bytes) return bytes.status();
        WeightedBytes entry{*bytes, -1};
        if (parts.size() > 2 || entries.size() == split_max)
            return usage_error(
                fmt::format("{} is not size/percent:size/percent, at most {} of them, for example "
                            "4k/60:64k/40",
                            in_quotes(text), split_max));
        if (parts.size() == 2 && !parts[1].empty()) {
            const Result<std::uint64_t> percent = parse_count(parts[1]);
            if (!percent) return percent.status();
            entry.percent = static_cast<double>(*percent);
            given += entry.percent;
        } else {
            ++open;
        }
        entries.push_back(entry);
    }
    if (given > 100 || (open == 0 && given < 100))
        return usage_error(fmt::format("the shares in {} add up to {}%, not to 100%", in_quotes(text), given));
    for (WeightedBytes& entry : entries)
        if (entry.percent < 0) entry.percent = (100 - given) / static_cast<double>(open);
    std::erase_if(entries, [](const WeightedBytes& entry) { return entry.percent <= 0; });
    return entries;
}

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    for (const std::string_view piece : split(text, ',')) {
        const auto ends = split(trim(piece), '-');
        const Result<std::uint64_t> first = parse_count(ends.front());
        const Result<std::uint64_t> last = parse_count(ends.back());
        if (ends.size() > 2 || !first || !last || *first > *last || *last > cpu_max)
            return usage_error(fmt::format("{} is not a CPU or a range of CPUs from 0 to {}, for example 0-3,8",
                                           in_quotes(piece), cpu_max));
        for (std::uint64_t cpu = *first; cpu <= *last; ++cpu)
            cpus.push_back(static_cast<int>(cpu));
        if (cpus.size() > cpus_max)
            return usage_error(fmt::format("{} names more than {} CPUs", in_quotes(text), cpus_max));
    }
    return cpus;
}

} // namespace assay::cli::fio
