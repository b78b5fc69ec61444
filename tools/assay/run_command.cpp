#include "core/report/console.hpp"
#include "tools/assay/command.hpp"
#include "tools/assay/run_arguments.hpp"
#include "tools/assay/run_support.hpp"
#include "tools/assay/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {
namespace {

report::ConsoleStyle console_style() {
    report::ConsoleStyle style;
    if (isatty(STDOUT_FILENO) != 1) return style;
    style.colour = std::getenv("NO_COLOR") == nullptr;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 80)
        style.width = std::min<int>(size.ws_col, 160);
    return style;
}

} // namespace

int run_command(const Arguments& arguments, const std::vector<std::string>& command_line) {
    Result<RunArguments> parsed = parse_run_arguments(arguments, command_line);
    if (!parsed) return fail(parsed.status());
    if (parsed->help) {
        std::fputs(parsed->help->c_str(), stdout);
        return 0;
    }
    StopFlag& stop = stop_on_signals();
    Result<SessionOutcome> outcome = [&] {
        const TerminalObserver::Mode mode = parsed->quiet    ? TerminalObserver::Mode::quiet
                                            : parsed->screen ? TerminalObserver::Mode::screen
                                                             : TerminalObserver::Mode::line;
        TerminalObserver observer(mode, parsed->session.plan.name, stop);
        return run_session(parsed->session, *parsed->loader, observer, stop);
    }();
    if (!outcome) return fail(outcome.status());

    std::fputs(report::console(outcome->run, console_style()).c_str(), stdout);
    if (outcome->bundle_written)
        std::printf("\nBundle: %s (result.json, series.csv)\n", parsed->session.bundle_directory.c_str());
    if (!outcome->status.ok()) fail(outcome->status);
    const int code = exit_code(*outcome, parsed->strict, stop);
    if (outcome->hung) {
        std::fflush(nullptr);
        _exit(code); // a plugin's thread still runs in memory that must not go away under it
    }
    return code;
}

} // namespace assay::cli
