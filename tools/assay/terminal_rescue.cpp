#include "tools/assay/terminal_rescue.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <termios.h>
#include <unistd.h>

namespace assay::cli::terminal_rescue {
namespace {

constexpr int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};

// What a signal handler may read: written only while not armed.
int terminal_fd = -1;
termios modes{};
char leave[256];
std::size_t leave_bytes = 0;
std::atomic<bool> armed{false};
struct sigaction before[std::size(fatal)];

void on_fatal(int number, siginfo_t* info, void* /*context*/) {
    restore();
    for (std::size_t at = 0; at < std::size(fatal); ++at) {
        if (fatal[at] == number) sigaction(number, &before[at], nullptr);
    }
    // A fault happens again when the handler returns; what was sent, by abort() for one, must be sent again.
    if (info == nullptr || info->si_code <= 0 || number == SIGQUIT) raise(number);
}

} // namespace

bool remember(int fd) {
    static const bool at_exit = std::atexit([] { restore(); }) == 0;
    terminal_fd = fd;
    return at_exit && tcgetattr(fd, &modes) == 0;
}

void arm(const std::string& sequence) {
    if (armed.load()) return;
    leave_bytes = std::min(sequence.size(), sizeof leave);
    std::memcpy(leave, sequence.data(), leave_bytes);
    armed.store(true);
    struct sigaction action {};
    action.sa_sigaction = on_fatal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t at = 0; at < std::size(fatal); ++at) {
        sigaction(fatal[at], nullptr, &before[at]);
        if (before[at].sa_handler != SIG_IGN) sigaction(fatal[at], &action, nullptr);
    }
}

void disarm() {
    if (!armed.exchange(false)) return;
    for (std::size_t at = 0; at < std::size(fatal); ++at)
        sigaction(fatal[at], &before[at], nullptr);
}

void restore() {
    if (!armed.exchange(false)) return;
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(terminal_fd, leave, leave_bytes);
    tcsetattr(terminal_fd, TCSANOW, &modes);
    errno = error;
}

} // namespace assay::cli::terminal_rescue
