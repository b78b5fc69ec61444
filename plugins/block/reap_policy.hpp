// How many completions to wait for once the queue is full.
//
// Waiting for more saves system calls (a third of the cost of a request on a fast device), but leaves fewer in flight:
// N - (k-1)/2 on average. So k follows what is measured: as large as keeps the mean in flight at nine tenths of the
// depth or more, and never so large that a batch takes longer than 50 us to come together, because at such rates calls
// cost nothing and waiting would only blur latency. Hot part inline; one a worker.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::block {

class ReapPolicy {
public:
    // `fixed`: 0 adapts.
    ReapPolicy(std::uint32_t depth, std::uint32_t fixed)
        : depth_(depth),
          adapts_(fixed == 0 && depth > 8),
          batch_(fixed != 0 ? std::min(fixed, depth) : std::max(depth / 8, 1u)) {}

    [[nodiscard]] std::uint32_t batch() const { return batch_; }
    // `in_flight_ns` is the lane's integral so far.
    void observe(std::uint64_t elapsed_ns, std::uint64_t reaped, std::uint64_t in_flight_ns) {
        elapsed_ns_ += elapsed_ns;
        reaped_ += reaped;
        if (adapts_ && elapsed_ns_ >= window_ns) adapt(in_flight_ns);
    }

private:
    static constexpr std::uint64_t window_ns = 2'000'000;
    static constexpr double batch_ns_max = 50'000;
    static constexpr double lower_share = 0.91;
    static constexpr double upper_share = 0.92;

    // Small steps: a window in which something else had the CPU says little about the device.
    [[gnu::noinline]] void adapt(std::uint64_t in_flight_ns) {
        const auto elapsed = static_cast<double>(elapsed_ns_);
        const double share = static_cast<double>(in_flight_ns - last_in_flight_ns_) / elapsed / depth_;
        const double most = std::min(static_cast<double>(reaped_) / elapsed * batch_ns_max, depth_ / 2.0);
        const std::uint32_t step = 1 + batch_ / 8;
        if (share < lower_share || batch_ > most)
            batch_ -= std::min(step, batch_ - 1);
        else if (share > upper_share && batch_ + step <= most)
            batch_ += step;
        elapsed_ns_ = 0;
        reaped_ = 0;
        last_in_flight_ns_ = in_flight_ns;
    }

    std::uint32_t depth_;
    bool adapts_;
    std::uint32_t batch_;
    std::uint64_t elapsed_ns_ = 0;
    std::uint64_t reaped_ = 0;
    std::uint64_t last_in_flight_ns_ = 0;
};

} // namespace assay::block
