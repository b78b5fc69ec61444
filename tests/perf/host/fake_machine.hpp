// /proc and /sys of a big machine, in ordinary files of a temporary directory.
#pragma once

#include "plugins/host/kernel_file.hpp"

#include <filesystem>
#include <string>

namespace assay::host {

struct MachineSize {
    int cpus = 64;
    int interrupt_lines = 200;
    int disks = 40;
    int interfaces = 20;
    int processes = 1500;
    int busy_threads = 10;
};

// The files are gone when it is.
class FakeMachine {
public:
    explicit FakeMachine(const MachineSize& size);
    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;
    ~FakeMachine();

    [[nodiscard]] Roots roots() const;
    // As if time had passed: the busy threads used `ticks` of CPU time altogether.
    void burn(int ticks) const;

private:
    void write(const std::string& name, const std::string& text) const;
    void write_cpus() const;
    void write_interrupts() const;
    void write_devices() const;
    void write_memory() const;
    void write_cgroup() const;
    void write_process(int pid, int ticks) const;

    MachineSize size_;
    std::filesystem::path at_;
};

} // namespace assay::host
