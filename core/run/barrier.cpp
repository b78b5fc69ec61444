#include "core/run/barrier.hpp"

namespace assay {

void PhaseBarrier::reset(std::uint32_t parties) {
    const std::lock_guard lock(mutex_);
    parties_ = parties;
    arrived_ = 0;
    broken_ = false;
}

assay_status PhaseBarrier::arrive() {
    std::unique_lock lock(mutex_);
    if (broken_) return ASSAY_CANCELLED;
    const std::uint64_t round = round_;
    if (++arrived_ == parties_) {
        arrived_ = 0;
        ++round_;
        released_.notify_all();
        return ASSAY_OK;
    }
    released_.wait(lock, [&] { return round_ != round || broken_; });
    return round_ != round ? ASSAY_OK : ASSAY_CANCELLED;
}

void PhaseBarrier::break_now() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    released_.notify_all();
}

} // namespace assay
