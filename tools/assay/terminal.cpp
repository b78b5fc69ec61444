#include "tools/assay/terminal.hpp"

#include "core/base/clock.hpp"
#include "core/report/text.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {

namespace {

constexpr std::size_t kept_messages_max = 10'000;

std::string message_text(assay_severity severity, const std::string& text) {
    const char* kind = severity >= ASSAY_LOG_ERROR ? "error: " : severity == ASSAY_LOG_WARNING ? "warning: " : "";
    return kind + text;
}

} // namespace

TerminalObserver::TerminalObserver(Mode mode, std::string plan, StopFlag& stop)
    : mode_(mode), plan_(std::move(plan)), stop_(stop), terminal_(isatty(STDERR_FILENO) == 1) {}

TerminalObserver::~TerminalObserver() {
    erase_line();
    screen_.reset();
    for (const std::string& line : kept_)
        std::fprintf(stderr, "%s\n", line.c_str());
    if (kept_too_many_ > 0) std::fprintf(stderr, "(%zu more messages were not kept)\n", kept_too_many_);
}

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
    position_ = position;
    prefix_.clear();
    if (position.total_runs > 1)
        prefix_ = "[" + std::to_string(position.done_runs + 1) + "/" + std::to_string(position.total_runs) + "] ";
    for (const auto& [key, value] : position.parameters)
        prefix_ += key + "=" + value + " ";
    if (position.repeats > 1)
        prefix_ += "repeat " + std::to_string(position.repeat) + "/" + std::to_string(position.repeats) + " ";
    if (!screen_) return;
    screen_->change([&](report::LiveView& view) {
        view.position = position;
        view.jobs.clear();
        view.histories.clear();
    });
}

void TerminalObserver::progress(const std::vector<JobProgress>& jobs, const HostGlance& host) {
    if (mode_ == Mode::quiet) return;
    const std::lock_guard lock(mutex_);
    if (mode_ == Mode::screen && !screen_tried_) {
        // Not earlier: a run that is refused before it starts has nothing to show.
        screen_tried_ = true;
        if (screen_ = LiveScreen::open(stop_); screen_)
            screen_->change([&](report::LiveView& view) {
                view.plan = plan_;
                view.position = position_;
            });
    }
    if (screen_) {
        show_on_screen(jobs, host);
    } else if (terminal_) {
        show_line(jobs);
    } else if (pace_.due(monotonic_ns())) {
        for (const std::string& line : report::plain_lines(jobs))
            std::fprintf(stderr, "%s%s\n", prefix_.c_str(), line.c_str());
    }
}

void TerminalObserver::show_on_screen(const std::vector<JobProgress>& jobs, const HostGlance& host) {
    notices_.set(host.warnings);
    screen_->change(
        [&](report::LiveView& view) {
            view.jobs = jobs;
            view.histories.resize(jobs.size());
            for (std::size_t at = 0; at < jobs.size(); ++at)
                view.histories[at].add(jobs[at]);
            view.host = host;
            view.notices = notices_.all();
        },
        true);
}

void TerminalObserver::show_line(const std::vector<JobProgress>& jobs) {
    const int columns = width();
    const std::string prefix = report::fit(report::printable(prefix_), columns / 2);
    const int left = std::max(1, columns - 1 - report::display_width(prefix));
    std::fprintf(stderr, "\r\033[K%s%s", prefix.c_str(), report::live_line(jobs, left).c_str());
    std::fflush(stderr);
    line_shown_ = true;
}

void TerminalObserver::run_finished(const result::Repeat& repeat) {
    const std::lock_guard lock(mutex_);
    erase_line();
    if (mode_ == Mode::quiet || prefix_.empty()) return;
    for (const result::Job& job : repeat.jobs) {
        const std::string line = prefix_ + report::finished_line(job, repeat.verdicts);
        if (screen_)
            screen_->change([&](report::LiveView& view) { view.finished.push_back(line); });
        else
            std::fprintf(stderr, "%s\n", line.c_str());
    }
}

void TerminalObserver::message(assay_severity severity, const std::string& text) {
    if (severity < ASSAY_LOG_INFO || (mode_ == Mode::quiet && severity < ASSAY_LOG_WARNING)) return;
    const std::lock_guard lock(mutex_);
    erase_line();
    if (!screen_) {
        std::fprintf(stderr, "%s\n", message_text(severity, text).c_str());
        return;
    }
    notices_.add(severity, text);
    screen_->change([&](report::LiveView& view) { view.notices = notices_.all(); });
    if (kept_.size() < kept_messages_max)
        kept_.push_back(message_text(severity, text));
    else
        ++kept_too_many_;
}

} // namespace assay::cli
