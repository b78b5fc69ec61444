// When to sample: absolute deadlines, so that lateness does not add up, and a small loop over them.
//
// A deadline that has already passed when the one before is done is missed, not caught up with: two readings at once
// say nothing. Counts them. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>

namespace assay::sample {

class Schedule {
public:
    Schedule(std::int64_t start_ns, std::int64_t interval_ns)
        : start_ns_(start_ns), interval_ns_(interval_ns), next_ns_(start_ns + interval_ns) {}

    [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
    [[nodiscard]] std::uint64_t missed() const { return missed_; }
    // The tick of next_ns() is done, at `now_ns`: the next is the first deadline after now.
    void done(std::int64_t now_ns);

private:
    const std::int64_t start_ns_;
    const std::int64_t interval_ns_;
    std::int64_t next_ns_;
    std::uint64_t missed_ = 0;
};

// Calls `tick` at every deadline until `wait` says stop, then once more. wait(deadline_ns) sleeps until then, and
// returns false to end now.
void run_schedule(Schedule& schedule, const std::function<bool(std::int64_t)>& wait, const std::function<void()>& tick);

} // namespace assay::sample
