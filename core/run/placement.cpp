#include "core/run/placement.hpp"

#include "core/context/facts.hpp"
#include "core/context/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sched.h>

namespace assay {
namespace {

// Larger than any machine the kernel is built for (CONFIG_NR_CPUS is at most 8192).
constexpr int cpus_max = 8192;

class CpuSet {
public:
    CpuSet() : set_(CPU_ALLOC(cpus_max)) { CPU_ZERO_S(bytes(), set_); }
    CpuSet(const CpuSet&) = delete;
    CpuSet& operator=(const CpuSet&) = delete;
    ~CpuSet() { CPU_FREE(set_); }
    [[nodiscard]] static std::size_t bytes() { return CPU_ALLOC_SIZE(cpus_max); }
    [[nodiscard]] cpu_set_t* get() const { return set_; }
    void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), set_); }

private:
    cpu_set_t* set_;
};

} // namespace

Status check_cpus(const std::vector<int>& cpus) {
    if (cpus.empty()) return {};
    const std::vector<int> allowed = allowed_cpus();
    for (const int cpu : cpus) {
        if (!std::binary_search(allowed.begin(), allowed.end(), cpu))
            return usage_error(fmt::format("cpus: CPU {} does not exist or this process may not use it; allowed are {}",
                                           cpu, context::cpu_list_text(allowed)));
    }
    return {};
}

Status pin_this_thread(int cpu) {
    CpuSet set;
    set.add(cpu);
    if (sched_setaffinity(0, CpuSet::bytes(), set.get()) == 0) return {};
    return run_error(fmt::format("cannot pin a thread to CPU {}: {}", cpu, std::strerror(errno)));
}

} // namespace assay
