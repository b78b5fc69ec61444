#include "core/report/progress.hpp"

#include "core/base/units.hpp"
#include "core/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::report {

std::optional<double> progress_share(const JobProgress& job) {
    std::optional<double> share;
    if (job.total_s > 0) share = job.elapsed_s / job.total_s;
    if (job.total_bytes > 0) {
        const double work = static_cast<double>(job.done_bytes) / static_cast<double>(job.total_bytes);
        share = share ? std::max(*share, work) : work;
    }
    if (!share || !std::isfinite(*share)) return std::nullopt;
    return std::clamp(*share, 0.0, 1.0);
}

std::optional<double> seconds_left(const JobProgress& job) {
    std::optional<double> left;
    if (job.total_s > 0) left = job.total_s - job.elapsed_s;
    if (job.total_bytes > 0 && job.bytes_per_s > 0) {
        const double work =
            (static_cast<double>(job.total_bytes) - static_cast<double>(job.done_bytes)) / job.bytes_per_s;
        left = left ? std::min(*left, work) : work;
    }
    if (!left || !std::isfinite(*left)) return std::nullopt;
    return std::max(*left, 0.0);
}

JobProgress advanced(JobProgress job, double seconds) {
    if (job.finished || !(seconds > 0)) return job;
    job.elapsed_s += seconds;
    if (job.total_s > 0) job.elapsed_s = std::min(job.elapsed_s, job.total_s);
    const double more = job.bytes_per_s * seconds;
    if (job.total_bytes > job.done_bytes && more > 0) {
        const std::uint64_t rest = job.total_bytes - job.done_bytes;
        job.done_bytes += more < static_cast<double>(rest) ? static_cast<std::uint64_t>(more) : rest;
    }
    return job;
}

std::string seconds_text(double seconds) {
    if (std::round(seconds) < 60) return fmt::format("{:.0f} s", seconds);
    return duration_text(std::round(seconds) * 1e9);
}

std::string job_title(const JobProgress& job, bool with_job) {
    std::string title = printable(job.phase);
    if (with_job || title.empty()) title = fmt::format("{}{}{}", printable(job.name), title.empty() ? "" : " ", title);
    return title;
}

} // namespace assay::report
