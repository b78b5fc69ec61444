#include "core/context/machine.hpp"

#include "core/base/text.hpp"
#include "core/context/cgroup.hpp"
#include "core/context/facts.hpp"
#include "core/context/virtualization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace assay {
namespace {

using context::Facts;

// Value of "key : value" in /proc/cpuinfo or "key: value" in /proc/meminfo.
std::string_view field(std::string_view text, std::string_view key) {
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !line.starts_with(key)) continue;
        if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") != std::string_view::npos) continue;
        const std::size_t start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string_view::npos ? std::string_view() : line.substr(start);
    }
    return {};
}

// "scaling_governor" of all policies: "performance", or "performance (6), powersave (2)" where they differ.
std::string cpu_policy(const std::string& directory, const std::string& file) {
    std::map<std::string, int> counts;
    for (const std::string& name : context::list_directory(directory)) {
        if (!name.starts_with("policy")) continue;
        if (const auto value = context::read_text(directory + "/" + name + "/" + file)) ++counts[*value];
    }
    if (counts.size() == 1) return counts.begin()->first;
    std::string text;
    for (const auto& [value, count] : counts)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", value, count);
    return text;
}

int count_sockets(const std::vector<int>& online, const std::string& cpu_directory) {
    int sockets = 0;
    std::vector<int> seen;
    for (const int cpu : online) {
        if (std::binary_search(seen.begin(), seen.end(), cpu)) continue;
        const auto text = context::read_text(fmt::format("{}/cpu{}/topology/package_cpus_list", cpu_directory, cpu));
        if (!text) return 0;
        const std::vector<int> package = context::parse_cpu_list(*text);
        seen.insert(seen.end(), package.begin(), package.end());
        std::sort(seen.begin(), seen.end());
        ++sockets;
    }
    return sockets;
}

void add_cpu(Facts& facts, const std::string& root) {
    const std::string cpuinfo_path = root + "/proc/cpuinfo";
    const std::string cpu_directory = root + "/sys/devices/system/cpu";
    // The first CPU is enough, and asking for all is slow where there are hundreds.
    const std::string cpuinfo = context::read_text(cpuinfo_path, 8192).value_or("");
    for (const char* key : {"model name", "Model", "cpu", "CPU part"}) { // x86; arm; power; arm64
        const std::string_view model = field(cpuinfo, key);
        if (model.empty()) continue;
        facts.text("cpu_model", model, cpuinfo_path);
        break;
    }
    facts.text("cpu_microcode", field(cpuinfo, "microcode"), cpuinfo_path);
    if (const auto text = context::read_text(cpu_directory + "/online")) {
        const std::vector<int> online = context::parse_cpu_list(*text);
        facts.integer("cpu_count", static_cast<std::int64_t>(online.size()), "", cpu_directory + "/online");
        if (const int sockets = count_sockets(online, cpu_directory); sockets > 0)
            facts.integer("cpu_sockets", sockets, "", cpu_directory + "/cpu*/topology/package_cpus_list");
    }
    const std::vector<int> allowed = allowed_cpus();
    if (!allowed.empty()) {
        facts.integer("cpu_allowed", static_cast<std::int64_t>(allowed.size()), "", "sched_getaffinity");
        facts.text("cpu_allowed_list", context::cpu_list_text(allowed), "sched_getaffinity");
    }
    facts.flag_file("cpu_smt", cpu_directory + "/smt/active");
    facts.text_file("cpu_isolated_list", cpu_directory + "/isolated");
    facts.text("cpu_governor", cpu_policy(cpu_directory + "/cpufreq", "scaling_governor"),
               cpu_directory + "/cpufreq/policy*/scaling_governor");
    facts.text("cpu_frequency_driver", cpu_policy(cpu_directory + "/cpufreq", "scaling_driver"),
               cpu_directory + "/cpufreq/policy*/scaling_driver");
    facts.text_file("cpu_idle_driver", cpu_directory + "/cpuidle/current_driver");
    facts.text_file("cpu_idle_governor", cpu_directory + "/cpuidle/current_governor");
}

void add_memory(Facts& facts, const std::string& root, const context::CgroupLimits& limits) {
    const std::string meminfo_path = root + "/proc/meminfo";
    const std::string meminfo = context::read_text(meminfo_path).value_or("");
    const auto bytes_of = [&](std::string_view key) -> std::optional<std::int64_t> {
        const std::vector<std::string_view> parts = split(field(meminfo, key), ' ');
        const auto kib = parts.size() == 2 && parts[1] == "kB" ? context::to_integer(parts[0]) : std::nullopt;
        std::int64_t bytes = 0;
        if (!kib || __builtin_mul_overflow(*kib, std::int64_t{1024}, &bytes)) return std::nullopt;
        return bytes;
    };
    const std::optional<std::int64_t> total = bytes_of("MemTotal");
    if (total) facts.integer("memory_total_bytes", *total, "B", meminfo_path);
    if (const auto bytes = bytes_of("MemAvailable")) facts.integer("memory_available_bytes", *bytes, "B", meminfo_path);
    if (const auto bytes = bytes_of("SwapTotal")) facts.integer("swap_total_bytes", *bytes, "B", meminfo_path);
    // A limit above what there is limits nothing.
    if (limits.memory_bytes && (!total || limits.memory_bytes->value < *total))
        facts.integer("memory_limit_bytes", limits.memory_bytes->value, "B", limits.memory_bytes->source);
    facts.integer("page_bytes", ::sysconf(_SC_PAGESIZE), "B", "sysconf");
    const std::string node_directory = root + "/sys/devices/system/node";
    if (const auto text = context::read_text(node_directory + "/online"))
        facts.integer("numa_nodes", static_cast<std::int64_t>(context::parse_cpu_list(*text).size()), "",
                      node_directory + "/online");
}

void add_limits(Facts& facts, const context::CgroupLimits& limits) {
    if (limits.cpus) facts.real("cpu_limit", limits.cpus->value, "CPUs", limits.cpus->source);
    std::string io;
    for (const std::string& line : limits.io)
        io += (io.empty() ? "" : "; ") + line;
    facts.text("cgroup_io_limits", io, "cgroup");
}

void add_system(Facts& facts, const std::string& root) {
    utsname names{};
    if (::uname(&names) == 0) {
        facts.text("hostname", names.nodename, "uname");
        facts.text("kernel", names.release, "uname");
        facts.text("kernel_build", names.version, "uname");
        facts.text("architecture", names.machine, "uname");
    }
    const std::string release_path = root + "/etc/os-release";
    const std::string release = context::read_text(release_path).value_or("");
    for (std::string_view line : split(release, '\n')) {
        constexpr std::string_view key = "PRETTY_NAME=";
        if (!line.starts_with(key)) continue;
        line.remove_prefix(key.size());
        if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
        facts.text("operating_system", line, release_path);
    }
    facts.text_file("clock_source", root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    context::add_virtualization(facts, root);
}

} // namespace

std::vector<result::Fact> machine_context(const std::string& root) {
    const context::CgroupLimits limits = context::cgroup_limits(root);
    Facts facts;
    add_system(facts, root);
    add_cpu(facts, root);
    add_memory(facts, root, limits);
    add_limits(facts, limits);
    return facts.take();
}

int numa_node_of_cpu(int cpu, const std::string& root) {
    constexpr std::string_view prefix = "node";
    for (const std::string& name : context::list_directory(fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu))) {
        if (!name.starts_with(prefix)) continue;
        const auto node = context::to_integer(std::string_view(name).substr(prefix.size()));
        if (node && *node >= 0 && *node < 65536) return static_cast<int>(*node);
    }
    return -1;
}

std::vector<int> allowed_cpus() {
    // The kernel refuses a mask shorter than its own, whose length it does not tell.
    constexpr int max_cpus = 1 << 20;
    std::vector<int> cpus;
    for (int count = 1024; count <= max_cpus; count *= 2) {
        const std::size_t bytes = CPU_ALLOC_SIZE(count);
        std::vector<unsigned long> mask(bytes / sizeof(unsigned long));
        auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
        if (::sched_getaffinity(0, bytes, set) != 0) {
            if (errno == EINVAL) continue;
            break;
        }
        for (int cpu = 0; cpu < count; ++cpu) {
            if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
        }
        break;
    }
    return cpus;
}

} // namespace assay
