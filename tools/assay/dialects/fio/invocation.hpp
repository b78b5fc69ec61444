// What one call of `assay fio ...` asks for, in fio's terms, after its command line and job files have been read.
//
// The parser makes it, the plan is part of it, and the outputs need it to answer in fio's words. Plain data.
#pragma once

#include "core/plan/plan.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli::fio {

using Pairs = std::vector<std::pair<std::string, std::string>>; // fio's option name -> value; a switch has ""

// What a job wants to see of its latencies.
struct Reporting {
    bool completion = true; // clat, the time in the kernel and device
    bool submission = true; // slat
    bool total = true;      // lat
    bool latency = true;    // false: gtod_reduce, no latency at all
    bool lat_percentiles = false;
    bool clat_percentiles = true;
    bool slat_percentiles = false;
    std::vector<double> percentiles; // percent, ascending; as percentile_list or fio's default list
};

// One section of a job file (or --name on the command line). Its `numjobs` clones are the workers of one plan job.
struct Job {
    std::string name;
    Pairs options; // "job options" of fio's JSON: the section's own, in fio's order
    std::string rw;
    std::string description;
    unsigned numjobs = 1;
    bool group_reporting = false;
    unsigned group = 0; // grows with stonewall and new_group
    Reporting reporting;
    std::size_t stage = 0; // of the plan, and so of the result
    std::string plan_job;  // its name there
};

enum class Format { normal, terse, json, json_plus };

struct Invocation {
    Pairs global_options;           // "global options" of fio's JSON
    std::vector<Job> jobs;          // in order
    Plan plan;                      // one stage a stonewall group
    std::vector<std::string> notes; // one line each for stderr: what was ignored because it cannot change the result
    std::vector<Format> formats{Format::normal};
    std::string output; // file, or "": standard output
    bool parse_only = false;
    bool show_command = false; // --showcmd
    bool help = false;
    bool version = false;
};

} // namespace assay::cli::fio
