#include "core/base/units.hpp"
#include "core/report/console.hpp"
#include "core/verdict/check.hpp"
#include "tools/assay/command.hpp"
#include "tools/assay/run_arguments.hpp"
#include "tools/assay/terminal.hpp"
#include "tools/assay/terminal_rescue.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {
namespace {

StopFlag stop_flag; // signal handlers reach nothing else

// The first one asks for a clean stop, as `q` on the screen does; what comes after that ends the process at once.
void on_signal(int number) {
    if (!stop_flag.requested()) {
        stop_flag.request(number);
        return;
    }
    terminal_rescue::restore();
    std::signal(number, SIG_DFL);
    raise(number);
}

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old {};
        sigaction(number, nullptr, &old);
        if (old.sa_handler == SIG_IGN) continue; // nohup, or a shell's background job
        sigaction(number, &action, nullptr);
    }
}

report::ConsoleStyle console_style() {
    report::ConsoleStyle style;
    if (isatty(STDOUT_FILENO) != 1) return style;
    style.colour = std::getenv("NO_COLOR") == nullptr;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 80)
        style.width = std::min<int>(size.ws_col, 160);
    return style;
}

int exit_code(const SessionOutcome& outcome, bool strict) {
    if (const int number = stop_flag.signal_number(); number > 0) return 128 + number;
    if (!outcome.status.ok()) {
        const Failure failure = outcome.status.failure();
        return failure == Failure::usage || failure == Failure::unsafe ? 2 : 3;
    }
    return verdict::exit_code(outcome.run, strict);
}

} // namespace

int run_command(const Arguments& arguments, const std::vector<std::string>& command_line) {
    Result<RunArguments> parsed = parse_run_arguments(arguments, command_line);
    if (!parsed) return fail(parsed.status());
    if (parsed->help) {
        std::fputs(parsed->help->c_str(), stdout);
        return 0;
    }
    install_signal_handlers();
    Result<SessionOutcome> outcome = [&] {
        const TerminalObserver::Mode mode = parsed->quiet    ? TerminalObserver::Mode::quiet
                                            : parsed->screen ? TerminalObserver::Mode::screen
                                                             : TerminalObserver::Mode::line;
        TerminalObserver observer(mode, parsed->session.plan.name, stop_flag);
        return run_session(parsed->session, *parsed->loader, observer, stop_flag);
    }();
    if (!outcome) return fail(outcome.status());

    std::fputs(report::console(outcome->run, console_style()).c_str(), stdout);
    if (outcome->bundle_written)
        std::printf("\nBundle: %s (result.json, series.csv)\n", parsed->session.bundle_directory.c_str());
    if (!outcome->status.ok()) fail(outcome->status);
    const int code = exit_code(*outcome, parsed->strict);
    if (outcome->hung) {
        std::fflush(nullptr);
        _exit(code); // a plugin's thread still runs in memory that must not go away under it
    }
    return code;
}

} // namespace assay::cli
