// How fio writes numbers, and a refusal wherever fio silently reads something else than what was meant.
//
// fio stops at the first character that it does not understand and goes on with what it has got: size=1.5g is one byte,
// runtime=2sec is two microseconds. Here the whole text must be a value. Messages name the text, the rule and an
// example, not the option: callers wrap them. Pure functions; any thread.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::fio {

// Bytes: "4k" "1M" "1gb" "512" "0x1000"; any case. With kb_base 1024 (fio's default) k, m, g, t, p are powers of 1024
// and KiB is 1000 bytes; with 1000 it is the other way round. Range 0 .. 2^63-1.
Result<std::uint64_t> parse_bytes(std::string_view text, unsigned kb_base = 1024);
// True if `text` has a unit such as KiB, which fio takes for a power of 1000 with kb_base 1024.
bool is_inverted_unit(std::string_view text);

// "25%" -> 25; nothing if it is no percentage. Whole percents, 1 .. 100.
Result<std::optional<unsigned>> parse_share(std::string_view text);

// Microseconds: us usec ms msec s m h d, any case. A bare number counts in `bare_us`: 1'000'000 for runtime, 1 for
// thinktime. Range: 0 .. 365 days.
Result<std::int64_t> parse_time_us(std::string_view text, std::int64_t bare_us);

// Decimal or hexadecimal, no unit: counts, depths, percents.
Result<std::uint64_t> parse_count(std::string_view text);
Result<double> parse_float(std::string_view text);
// 0 or 1; "" (a switch without value) is 1.
Result<bool> parse_switch(std::string_view text);
// "1:50:99.9" -> 1, 50, 99.9
Result<std::vector<double>> parse_floats(std::string_view text);

// "a,b,c" for reads, writes and trims, as fio fills what is missing: one value goes to all; with two, trims have the
// second; an empty piece keeps the default.
struct Directions {
    std::optional<std::string> read, write, trim;
};
Result<Directions> parse_directions(std::string_view text);

// "16-32k" or "4k-64k" -> lower and upper bound in bytes.
struct ByteRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};
Result<ByteRange> parse_byte_range(std::string_view text, unsigned kb_base);

// "4k/10:64k/50:32k/40" -> sizes with weights that add up to 100; entries without a share divide what is left.
struct WeightedBytes {
    std::uint64_t bytes = 0;
    double percent = 0;
};
Result<std::vector<WeightedBytes>> parse_split(std::string_view text, unsigned kb_base);

// "0-3,8" -> 0 1 2 3 8; at most 4096 CPUs, numbers to 8191.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

} // namespace assay::cli::fio
