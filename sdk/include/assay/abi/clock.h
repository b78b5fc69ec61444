/* The clock of the hot path: the CPU's time-stamp counter where it is constant and synchronised, else
 * CLOCK_MONOTONIC. The host decides, calibrates and hands the factors to every worker (worker.h).
 *
 * ns = (ticks * mult) >> shift, taken over differences (never over absolute ticks), exact to the calibration's
 * error; a difference must stay below 2^64 / mult ticks, which is 2^(64 - shift) ns at any frequency: 4 h 53 min with
 * the shift of 20 that this host uses for a TSC.
 * A read costs about 8 ns (rdtsc) or 17 ns (clock_gettime through the vDSO).
 */
#ifndef ASSAY_ABI_CLOCK_H
#define ASSAY_ABI_CLOCK_H

#include "base.h"

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t assay_clock_source;
enum { ASSAY_CLOCK_MONOTONIC = 0, ASSAY_CLOCK_TSC = 1 };

struct assay_clock {
    assay_clock_source source;
    uint32_t shift; /* 0 for MONOTONIC, whose ticks are nanoseconds (mult 1) */
    uint64_t mult;
};

#ifndef CLOCK_MONOTONIC
/* Strict ISO C hides POSIX: reach the C library's clock_gettime by its symbol. */
extern int assay_clock_gettime_posix(int clock_id, struct timespec* now) __asm__("clock_gettime");
#endif

/* CLOCK_MONOTONIC in nanoseconds. [any thread] */
static inline uint64_t assay_clock_monotonic_ns(void) {
    struct timespec now;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    assay_clock_gettime_posix(1, &now);
#endif
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Ticks now. [any thread] */
static inline uint64_t assay_clock_ticks(const struct assay_clock* clock) {
#if defined(__x86_64__)
    if (clock->source == ASSAY_CLOCK_TSC) return __builtin_ia32_rdtsc();
#else
    (void)clock;
#endif
    return assay_clock_monotonic_ns();
}

/* Nanoseconds in a difference of ticks; 0 if the difference is negative (a TSC read on another socket may lag). */
static inline uint64_t assay_clock_ns(const struct assay_clock* clock, uint64_t from_ticks, uint64_t to_ticks) {
    return to_ticks > from_ticks ? ((to_ticks - from_ticks) * clock->mult) >> clock->shift : 0;
}

ASSAY_STATIC_ASSERT(sizeof(struct assay_clock) == 16, "fixed: embedded in the worker block");

#ifdef __cplusplus
}
#endif
#endif
