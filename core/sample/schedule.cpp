#include "core/sample/schedule.hpp"

#include "core/base/clock.hpp"

namespace assay::sample {

void Schedule::done(std::int64_t now_ns) {
    if (now_ns < next_ns_) {
        next_ns_ += interval_ns_;
        return;
    }
    const std::int64_t before = (next_ns_ - start_ns_) / interval_ns_;
    const std::int64_t last = (now_ns - start_ns_) / interval_ns_;
    missed_ += static_cast<std::uint64_t>(last - before);
    next_ns_ = start_ns_ + (last + 1) * interval_ns_;
}

void run_schedule(Schedule& schedule, const std::function<bool(std::int64_t)>& wait,
                  const std::function<void()>& tick) {
    while (wait(schedule.next_ns())) {
        tick();
        schedule.done(monotonic_ns());
    }
    tick();
}

} // namespace assay::sample
