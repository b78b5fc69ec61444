#include "tests/perf/host/fake_machine.hpp"

#include <cstdlib>
#include <fstream>

namespace assay::host {
namespace {

std::string padded(std::uint64_t value, std::size_t width) {
    const std::string digits = std::to_string(value);
    return digits.size() < width ? std::string(width - digits.size(), ' ') + digits : digits;
}

// One row of counts, none of them zero, as wide as the kernel prints them.
std::string row(int cpus, std::uint64_t seed) {
    std::string text;
    for (int cpu = 0; cpu < cpus; ++cpu)
        text += " " + padded(seed * 7919 % 100'000'000 + static_cast<std::uint64_t>(cpu) + 1, 10);
    return text;
}

std::string header(int cpus) {
    std::string text = "           ";
    for (int cpu = 0; cpu < cpus; ++cpu)
        text += "CPU" + std::to_string(cpu) + "       ";
    return text + "\n";
}

} // namespace

FakeMachine::FakeMachine(const MachineSize& size) : size_(size) {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-fake-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    at_ = pattern;
    write_cpus();
    write_interrupts();
    write_devices();
    write_memory();
    write_cgroup();
    for (int pid = 1; pid <= size_.processes; ++pid)
        write_process(pid, 1000);
}

FakeMachine::~FakeMachine() { std::filesystem::remove_all(at_); }

Roots FakeMachine::roots() const { return {(at_ / "proc").string(), (at_ / "sys").string(), (at_ / "dev").string()}; }

void FakeMachine::burn(int ticks) const {
    for (int i = 0; i < size_.busy_threads; ++i)
        write_process(1 + i, 1000 + ticks);
}

void FakeMachine::write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((at_ / name).parent_path());
    std::ofstream(at_ / name, std::ios::binary | std::ios::trunc) << text;
}

void FakeMachine::write_cpus() const {
    std::string text = "cpu  12345678 2345 345678 987654321 12345 0 23456 789 0 0\n";
    for (int cpu = 0; cpu < size_.cpus; ++cpu)
        text += "cpu" + std::to_string(cpu) + " 192901 36 5401 15432098 192 0 366 12 0 0\n";
    text += "intr 1234567890";
    for (int line = 0; line < size_.interrupt_lines * 4; ++line)
        text += line % 4 == 0 ? " 123456" : " 0";
    write("proc/stat", text +
                           "\nctxt 1234567890\nbtime 1700000000\nprocesses 123456\nprocs_running 12\n"
                           "procs_blocked 0\nsoftirq 1234567 1 2 3 4 5 6 7 8 9 10\n");
}

void FakeMachine::write_interrupts() const {
    std::string text = header(size_.cpus);
    for (const char* kind :
         {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"})
        text += std::string(kind) + ":" + row(size_.cpus, static_cast<std::uint64_t>(kind[0])) + "\n";
    write("proc/softirqs", text);
    text = header(size_.cpus);
    for (int line = 0; line < size_.interrupt_lines; ++line)
        text += padded(static_cast<std::uint64_t>(line), 4) + ":" +
                row(size_.cpus, static_cast<std::uint64_t>(line) + 1) + "  IR-PCI-MSI-0000:81:00.0    " +
                std::to_string(line) + "-edge      mlx5_comp" + std::to_string(line) + "@pci:0000:81:00.0\n";
    write("proc/interrupts", text);
}

void FakeMachine::write_devices() const {
    std::string disks;
    for (int disk = 0; disk < size_.disks; ++disk)
        disks += " 259  " + std::to_string(disk) + " nvme" + std::to_string(disk) +
                 "n1 123456789 1234 9876543210 12345678 87654321 4321 1234567890 23456789 12 3456789 45678901 12 0 34 "
                 "56 78 90\n";
    write("proc/diskstats", disks);
    std::string nics = "Inter-|   Receive  |  Transmit\n face |bytes    packets errs |bytes    packets\n";
    for (int nic = 0; nic < size_.interfaces; ++nic)
        nics += "  eth" + std::to_string(nic) +
                ": 123456789012 1234567890 0 12 0 0 0 345 987654321098 987654321 0 0 0 0 0 0\n";
    write("proc/net/dev", nics);
    for (const char* name : {"net/snmp", "net/netstat"}) { // the machine's own
        std::ifstream own(std::string("/proc/") + name);
        write(std::string("proc/") + name, {std::istreambuf_iterator<char>(own), {}});
    }
    for (int sensor = 1; sensor <= 70; ++sensor)
        write("sys/class/hwmon/hwmon0/temp" + std::to_string(sensor) + "_input", "45000\n");
}

void FakeMachine::write_memory() const {
    for (const char* name :
         {"meminfo", "vmstat", "pressure/cpu", "pressure/io", "pressure/memory"}) { // the machine's own
        std::ifstream own(std::string("/proc/") + name);
        write(std::string("proc/") + name, {std::istreambuf_iterator<char>(own), {}});
    }
}

void FakeMachine::write_cgroup() const {
    write("proc/self/cgroup", "0::/system.slice/bench.service\n");
    write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
    std::string io;
    for (int disk = 0; disk < size_.disks; ++disk)
        io += "259:" + std::to_string(disk) +
              " rbytes=123456789 wbytes=987654321 rios=12345 wios=54321 dbytes=0 dios=0\n";
    for (const std::string group : {"/system.slice/bench.service", "/system.slice", ""}) {
        const std::string at = "sys/fs/cgroup" + group + "/";
        write(at + "cpu.stat",
              "usage_usec 123456789\nuser_usec 100000000\nsystem_usec 23456789\nnr_periods 100\n"
              "nr_throttled 40\nthrottled_usec 7500000\n");
        write(at + "cpu.max", "max 100000\n");
        write(at + "memory.current", "123456789\n");
        write(at + "memory.max", "max\n");
        write(at + "memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
        write(at + "io.stat", io);
    }
}

void FakeMachine::write_process(int pid, int ticks) const {
    const std::string number = std::to_string(pid);
    const std::string text = number + " (worker " + number + ") S 1 1 1 0 -1 4194624 0 0 0 0 " + std::to_string(ticks) +
                             " 0 0 0 20 0 1 0 100 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0\n";
    write("proc/" + number + "/stat", text);
    write("proc/" + number + "/comm", "worker " + number + "\n");
    if (pid > size_.busy_threads) return;
    write("proc/" + number + "/task/" + number + "/stat", text);
    write("proc/" + number + "/task/" + number + "/schedstat", std::to_string(ticks) + "0000000 12345 678\n");
}

} // namespace assay::host
