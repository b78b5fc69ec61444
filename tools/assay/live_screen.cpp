#include "tools/assay/live_screen.hpp"

#include "core/base/clock.hpp"

#include <chrono>
#include <csignal>

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

namespace assay::cli {
namespace {

constexpr int tick_ms = 100;                              // how late a key or a resize is noticed
constexpr std::int64_t repaint_interval_ns = 500'000'000; // clock and progress go on between reports
constexpr int ctrl_z = 'z' & 0x1f;
constexpr int ctrl_l = 'l' & 0x1f;

} // namespace

std::int64_t LiveScreen::now_ns() { return monotonic_ns(); }

std::unique_ptr<LiveScreen> LiveScreen::open(StopFlag& stop) {
    std::unique_ptr<CursesTerminal> terminal = CursesTerminal::enter();
    if (!terminal) return nullptr;
    return std::unique_ptr<LiveScreen>(new LiveScreen(stop, std::move(terminal)));
}

LiveScreen::LiveScreen(StopFlag& stop, std::unique_ptr<CursesTerminal> terminal)
    : stop_(stop), started_ns_(now_ns()), reported_ns_(started_ns_), terminal_(std::move(terminal)) {
    view_.utf8 = terminal_->utf8();
    thread_ = std::thread([this] { run(); });
}

LiveScreen::~LiveScreen() {
    leave_.store(true);
    thread_.join();
}

void LiveScreen::run() {
    pthread_setname_np(pthread_self(), "assay-screen");
    // Of a job in the background; blocked, they make a call fail, or succeed, instead of stopping the process.
    sigset_t background;
    sigemptyset(&background);
    sigaddset(&background, SIGTTOU);
    sigaddset(&background, SIGTTIN);
    pthread_sigmask(SIG_BLOCK, &background, nullptr);
    while (!leave_.load()) {
        if (CursesTerminal::foreground()) {
            terminal_->reenter();
            paint_if_due();
            wait_for_key();
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(tick_ms));
        }
    }
    terminal_.reset();
}

void LiveScreen::wait_for_key() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    // Of a terminal that was closed there is always something to read: its end.
    if (!has_keys_ || (poll(&input, 1, tick_ms) > 0 && (input.revents & POLLIN) == 0)) {
        has_keys_ = false;
        std::this_thread::sleep_for(std::chrono::milliseconds(tick_ms));
        return;
    }
    if (input.revents == 0) return;
    int key = terminal_->key();
    has_keys_ = key >= 0 || (input.revents & POLLHUP) == 0;
    for (; key >= 0; key = terminal_->key()) {
        if ((key == 'q' || key == 'Q') && !stop_.requested()) stop_.request(SIGINT);
        if (key == ctrl_z) suspend();
        if (key == ctrl_l) {
            terminal_->forget();
            size_ = {};
        }
    }
}

// What the terminal would have done with the key, after leaving the screen.
void LiveScreen::suspend() {
    terminal_->leave();
    // The rest of the foreground first, such as a script around this; then this process, by this thread, which so does
    // not go on before it has stopped.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGTSTP, &ignore, &before);
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &before, nullptr);
    raise(SIGTSTP);
    size_ = {};
}

void LiveScreen::paint_if_due() {
    const CursesTerminal::Size size = CursesTerminal::size();
    if (size == CursesTerminal::Size{}) return;
    const std::int64_t now = now_ns();
    report::LiveView view;
    {
        const std::lock_guard lock(mutex_);
        const bool due =
            changed_ || size != size_ || now - painted_ns_ >= repaint_interval_ns || stop_.requested() != stopping_;
        if (!due) return;
        changed_ = false;
        view = view_;
        view.age_s = static_cast<double>(now - reported_ns_) * 1e-9;
    }
    painted_ns_ = now;
    size_ = size;
    stopping_ = stop_.requested();
    view.stopping = stopping_;
    view.run_s = static_cast<double>(now - started_ns_) * 1e-9;
    terminal_->paint(report::layout(view, size.columns, size.rows), size);
}

} // namespace assay::cli
