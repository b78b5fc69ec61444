#include "core/report/history.hpp"

namespace assay::report {

void History::add(const JobProgress& job) {
    if (job.phase != phase_ || job.elapsed_s < elapsed_s_) {
        intervals_.clear();
        phase_ = job.phase;
        elapsed_s_ = 0;
    }
    if (job.finished || job.elapsed_s <= elapsed_s_) return;
    const Interval interval{job.operations_per_s, job.bytes_per_s, static_cast<double>(job.p99_ns), job.warmup};
    const bool idle = job.operations_per_s <= 0 && job.bytes_per_s <= 0;
    // Nothing done, twice over, is news; the very same rates and latency twice are one reading.
    if (!idle && !intervals_.empty()) {
        Interval last = intervals_.back();
        last.warmup = interval.warmup;
        if (last == interval) return;
    }
    elapsed_s_ = job.elapsed_s;
    intervals_.push_back(interval);
    if (intervals_.size() > intervals_max) intervals_.pop_front();
}

} // namespace assay::report
