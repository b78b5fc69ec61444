#include "core/report/live.hpp"

#include "assay/abi/arrival.h"
#include "core/base/units.hpp"
#include "core/report/numbers.hpp"
#include "core/report/progress.hpp"
#include "core/report/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace assay::report {
namespace {

// How much of a job is shown, from everything down to the least.
enum Detail : int { everything, no_in_flight, no_bandwidth, no_p99, no_rate, no_time_left };

std::string name_of(const JobProgress& job, bool with_job) {
    return job_title(job, with_job) + (job.warmup ? " (warm-up)" : "");
}

std::vector<std::string> fields(const JobProgress& job, Detail detail) {
    std::vector<std::string> parts;
    if (job.finished) {
        parts.emplace_back("done");
    } else {
        if (const std::optional<double> share = progress_share(job))
            parts.push_back(fmt::format("{:.0f} %", std::floor(*share * 100)));
        const std::optional<double> left = seconds_left(job);
        if (left && detail < no_time_left) parts.push_back(seconds_text(*left) + " left");
        const bool setup = job.kind == result::PhaseKind::setup;
        if (detail < no_rate && !setup && !job.no_rate_yet) parts.push_back(count_text(job.operations_per_s) + " IOPS");
        if (detail < (setup ? no_rate : no_bandwidth) && job.bytes_per_s > 0)
            parts.push_back(binary_rate(job.bytes_per_s));
        if (detail < no_p99 && !setup && job.p99_ns > 0)
            parts.push_back(fmt::format("{}p99 {}", job.open_loop ? "response " : "",
                                        duration_text(static_cast<double>(job.p99_ns))));
        if (detail < no_in_flight && !setup && job.in_flight > 0)
            parts.push_back(count_text(job.in_flight) + " in flight");
    }
    if (job.errors > 0) parts.push_back(fmt::format("{} error{}", job.errors, job.errors == 1 ? "" : "s"));
    return parts;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : std::string(between)) + part;
    return text;
}

} // namespace

std::string live_line(const std::vector<JobProgress>& jobs, int width) {
    std::string line;
    for (int detail = everything; detail <= no_time_left; ++detail) {
        std::vector<std::string> parts;
        for (const JobProgress& job : jobs)
            parts.push_back(name_of(job, jobs.size() > 1) + " " +
                            joined(fields(job, static_cast<Detail>(detail)), "  "));
        line = joined(parts, " | ");
        if (display_width(line) <= width) return line;
    }
    return fit(line, width);
}

std::vector<std::string> plain_lines(const std::vector<JobProgress>& jobs) {
    std::vector<std::string> lines;
    for (const JobProgress& job : jobs)
        lines.push_back(fmt::format("{}: {}", name_of(job, jobs.size() > 1), joined(fields(job, everything), ", ")));
    return lines;
}

namespace {

// The p99 that a user of the target would see: in an open loop from the intended start.
std::pair<const char*, std::uint64_t> tail_of(const result::Operation& operation) {
    for (const auto& [name, histogram] : operation.histograms)
        if (name == ASSAY_HISTOGRAM_RESPONSE && histogram.count() > 0)
            return {"response ", histogram.percentile_ns(99)};
    if (operation.histograms.empty() || operation.histograms[0].second.count() == 0) return {"", 0};
    return {"", operation.histograms[0].second.percentile_ns(99)};
}

} // namespace

std::string finished_line(const result::Job& job, const std::vector<result::Verdict>& verdicts) {
    std::string line = printable(job.name) + ":";
    for (const result::Phase& phase : job.phases) {
        if (phase.kind != result::PhaseKind::measured || phase.window_s() <= 0) continue;
        for (const result::Operation& operation : phase.operations) {
            if (operation.operations == 0) continue;
            const std::string_view mark = mark_of(level_of(verdicts, job.name, phase.name, operation.name));
            line += fmt::format("{} {} {} IOPS{}", line.back() == ':' ? "" : ",", printable(operation.name),
                                count_text(static_cast<double>(operation.operations) / phase.window_s()), mark);
            if (operation.bytes > 0)
                line +=
                    fmt::format(" {}{}", binary_rate(static_cast<double>(operation.bytes) / phase.window_s()), mark);
            if (const auto [name, p99_ns] = tail_of(operation); p99_ns > 0)
                line += fmt::format(" {}p99 {}{}", name, duration_text(static_cast<double>(p99_ns)), mark);
        }
        const std::string errors = errors_text(phase);
        if (!errors.empty()) line += fmt::format(", errors: {}", errors);
    }
    if (!job.failure.empty())
        line += fmt::format(" failed: {}", printable(job.failure));
    else if (job.cut_short)
        line += " (cut short)";
    return line;
}

} // namespace assay::report
