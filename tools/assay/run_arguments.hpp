// Command line of `assay run` -> what to run and how to show it. The only user of CLI11. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "core/loader/loader.hpp"
#include "core/session/session.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct RunArguments {
    SessionRequest session;
    std::unique_ptr<Loader> loader;
    bool strict = false;             // a suspect verdict makes the exit code 4
    bool quiet = false;              // nothing live
    bool screen = true;              // a live screen, where the terminal can show one
    std::optional<std::string> help; // print this and exit 0 instead of running
};

Result<RunArguments> parse_run_arguments(const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& command_line);

// The flags that do not come from a plugin, for completion: "--target", ...
const std::vector<std::string>& common_run_flags();

} // namespace assay::cli
