// Lets the workers of one phase meet, and never deadlocks: a stop, or a worker that left the phase, frees whoever
// waits.
//
// arrive() from worker threads, reset() while none runs, break_now() from anywhere.
#pragma once

#include "assay/abi/base.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace assay {

class PhaseBarrier {
public:
    void reset(std::uint32_t parties);
    // Waits for all parties. ASSAY_CANCELLED if the barrier broke before all were here.
    assay_status arrive();
    // Nobody can be waited for any more.
    void break_now();

private:
    std::mutex mutex_;
    std::condition_variable released_;
    std::uint32_t parties_ = 0;
    std::uint32_t arrived_ = 0;
    std::uint64_t round_ = 0;
    bool broken_ = false;
};

} // namespace assay
