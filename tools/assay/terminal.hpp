// What a person sees while a run goes on: a screen, one line that is redrawn, or plain lines once a second where it is
// no terminal. All of it on stderr, so that stdout holds the summary alone. message() from any thread, the rest on the
// control thread.
#pragma once

#include "core/report/live.hpp"
#include "core/report/notices.hpp"
#include "core/session/session.hpp"
#include "tools/assay/live_screen.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace assay::cli {

class TerminalObserver : public SessionObserver {
public:
    enum class Mode { quiet, line, screen }; // screen: the line where none can be shown

    TerminalObserver(Mode mode, std::string plan, StopFlag& stop);
    // Leaves the screen, and then prints the messages that came while it was there.
    ~TerminalObserver() override;

    void run_started(const Position& position) override;
    void progress(const std::vector<JobProgress>& jobs, const HostGlance& host) override;
    void run_finished(const result::Repeat& repeat) override;
    void message(assay_severity severity, const std::string& text) override;

private:
    void show_on_screen(const std::vector<JobProgress>& jobs, const HostGlance& host);
    void show_line(const std::vector<JobProgress>& jobs);
    void erase_line();
    [[nodiscard]] int width() const;

    const Mode mode_;
    const std::string plan_;
    StopFlag& stop_;
    const bool terminal_;
    std::mutex mutex_;
    bool line_shown_ = false;
    std::string prefix_; // "[2/8] block_size=4KiB "
    report::OnceASecond pace_;

    bool screen_tried_ = false;
    std::unique_ptr<LiveScreen> screen_;
    Position position_;
    report::Notices notices_;
    std::vector<std::string> kept_; // messages to print when the screen is left
    std::size_t kept_too_many_ = 0;
};

} // namespace assay::cli
