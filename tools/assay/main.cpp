#include "core/session/version.hpp"
#include "tools/assay/command.hpp"

#include "core/base/text.hpp"
#include "core/report/text.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>

#include <fcntl.h>
#include <unistd.h>

namespace assay::cli {
namespace {

struct Verb {
    const char* name;
    const char* summary;
    std::function<int(const Arguments&, const std::vector<std::string>&)> call;
};

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> all = {
        {"run", "measure: a plan file, or one workload from the command line", run_command},
        {"fio", "run fio's command lines and job files",
         [](const auto& arguments, const auto& line) { return fio_command(arguments, line, false); }},
        {"sample", "sample the machine, alone or around any command",
         [](const Arguments& arguments, const auto&) { return sample_command(arguments); }},
        {"plugins", "list plugins, or show one with its options",
         [](const Arguments& arguments, const auto&) { return plugins_command(arguments); }},
        {"checks", "list the checks that a result is put through",
         [](const Arguments& arguments, const auto&) { return checks_command(arguments); }},
        {"completion", "print a completion script: eval \"$(assay completion bash)\"",
         [](const Arguments& arguments, const auto&) { return completion_command(arguments); }},
    };
    return all;
}

void print_usage(std::FILE* to) {
    std::fputs("assay measures storage and data paths, and checks its own numbers.\n\nUsage: assay VERB ...\n\n", to);
    for (const Verb& verb : verbs())
        std::fprintf(to, "  %-12s %s\n", verb.name, verb.summary);
    std::fputs(
        "\nExamples:\n"
        "  assay run block --target /mnt/data/probe --size 4GiB --pattern randread --queue-depth 16 --warmup 2s "
        "--measure 30s\n"
        "  assay run plan.yaml --set time.measure=10s --output results/nightly\n"
        "  assay plugins show block\n\n"
        "`assay VERB --help` explains a verb. `assay --version` prints the version.\n"
        "Exit codes: 0 fine, 1 expectation missed, 2 usage, 3 run failed, 4 suspect with --strict, 5 invalid,\n"
        "128+N ended by signal N.\n",
        to);
}

// A file that takes the number of a closed standard stream would receive what is printed there.
void fill_standard_streams() {
    int fd = ::open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = ::open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) ::close(fd);
}

// What was printed must have arrived: a full disk behind a redirection is no success.
int with_output_checked(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return fail(run_error(std::string("standard output cannot be written: ") + std::strerror(errno)));
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int dispatch(const std::vector<std::string>& command_line) {
    if (!command_line.empty() && base_name(command_line.front()) == "fio")
        return fio_command(Arguments(command_line.begin() + 1, command_line.end()), command_line, true);
    if (command_line.size() < 2) {
        print_usage(stderr);
        return 2;
    }
    const std::string& name = command_line[1];
    if (name == "--help" || name == "-h" || name == "help") {
        print_usage(stdout);
        return 0;
    }
    if (name == "--version" || name == "version") {
        std::printf("assay %s\n", tool_version());
        return 0;
    }
    const Arguments arguments(command_line.begin() + 2, command_line.end());
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) {
        if (name == verb.name) return verb.call(arguments, command_line);
        names.emplace_back(verb.name);
    }
    std::string message = "unknown verb '" + name + "'";
    if (auto near = closest_match(name, names)) message += "; did you mean '" + *near + "'?";
    return fail(usage_error(message + " `assay --help` lists the verbs"));
}

} // namespace

int fail(const Status& status) {
    std::fprintf(stderr, "assay: %s\n", report::printable(status.message()).c_str());
    return status.failure() == Failure::usage || status.failure() == Failure::unsafe ? 2 : 3;
}

} // namespace assay::cli

int main(int argc, char** argv) {
    using namespace assay::cli;
    fill_standard_streams();
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away, or a file-size limit, is an error to report, not an end
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return with_output_checked(dispatch(std::vector<std::string>(argv, argv + argc)));
    } catch (const std::bad_alloc&) {
        return assay::cli::fail(assay::run_error("out of memory"));
    } catch (const std::exception& error) {
        return assay::cli::fail(assay::internal_error(std::string("unexpected: ") + error.what()));
    }
}
