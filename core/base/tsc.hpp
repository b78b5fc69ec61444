// Whether the time-stamp counter may serve as the hot path's clock, and its rate: the decisions behind hot_clock(),
// apart from the reading of hardware so that they can be tested. Any thread; pure functions.
#pragma once

#include "assay/abi/clock.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

// The host's fixed-point shift for a TSC. A difference overflows at 2^(64 - shift) ns, whatever the frequency: with 20
// that is 4 h 53 min, more than any single request takes. The price is a rounding of the factor by at most half of
// 1/mult, which is 5 ppm at 10 GHz and 1.3 ppm at 2.6 GHz; each bit more would halve both.
inline constexpr std::uint32_t kTscShift = 20;

// `invariant`: CPUID says the rate is constant and does not stop. `current` and `available` are the contents of the
// kernel's files current_clocksource and available_clocksource.
//
// A current source of "tsc" means the kernel has found the counters of all CPUs synchronised and trusts them.
// "kvm-clock" does not by itself: a guest may see an invariant TSC and still use kvm-clock because the kernel found the
// TSC unstable. But an unstable TSC is not listed as available, so a listed one, beside kvm-clock, was only not
// preferred. Live migration to a host with another frequency would change its rate unless the hypervisor scales it;
// a measurement that is migrated while it runs is lost either way. Any other source (hpet, acpi_pm, Hyper-V's page)
// says that something is wrong with the bare counter or is to be scaled: then it is not used.
bool tsc_serves_as_clock(bool invariant, std::string_view current, std::string_view available);

// Factors from an elapsed time measured with both clocks; nullopt if the rate is not one that a TSC can have
// (100 MHz .. 10 GHz), which means that the measurement went wrong.
std::optional<assay_clock> clock_from_rates(std::uint64_t ticks, std::uint64_t ns);

} // namespace assay
