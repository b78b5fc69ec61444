// What a person sees while a run goes on: one line that is redrawn on a terminal, plain lines elsewhere. All of it on
// stderr, so that stdout holds the summary alone. message() from any thread, the rest on the control thread.
#pragma once

#include "core/session/session.hpp"

#include <mutex>
#include <string>

namespace assay::cli {

class TerminalObserver : public SessionObserver {
public:
    explicit TerminalObserver(bool quiet);
    ~TerminalObserver() override;

    void run_started(const Position& position) override;
    void progress(const std::vector<JobProgress>& jobs, const HostGlance& host) override;
    void run_finished(const result::Repeat& repeat) override;
    void message(assay_severity severity, const std::string& text) override;

private:
    void erase_line();
    [[nodiscard]] int width() const;

    const bool quiet_;
    const bool terminal_;
    std::mutex mutex_;
    bool line_shown_ = false;
    std::string prefix_; // "[2/8] block_size=4KiB "
};

} // namespace assay::cli
