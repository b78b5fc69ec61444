// Quantities as people write them, and back. The only place in the project that parses or prints units.
//
// Strict on purpose: a number that needs a unit is refused without one, `KiB` is 1024 and `KB`/`kB` is 1000 bytes
// everywhere, a size is not a rate, nothing but surrounding space and one space before the unit is skipped, and the
// whole text must be used: no sign, exponent, hexadecimal, infinity or separators of thousands.
// Error messages name the text, the rule and an example. Locale-independent. Any thread.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

// "4KiB" "1.5GiB" "10MB" "512B" -> bytes. A fraction must come out in whole bytes. Range 0 .. 2^63-1.
Result<std::int64_t> parse_size(std::string_view text);
// "10s" "250ms" "1.5h" "3min" "100us" "7ns" "2d" -> nanoseconds. Range 0 .. 2^63-1.
Result<std::int64_t> parse_duration(std::string_view text);
// "100MB/s" "1.5GiB/s" "10Gbit/s" -> bytes a second.
Result<std::int64_t> parse_byte_rate(std::string_view text);
// "5000/s" "10k/s" "2.5M/s" (also "5000 IOPS", "10k IOPS") -> operations a second; k, M are decimal.
Result<std::int64_t> parse_operation_rate(std::string_view text);
// "70%" -> 70.0. Range 0 .. 100.
Result<double> parse_percentage(std::string_view text);
// "16", "-3" (no unit, no suffix).
Result<std::int64_t> parse_integer(std::string_view text);
// "0.5", "-3" (no unit, no exponent).
Result<double> parse_number(std::string_view text);
// yes/no true/false on/off 1/0, any case.
Result<bool> parse_bool(std::string_view text);

// Exact and short, parseable again: 4096 -> "4KiB", 1000 -> "1000B".
std::string size_text(std::uint64_t bytes);
// For people: "3.42 GiB" and "3.68 GB" style with 3-4 significant digits.
std::string binary_bytes(double bytes);
std::string decimal_bytes(double bytes);
// "3.42 GiB/s", "3.68 GB/s".
std::string binary_rate(double bytes_per_second);
std::string decimal_rate(double bytes_per_second);
// "812 ns" "12.3 us" "4.56 ms" "1.20 s" "2 min 05 s".
std::string duration_text(double ns);
// Exact and parseable: 1500000000 -> "1500ms".
std::string exact_duration_text(std::int64_t ns);
// "815 k" -> "815k", "1.24M", "93".
std::string count_text(double count);

} // namespace assay
