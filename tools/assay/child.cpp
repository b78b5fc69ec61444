#include "tools/assay/child.hpp"

#include "core/base/clock.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::cli {
namespace {

constexpr int exit_not_found = 127;
constexpr int exit_not_executable = 126;
constexpr std::int64_t second_ns = 1'000'000'000;

void ignore(int number, struct sigaction& old) {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, &old);
}

// What the command must find again: main() and Signals ignore these for assay's own sake, after this was made.
struct Inherited {
    Inherited() {
        ::sigaction(SIGPIPE, nullptr, &pipe);
        ::sigaction(SIGXFSZ, nullptr, &file_size);
    }
    struct sigaction pipe {};
    struct sigaction file_size {};
};
const Inherited inherited;

[[noreturn]] void become(std::vector<char*>& arguments, const Signals& signals, int report_fd) {
    signals.restore();
    ::execvp(arguments[0], arguments.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t sent = ::write(report_fd, &reason, sizeof(reason));
    ::_exit(exit_not_executable);
}

Status start_error(const std::string& name, int reason, int& exit_code) {
    exit_code = reason == ENOENT ? exit_not_found : exit_not_executable;
    const std::string quoted = in_quotes(name);
    if (reason == ENOENT && name.find('/') == std::string::npos)
        return run_error("command " + quoted + " was not found in PATH");
    if (reason == ENOENT)
        return run_error("command " + quoted + " was not found, or the interpreter that it names was not");
    return run_error("command " + quoted + " cannot be executed: " + std::strerror(reason));
}

} // namespace

Signals::Signals(bool with_command) {
    sigset_t mine;
    sigemptyset(&mine);
    for (const int number : {SIGTERM, SIGHUP})
        sigaddset(&mine, number);
    ::sigaction(SIGINT, nullptr, &old_int_);
    ::sigaction(SIGQUIT, nullptr, &old_quit_);
    if (with_command) {
        ignore(SIGINT, old_int_);
        ignore(SIGQUIT, old_quit_);
    } else {
        sigaddset(&mine, SIGINT);
    }
    struct sigaction unused {};
    ignore(SIGPIPE, unused);
    ::sigprocmask(SIG_BLOCK, &mine, &old_mask_);
    fd_ = Fd(::signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK));
}

int Signals::take() const {
    signalfd_siginfo info{};
    return ::read(fd_.get(), &info, sizeof(info)) == sizeof(info) ? static_cast<int>(info.ssi_signo) : 0;
}

void Signals::restore() const {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGQUIT, &old_quit_, nullptr);
    ::sigaction(SIGPIPE, &inherited.pipe, nullptr);
    ::sigaction(SIGXFSZ, &inherited.file_size, nullptr);
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

Status Child::start(const std::vector<std::string>& command, const Signals& signals, int& exit_code) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return run_error(std::string("no pipe to start the command with: ") + std::strerror(errno));
    const Fd from(ends[0]);
    Fd to(ends[1]);
    std::vector<std::string> copies = command;
    std::vector<char*> arguments;
    for (std::string& copy : copies)
        arguments.push_back(copy.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) return run_error(std::string("the command cannot be started: fork: ") + std::strerror(errno));
    if (pid_ == 0) become(arguments, signals, to.get());
    to.reset();
    int reason = 0;
    ssize_t got = 0;
    while ((got = ::read(from.get(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
    }
    if (got == sizeof(reason)) {
        ::waitpid(pid_, nullptr, 0);
        return start_error(command[0], reason, exit_code);
    }
    fd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!fd_.valid()) {
        const Status bad = run_error(std::string("the command cannot be watched: pidfd_open: ") + std::strerror(errno));
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        return bad;
    }
    running_ = true;
    return {};
}

void Child::pass_on(int signal) const {
    if (running_) ::kill(pid_, signal);
}

int Child::finish() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    running_ = false;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool sleep_until(std::int64_t until_ns, int fd, int other_fd) {
    for (;;) {
        const std::int64_t left_ns = std::max<std::int64_t>(0, until_ns - monotonic_ns());
        const timespec timeout{left_ns / second_ns, left_ns % second_ns};
        std::array<pollfd, 2> fds{pollfd{fd, POLLIN, 0}, pollfd{other_fd, POLLIN, 0}};
        const int ready = ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
        if (ready > 0) return false;
        if (monotonic_ns() >= until_ns) return true;
    }
}

} // namespace assay::cli
