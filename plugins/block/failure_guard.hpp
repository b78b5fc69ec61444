// Decides when a run of failures means that the target is gone, so that a loop ends instead of spinning.
//
// Single failures are counters and the run goes on. Cold: called for failed requests only, so that success costs
// nothing. One a worker.
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/block/config.hpp"
#include "plugins/common/request.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace assay::block {

class FailureGuard {
public:
    FailureGuard(const Config& config, std::span<const std::string> names) : config_(config), names_(names) {}

    // A request failed: `error` is the errno, or 0 where it moved fewer bytes than asked for. `successes`: how many
    // have succeeded so far.
    [[gnu::cold, gnu::noinline]] void failed(const common::Request& request, int error, std::uint64_t successes);
    // True if a request that failed with EAGAIN or EINTR should simply be issued again.
    [[gnu::cold, gnu::noinline]] bool try_again(int error, std::uint64_t successes);
    // Nothing but failures for 1,000 requests, or for a second of them: give up.
    [[nodiscard]] bool gave_up() const { return gave_up_; }
    // How the run ended: a failure too if it was too short to give up, but nothing at all succeeded.
    [[nodiscard]] sdk::Status status(std::uint64_t successes) const;

private:
    static constexpr std::uint64_t failures_max = 1000;
    static constexpr std::uint64_t failing_ns_max = 1'000'000'000;
    static constexpr std::uint64_t again_max = 10'000;

    const Config& config_;
    std::span<const std::string> names_;
    std::uint64_t successes_at_start_ = UINT64_MAX;
    std::uint64_t failures_ = 0; // in a row
    std::uint64_t started_ns_ = 0;
    std::uint64_t again_ = 0; // in a row
    std::uint64_t successes_at_again_ = UINT64_MAX;
    bool gave_up_ = false;
    common::Request last_; // that failed
    int last_error_ = 0;
};

} // namespace assay::block
