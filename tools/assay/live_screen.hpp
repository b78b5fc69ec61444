// The full-screen view of a run: what a key does, and when it is painted.
//
// One thread of its own paints and reads keys, so that the run never waits for a terminal. open() and the destructor
// on the control thread, change() from any thread.
#pragma once

#include "core/report/screen.hpp"
#include "core/run/run.hpp"
#include "tools/assay/curses_terminal.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace assay::cli {

class LiveScreen {
public:
    // Null where there is no terminal that can show it. `q` sets `stop` as a first Ctrl-C does.
    static std::unique_ptr<LiveScreen> open(StopFlag& stop);
    // Leaves the screen; the terminal is as it was.
    ~LiveScreen();
    LiveScreen(const LiveScreen&) = delete;
    LiveScreen& operator=(const LiveScreen&) = delete;

    // Changes what is shown, which is painted within a tenth of a second. `reported`: the jobs are new.
    template <class F>
    void change(F&& f, bool reported = false) {
        const std::lock_guard lock(mutex_);
        f(view_);
        changed_ = true;
        if (reported) reported_ns_ = now_ns();
    }

private:
    LiveScreen(StopFlag& stop, std::unique_ptr<CursesTerminal> terminal);
    static std::int64_t now_ns();

    void run();
    void wait_for_key();
    void suspend();
    void paint_if_due();

    StopFlag& stop_;
    const std::int64_t started_ns_;

    std::mutex mutex_;
    report::LiveView view_;
    bool changed_ = true;
    std::int64_t reported_ns_;

    // The thread's own.
    std::unique_ptr<CursesTerminal> terminal_;
    CursesTerminal::Size size_;
    std::int64_t painted_ns_ = 0;
    bool stopping_ = false;
    bool has_keys_ = true;

    std::atomic<bool> leave_{false};
    std::thread thread_;
};

} // namespace assay::cli
