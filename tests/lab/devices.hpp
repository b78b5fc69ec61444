// Real devices for tests: loop devices, zram devices and mounts, gone when the test is, even one killed by SIGKILL.
//
// A loop device clears itself when its last opener goes; mounts live in a mount namespace of the test's own; a zram
// device has a guard process that outlives the test. Making them needs root: begin such a test with
// ASSAY_NEEDS_DEVICES(). Main thread only.
#pragma once

#include "core/base/fd.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASSAY_NEEDS_DEVICES()                                                \
    if (::geteuid() != 0 || ::access("/dev/loop-control", R_OK | W_OK) != 0) \
    GTEST_SKIP() << "SKIPPED, NOT PASSED: needs root and /dev/loop-control to make devices of its own"

namespace assay::lab {

[[noreturn]] inline void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

inline bool command_exists(const std::string& name) {
    return std::system(("PATH=$PATH:/usr/sbin:/sbin command -v " + name + " >/dev/null").c_str()) == 0;
}

// Runs a shell command that has to work.
inline void run(const std::string& command) {
    if (std::system(("PATH=$PATH:/usr/sbin:/sbin; " + command).c_str()) != 0)
        throw std::runtime_error("failed: " + command);
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "assay-test.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) fail("mkdtemp " + name);
        path_ = name;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

class LoopDevice {
public:
    // Over a sparse file of that size, which has no name any more.
    explicit LoopDevice(std::uint64_t size_bytes) {
        const std::filesystem::path name = std::filesystem::temp_directory_path();
        const Fd file(::open(name.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
        if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(size_bytes)) != 0) fail("backing file");
        attach(file.get(), "");
    }
    // Over a file or block device that exists and stays.
    explicit LoopDevice(const std::string& backing) {
        const Fd file(::open(backing.c_str(), O_RDWR | O_CLOEXEC));
        if (!file.valid()) fail(backing);
        attach(file.get(), backing);
    }
    LoopDevice(LoopDevice&&) = default;

    [[nodiscard]] std::string path() const { return "/dev/" + name_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] int fd() const { return fd_.get(); }
    // What a user does who pulls the device: it detaches as soon as nobody else has it open.
    void detach() { fd_.reset(); }

private:
    void attach(int file, const std::string& label) {
        const Fd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
        if (!control.valid()) fail("/dev/loop-control");
        loop_config config{};
        config.fd = static_cast<std::uint32_t>(file);
        config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN; // or its partitions outlive it
        std::strncpy(reinterpret_cast<char*>(config.info.lo_file_name), label.c_str(), LO_NAME_SIZE - 1);
        for (int attempt = 0; attempt < 64; ++attempt) { // another process may take the free one first
            const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
            if (number < 0) fail("LOOP_CTL_GET_FREE");
            name_ = "loop" + std::to_string(number);
            fd_ = Fd(::open(path().c_str(), O_RDWR | O_CLOEXEC));
            if (fd_.valid() && ::ioctl(fd_.get(), LOOP_CONFIGURE, &config) == 0) return;
            if (errno != EBUSY) fail("LOOP_CONFIGURE " + path());
        }
        fail("no free loop device");
    }

    std::string name_;
    Fd fd_;
};

class ZramDevice {
public:
    explicit ZramDevice(std::uint64_t size_bytes) {
        int number = -1;
        std::ifstream("/sys/class/zram-control/hot_add") >> number;
        if (number < 0) throw std::runtime_error("/sys/class/zram-control/hot_add gives no device");
        name_ = "zram" + std::to_string(number);
        start_guard(number);
        std::ofstream size("/sys/block/" + name_ + "/disksize");
        size << size_bytes;
        size.close();
        if (!size) throw std::runtime_error("cannot size " + name_);
    }
    ZramDevice(const ZramDevice&) = delete;
    ZramDevice& operator=(const ZramDevice&) = delete;
    ~ZramDevice() {
        life_.reset(); // the guard removes the device, and closes its end when done
        char byte = 0;
        while (::read(done_.get(), &byte, 1) < 0 && errno == EINTR) {
        }
    }
    static bool possible() { return ::geteuid() == 0 && ::access("/sys/class/zram-control/hot_add", R_OK) == 0; }

    [[nodiscard]] std::string path() const { return "/dev/" + name_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    // Twice forked, so that whoever kills the test's process tree does not find it. Only system calls after fork().
    void start_guard(int number) {
        int life[2] = {-1, -1};
        int done[2] = {-1, -1};
        if (::pipe2(life, O_CLOEXEC) != 0 || ::pipe2(done, O_CLOEXEC) != 0) fail("pipe2");
        const std::string reset_path = "/sys/block/" + name_ + "/reset";
        const std::string number_text = std::to_string(number);
        const pid_t child = ::fork();
        if (child < 0) fail("fork");
        if (child == 0) {
            if (::fork() != 0) ::_exit(0);
            ::setsid();
            ::dup2(life[0], 0);
            ::dup2(done[1], 1);
            ::close_range(2, ~0U, 0); // above all the ends of other guards' pipes
            char byte = 0;
            while (::read(0, &byte, 1) < 0 && errno == EINTR) {
            }
            for (int attempt = 0; attempt < 100; ++attempt) { // a process that is being killed may have it open still
                const int reset = ::open(reset_path.c_str(), O_WRONLY);
                const ssize_t was_reset = ::write(reset, "1", 1);
                ::close(reset);
                const int remove = ::open("/sys/class/zram-control/hot_remove", O_WRONLY);
                const ssize_t was_removed = ::write(remove, number_text.data(), number_text.size());
                ::close(remove);
                if (was_reset > 0 && was_removed > 0) break;
                ::usleep(100'000);
            }
            ::_exit(0);
        }
        ::close(life[0]);
        ::close(done[1]);
        life_ = Fd(life[1]);
        done_ = Fd(done[0]);
        ::waitpid(child, nullptr, 0);
    }

    std::string name_;
    Fd life_; // closed when the test dies
    Fd done_;
};

// A mount that nobody outside of this process sees.
class Mount {
public:
    Mount(const std::string& source, std::string point, const std::string& type, const std::string& options = "")
        : point_(std::move(point)) {
        static const bool own_namespace =
            ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
        if (!own_namespace) fail("unshare(CLONE_NEWNS)");
        std::filesystem::create_directories(point_);
        if (::mount(source.c_str(), point_.c_str(), type.c_str(), 0, options.c_str()) != 0)
            fail("mount " + source + " on " + point_);
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;
    ~Mount() {
        if (::umount2(point_.c_str(), 0) != 0) ::umount2(point_.c_str(), MNT_DETACH);
    }
    [[nodiscard]] const std::string& point() const { return point_; }

private:
    std::string point_;
};

} // namespace assay::lab
