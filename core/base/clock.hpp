// Time: the monotonic clock of the control plane, the calibrated tick clock of the hot path, and wall-clock text.
#pragma once

#include "assay/abi/clock.h"

#include <cstdint>
#include <string>

namespace assay {

// CLOCK_MONOTONIC, ns. Any thread.
std::int64_t monotonic_ns();

// The clock that workers get: the TSC where CPUID says it is invariant and the kernel uses it as its clock source,
// else CLOCK_MONOTONIC. Calibrated once, on first use, against CLOCK_MONOTONIC over at least 20 ms since the process
// started (sleeping, not spinning); relative error below 10 ppm. Any thread; thread-safe.
const assay_clock& hot_clock();

// "2026-11-30T20:38:40Z" of CLOCK_REALTIME now; used for the result's start time.
std::string utc_now_text();

} // namespace assay
