#include "tools/assay/run_support.hpp"

#include "core/base/text.hpp"
#include "core/verdict/check.hpp"
#include "tools/assay/terminal_rescue.hpp"

#include <csignal>
#include <cstdlib>

namespace assay::cli {
namespace {

StopFlag stop_flag; // signal handlers reach nothing else

// The first one asks for a clean stop, as `q` on the screen does; what comes after that ends the process at once.
void on_signal(int number) {
    if (!stop_flag.requested()) {
        stop_flag.request(number);
        return;
    }
    terminal_rescue::restore();
    std::signal(number, SIG_DFL);
    raise(number);
}

} // namespace

StopFlag& stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old {};
        sigaction(number, nullptr, &old);
        if (old.sa_handler == SIG_IGN) continue; // nohup, or a shell's background job
        sigaction(number, &action, nullptr);
    }
    return stop_flag;
}

// A minute's run on a large machine lists a few thousand series; interrupts, threads and driver statistics, which are
// many and say more to a person than to a check, are left to `assay sample` and to plans that name them.
std::vector<SamplerPlan> default_samplers() {
    SamplerPlan host{{"host", 0, 0}, {}, {}};
    host.options.emplace_back(
        "groups", PlanText{"cpu,disks,nics,tcp,memory,pressure,cgroup,temperature,nfs,cifs,lustre", 0, 0, true});
    return {host};
}

std::vector<std::string> devices_to_destroy() {
    std::vector<std::string> devices;
    if (const char* named = std::getenv("ASSAY_DESTROY"); named != nullptr) {
        for (const std::string_view device : split(named, ':'))
            if (!device.empty()) devices.emplace_back(device);
    }
    return devices;
}

int exit_code(const SessionOutcome& outcome, bool strict, const StopFlag& stop) {
    if (const int number = stop.signal_number(); number > 0) return 128 + number;
    if (!outcome.status.ok()) {
        const Failure failure = outcome.status.failure();
        return failure == Failure::usage || failure == Failure::unsafe ? 2 : 3;
    }
    return verdict::exit_code(outcome.run, strict);
}

} // namespace assay::cli
