// Numbers as fio prints them for people: few digits, and the unit that they need.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace assay::cli::fio {

// Divided by 1000 until it has at most `characters` digits; what is left of them and of a point becomes decimals:
// 89700 in 4 is "89.7k", 815432 "815k", 8444 "8444".
std::string short_number(std::uint64_t value, int characters);
// The same of bytes: "16.0MiB" by 1024, "16.8MB" by 1000.
std::string binary_size(std::uint64_t bytes);
std::string decimal_size(std::uint64_t bytes);

} // namespace assay::cli::fio
