// A program that assay runs and otherwise leaves alone: it has assay's streams, environment, process group and, except
// for what assay itself ignores meanwhile, its signals. Control thread.
#pragma once

#include "core/base/fd.hpp"
#include "core/base/status.hpp"

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace assay::cli {

// Signals while sampling. With a command, Ctrl-C and Ctrl-\ are the command's: assay ignores them, and hands on SIGTERM
// and SIGHUP, which reach assay alone. Without one, all of them end the sampling. SIGPIPE is ignored.
class Signals {
public:
    explicit Signals(bool with_command);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    [[nodiscard]] int fd() const { return fd_.get(); }
    // The signal that arrived; 0 if none did.
    [[nodiscard]] int take() const;
    // In the child, before it becomes the command: everything as assay found it.
    void restore() const;

private:
    sigset_t old_mask_{};
    struct sigaction old_int_ {};
    struct sigaction old_quit_ {};
    Fd fd_;
};

class Child {
public:
    // exit_code is what a shell would exit with if the command cannot be started: 127 not found, 126 not executable.
    Status start(const std::vector<std::string>& command, const Signals& signals, int& exit_code);

    [[nodiscard]] bool running() const { return running_; }
    // Readable once the command ended.
    [[nodiscard]] int fd() const { return fd_.get(); }
    void pass_on(int signal) const;
    // Waits for the end, and returns the exit status; 128+N if signal N ended it.
    int finish();

private:
    pid_t pid_ = -1;
    bool running_ = false;
    Fd fd_;
};

// Sleeps until the instant, or until one of the descriptors is readable: false then.
bool sleep_until(std::int64_t monotonic_ns, int fd, int other_fd);

} // namespace assay::cli
