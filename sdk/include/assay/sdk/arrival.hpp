// The schedule of an open loop: when the next request of a worker is due. See assay/abi/arrival.h for why.
//
// Hot: inline, allocation-free, about 3 ns (constant) or 11 ns (Poisson) a request. One a worker, used by its thread.
#pragma once

#include "assay/abi/arrival.h"
#include "assay/abi/worker.h"
#include "assay/sdk/worker.hpp"

#include <cmath>
#include <cstdint>

namespace assay::sdk::inline v0 {

class Arrivals {
public:
    // What the host has set for this phase; a host that knows no open loop leaves the loop closed.
    explicit Arrivals(const assay_worker_block& block) : Arrivals(read(block), block.seed) {}

    [[nodiscard]] bool open() const { return process_ != ASSAY_ARRIVAL_CLOSED; }
    // CLOCK_MONOTONIC instant of the intended start that comes next.
    [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
    // That request has started: on to the one after it.
    void advance() {
        if (process_ == ASSAY_ARRIVAL_POISSON) {
            const double ps = remainder_ps_ + exponential() * static_cast<double>(interval_ps_);
            const auto whole_ns = static_cast<std::int64_t>(ps * 1e-3);
            remainder_ps_ = ps - static_cast<double>(whole_ns) * 1e3;
            next_ns_ += whole_ns;
        } else {
            constant_ps_ += interval_ps_ % 1000;
            next_ns_ += static_cast<std::int64_t>(interval_ps_ / 1000 + constant_ps_ / 1000);
            constant_ps_ %= 1000;
        }
    }

private:
    struct Control {
        assay_arrival_process process = ASSAY_ARRIVAL_CLOSED;
        std::uint64_t interval_ps = 0;
        std::int64_t start_ns = 0;
    };
    static Control read(const assay_worker_block& block) {
        if (block.arrival_interval_ps == 0) return {};
        return {block.arrival_process, block.arrival_interval_ps, block.arrival_start_ns};
    }
    Arrivals(const Control& control, std::uint64_t seed)
        : process_(control.process),
          interval_ps_(control.interval_ps),
          next_ns_(control.start_ns),
          state_(seed ^ 0x61727269766c7321U) {
        if (process_ == ASSAY_ARRIVAL_POISSON) advance(); // a Poisson process need not have an event at its start
    }

    // Mean 1: -ln(u), u uniform in (0, 1] from SplitMix64 (Steele, Lea, Flood 2014).
    double exponential() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31;
        return -std::log(static_cast<double>((mixed >> 11) + 1) * 0x1p-53);
    }

    assay_arrival_process process_;
    std::uint64_t interval_ps_;
    // What is below a nanosecond is kept, so that no rate drifts.
    std::uint64_t constant_ps_ = 0;
    double remainder_ps_ = 0;
    std::int64_t next_ns_;
    std::uint64_t state_;
};

} // namespace assay::sdk::inline v0
