// Command line of `assay sample` -> what to sample, how often, around what, and in which form. Control thread.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::cli {

enum class SampleFormat { lines, json, csv };

struct SampleArguments {
    std::int64_t interval_ns = 1'000'000'000;
    std::int64_t duration_ns = 0;      // 0: until the command ends, or a signal
    std::vector<std::string> plugins;  // "host" if none was given
    std::vector<std::string> settings; // [PLUGIN.]KEY=VALUE
    std::vector<std::string> select;   // globs; empty: everything
    SampleFormat format = SampleFormat::lines;
    std::string output; // directory; empty: none
    bool replace = false;
    bool quiet = false;
    bool help = false;
    std::vector<std::string> command; // empty: none
};

Result<SampleArguments> parse_sample_arguments(const std::vector<std::string>& arguments);
const char* sample_help();
const std::vector<std::string>& sample_flags();

} // namespace assay::cli
