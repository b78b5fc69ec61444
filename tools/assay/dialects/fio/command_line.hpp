// The command line of fio: its own options, job options, job files.
//
// As getopt_long_only takes them: -name=x, --name=x and --name x are the same, a switch takes a value after '=' only.
// Job options before the first --name, and those after a job file, are global. Job files are read when the whole line
// has been, so that their sections come after those of the line, and what they say counts more than what is global on
// it. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "tools/assay/dialects/fio/invocation.hpp"
#include "tools/assay/dialects/fio/sections.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::cli::fio {

enum class Eta { automatic, always, never };

struct CommandLine {
    Invocation invocation; // without jobs and plan
    Sections sections;
    bool read_only = false;
    bool list_options = false; // print docs/reference/fio.md
    Eta eta = Eta::automatic;
    std::string bundle_directory;     // --assay-output; "": none
    std::optional<bool> verdict_exit; // --verdict-exit
};

// Whole: with jobs and plan, unless only help, version, the command or the list is asked for.
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

// The jobs as one command line, as `fio --showcmd` prints it.
std::string command_text(const Sections& sections);

std::string usage_text();

// "--output", "--rw" .., for completion.
std::vector<std::string> flags();

// The second half of docs/reference/fio.md: the options of the command itself.
std::string command_reference();

} // namespace assay::cli::fio
