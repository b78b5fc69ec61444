#include "core/base/clock.hpp"

#include "core/base/file.hpp"
#include "core/base/tsc.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace assay {
namespace {

constexpr std::int64_t kCalibrationNs = 20'000'000;
constexpr assay_clock kMonotonicClock = {ASSAY_CLOCK_MONOTONIC, 0, 1};

#if defined(__x86_64__)

constexpr assay_clock kRawTsc = {ASSAY_CLOCK_TSC, 0, 1};

// One instant on both clocks.
struct Instant {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
};

// Brackets a reading of CLOCK_MONOTONIC between two of the counter. Of several, the tightest bracket is the one that
// no interrupt fell into; its middle is off by less than half its width, some 10 ns.
Instant read_instant() {
    constexpr int kTries = 32;
    Instant best;
    std::uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = assay_clock_ticks(&kRawTsc);
        const std::uint64_t ns = assay_clock_monotonic_ns();
        const std::uint64_t width = assay_clock_ticks(&kRawTsc) - before;
        if (width >= best_width) continue;
        best_width = width;
        best = {before + width / 2, ns};
    }
    return best;
}

// Taken while the process starts, so that the calibration's time has mostly passed when it is wanted.
const Instant kProcessStart = read_instant();

bool cpuid_says_invariant() {
    constexpr unsigned kPowerManagementLeaf = 0x80000007;
    constexpr unsigned kInvariantTsc = 1u << 8;
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(kPowerManagementLeaf, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariantTsc) != 0;
}

std::string clocksource_file(const char* name) {
    constexpr std::size_t kBytesMax = 4096;
    Result<std::string> text =
        read_text_file(std::string("/sys/devices/system/clocksource/clocksource0/") + name, kBytesMax);
    return text ? std::move(*text) : std::string(); // unreadable: decided as if the kernel trusted no TSC
}

void sleep_ns(std::int64_t ns) {
    timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

assay_clock calibrate() {
    if (!tsc_serves_as_clock(cpuid_says_invariant(), clocksource_file("current_clocksource"),
                             clocksource_file("available_clocksource"))) {
        return kMonotonicClock;
    }
    const std::int64_t passed_ns = monotonic_ns() - static_cast<std::int64_t>(kProcessStart.ns);
    if (passed_ns < kCalibrationNs) sleep_ns(kCalibrationNs - passed_ns);
    const Instant now = read_instant();
    return clock_from_rates(now.ticks - kProcessStart.ticks, now.ns - kProcessStart.ns).value_or(kMonotonicClock);
}

#else

assay_clock calibrate() { return kMonotonicClock; }

#endif

} // namespace

std::int64_t monotonic_ns() { return static_cast<std::int64_t>(assay_clock_monotonic_ns()); }

const assay_clock& hot_clock() {
    static const assay_clock clock = calibrate();
    return clock;
}

std::string utc_now_text() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                       utc.tm_hour, utc.tm_min, utc.tm_sec);
}

} // namespace assay
