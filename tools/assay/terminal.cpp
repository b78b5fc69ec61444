#include "tools/assay/terminal.hpp"

#include "core/report/live.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {

TerminalObserver::TerminalObserver(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

TerminalObserver::~TerminalObserver() { erase_line(); }

int TerminalObserver::width() const {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
    return size.ws_col;
}

void TerminalObserver::erase_line() {
    if (!line_shown_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    line_shown_ = false;
}

void TerminalObserver::run_started(const Position& position) {
    const std::lock_guard lock(mutex_);
    prefix_.clear();
    if (position.total_runs > 1)
        prefix_ = "[" + std::to_string(position.done_runs + 1) + "/" + std::to_string(position.total_runs) + "] ";
    for (const auto& [key, value] : position.parameters)
        prefix_ += key + "=" + value + " ";
    if (position.repeats > 1)
        prefix_ += "repeat " + std::to_string(position.repeat) + "/" + std::to_string(position.repeats) + " ";
}

void TerminalObserver::progress(const std::vector<JobProgress>& jobs, const HostGlance& /*host*/) {
    if (quiet_) return;
    const std::lock_guard lock(mutex_);
    if (!terminal_) {
        for (const std::string& line : report::plain_lines(jobs))
            std::fprintf(stderr, "%s%s\n", prefix_.c_str(), line.c_str());
        return;
    }
    const int columns = width();
    std::string prefix = prefix_;
    if (static_cast<int>(prefix.size()) > columns / 2) prefix.resize(static_cast<std::size_t>(columns) / 2);
    const int left = std::max(1, columns - 1 - static_cast<int>(prefix.size()));
    std::fprintf(stderr, "\r\033[K%s%s", prefix.c_str(), report::live_line(jobs, left).c_str());
    std::fflush(stderr);
    line_shown_ = true;
}

void TerminalObserver::run_finished(const result::Repeat& repeat) {
    const std::lock_guard lock(mutex_);
    erase_line();
    if (quiet_ || prefix_.empty()) return;
    for (const result::Job& job : repeat.jobs)
        std::fprintf(stderr, "%s%s\n", prefix_.c_str(), report::finished_line(job, repeat.verdicts).c_str());
}

void TerminalObserver::message(assay_severity severity, const std::string& text) {
    if (severity < ASSAY_LOG_INFO || (quiet_ && severity < ASSAY_LOG_WARNING)) return;
    const std::lock_guard lock(mutex_);
    erase_line();
    const char* kind = severity >= ASSAY_LOG_ERROR ? "error: " : severity == ASSAY_LOG_WARNING ? "warning: " : "";
    std::fprintf(stderr, "%s%s\n", kind, text.c_str());
}

} // namespace assay::cli
