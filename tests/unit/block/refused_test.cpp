// What happens where the system forbids something: in a child process, which gives up its rights first.
#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace assay::block {
namespace {

// What `body` returns in a child process.
std::string in_child(const std::function<std::string()>& body) {
    int ends[2];
    if (pipe(ends) != 0) lab::fail("pipe");
    const pid_t child = fork();
    if (child == 0) {
        const std::string text = body();
        _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
        text.append(buffer, static_cast<std::size_t>(count));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
}

// From here on this process gets `error` from the system call.
void forbid(long number, int error) {
    sock_filter program[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(number)},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{4, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        lab::fail("seccomp");
}

// Locked memory is limited to less than 64 buffers of 4 KiB need, also for root; a ring still fits.
void limit_locking() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (syscall(SYS_capset, &header, data) != 0) lab::fail("capset");
    const rlimit limit{128 << 10, 128 << 10};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) lab::fail("setrlimit");
}

class Refused : public FileTest {
protected:
    Refused() { filled("a", 1 << 20); }
    std::string outcome_with(const std::function<void()>& before, OptionTexts options) {
        return in_child([&]() -> std::string {
            before();
            const auto outcome = run_block({options, {path("a")}});
            if (outcome.status == ASSAY_OK) return "ok: " + outcome.facts.at("registered_buffers");
            return std::to_string(outcome.status) + " " + outcome.call + " " + outcome.option + ": " + outcome.text;
        });
    }
};

TEST_F(Refused, AForbiddenIoUringIsFoundBeforeTheRunAndNamesTheOtherEngines) {
    const std::string text = outcome_with([] { forbid(SYS_io_uring_setup, EPERM); }, {});
    EXPECT_EQ(text.substr(0, 18), "2 prepare engine: ") << text;
    EXPECT_NE(text.find("kernel.io_uring_disabled"), std::string::npos) << text;
    EXPECT_NE(text.find("choose engine libaio or psync"), std::string::npos) << text;
}

TEST_F(Refused, AKernelWithoutIoUringSaysSo) {
    const std::string text = outcome_with([] { forbid(SYS_io_uring_setup, ENOSYS); }, {});
    EXPECT_NE(text.find("this kernel has no io_uring"), std::string::npos) << text;
}

TEST_F(Refused, ARingWithoutADescriptorNamesTheLimitAndNoOtherEngine) {
    const std::string text = outcome_with([] { forbid(SYS_io_uring_setup, EMFILE); }, {});
    EXPECT_EQ(text.substr(0, 11), "5 prepare :") << text;
    EXPECT_NE(text.find("ulimit -n"), std::string::npos) << text;
    EXPECT_EQ(text.find("libaio"), std::string::npos) << text;
}

TEST_F(Refused, AFileLargerThanAllowedNamesItsLimit) {
    const auto limit_size = [] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{2 << 20, 2 << 20};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) lab::fail("setrlimit");
    };
    for (const char* pattern : {"read", "write"}) {
        const std::string text = outcome_with(limit_size, {{"pattern", pattern}, {"size", "4MiB"}});
        EXPECT_NE(text.find("ulimit -f"), std::string::npos) << text;
        EXPECT_EQ(text.find("free some space"), std::string::npos) << text;
    }
}

// What the kernel says of an active swap file.
TEST_F(Refused, ASwapFileIsCalledThat) {
    const std::string trim = outcome_with([] { forbid(SYS_fallocate, ETXTBSY); }, {{"pattern", "trim"}});
    EXPECT_NE(trim.find("is in use as swap"), std::string::npos) << trim;
    EXPECT_EQ(trim.find("holes"), std::string::npos) << trim;
    const std::string write =
        outcome_with([] { forbid(SYS_pwrite64, ETXTBSY); }, {{"pattern", "write"}, {"engine", "psync"}});
    EXPECT_NE(write.find("in use as swap"), std::string::npos) << write;
}

TEST_F(Refused, AsynchronousIoWithoutRoomNamesItsLimit) {
    const std::string text = outcome_with([] { forbid(SYS_io_setup, EAGAIN); }, {{"engine", "libaio"}});
    EXPECT_NE(text.find("fs.aio-max-nr"), std::string::npos) << text;
}

TEST_F(Refused, BuffersThatMayNotBeLockedAreUsedUnregisteredAndTheFactSaysWhy) {
    const std::string text = outcome_with(limit_locking, {{"queue_depth", "64"}});
    EXPECT_EQ(text.substr(0, 8), "ok: no: ") << text;
    EXPECT_NE(text.find("RLIMIT_MEMLOCK is 128KiB"), std::string::npos) << text;
}

TEST_F(Refused, RegisteredBuffersThatAreDemandedAndCannotBeHadEndTheRun) {
    const std::string text = outcome_with(limit_locking, {{"queue_depth", "64"}, {"registered_buffers", "yes"}});
    EXPECT_EQ(text.substr(0, 26), "5 run registered_buffers: ") << text;
    EXPECT_NE(text.find("ulimit -l"), std::string::npos) << text;
}

TEST_F(Refused, AFileOfSomebodyElseIsReadWithItsAccessTimeUpdated) {
    // O_NOATIME is refused to others (EPERM); the run must not be.
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs root to become another user";
    ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
    const std::string text = outcome_with(
        [] {
            if (setresuid(65534, 65534, 65534) != 0) lab::fail("setresuid");
        },
        {});
    EXPECT_EQ(text.substr(0, 4), "ok: ") << text;
}

TEST_F(Refused, AFileThatMayNotBeReadOrWrittenSaysWhich) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs root to become another user";
    ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
    const auto become_nobody = [] {
        if (setresuid(65534, 65534, 65534) != 0) lab::fail("setresuid");
    };
    const std::string text = outcome_with(become_nobody, {{"pattern", "write"}});
    EXPECT_EQ(text.substr(0, 13), "4 configure :") << text;
    EXPECT_NE(text.find("may not be written by this user"), std::string::npos) << text;
}

} // namespace
} // namespace assay::block
