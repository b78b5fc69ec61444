// The one piece of code that turns two readings of a counter into growth, and knows what can be wrong with them.
//
// A counter may wrap (modulo 2^width), stick at all ones (saturate), go backwards (somebody reset it), step back a
// little (its source corrected itself), or be absent for a while. Only a difference that is surely right becomes a
// number; everything else becomes a gap with its reason, never a guess. Pure functions; any thread.
#pragma once

#include "assay/abi/sampler.h"

#include <cstdint>
#include <string_view>

namespace assay::sample {

// How a counter behaves, from its series (sampler.h).
struct CounterRule {
    std::uint32_t width_bits = 64; // 1 .. 128
    assay_overflow overflow = ASSAY_OVERFLOW_WRAPS;
    std::uint64_t step_back_max = 0; // a decrease up to this is no reset
    // The fastest it can grow, raw units a second; 0: not known. Decides whether a decrease can be a wrap at all.
    double max_per_s = 0;
};

enum class Gap : std::uint8_t {
    none,
    absent,    // one of the readings could not be taken
    reset,     // it went backwards by more than a wrap or a step back explains
    saturated, // it touched all ones: it may have stopped counting
    too_long,  // it may have wrapped more than once between the readings
    no_time,   // both readings carry the same instant
};
std::string_view gap_name(Gap gap);

using Wide = unsigned __int128;

struct Growth {
    double raw = 0; // in raw units; valid when gap is none
    Gap gap = Gap::none;
    // It stepped back: the growth is zero, and the next one counts from the earlier reading's value.
    bool stepped_back = false;
};

// Growth from `earlier` to `later`, `elapsed_s` apart.
Growth counter_growth(const CounterRule& rule, Wide earlier, Wide later, double elapsed_s);
// The same for a counter whose values are floating-point numbers: it has no width, so a decrease is a step or a reset.
Growth real_growth(const CounterRule& rule, double earlier, double later, double elapsed_s);

} // namespace assay::sample
