// What is shown while a run goes on: one line that is redrawn on a terminal, plain lines elsewhere. Text only; any
// thread.
#pragma once

#include "core/result/model.hpp"
#include "core/run/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

// All jobs on one line of at most `width` columns: phase, progress, time left, rate, p99, in flight, errors. What
// matters least goes first where there is no room; progress and errors stay longest.
std::string live_line(const std::vector<JobProgress>& jobs, int width);

// Lets plain lines through at most once a second, whatever the interval of the run is.
class OnceASecond {
public:
    bool due(std::int64_t now_ns) {
        // What comes every second comes a little early at times.
        constexpr std::int64_t second_ns = 1'000'000'000;
        constexpr std::int64_t early_ns = second_ns / 20;
        if (shown_ && now_ns < next_ns_ - early_ns) return false;
        next_ns_ = shown_ && now_ns < next_ns_ + second_ns ? next_ns_ + second_ns : now_ns + second_ns;
        shown_ = true;
        return true;
    }

private:
    bool shown_ = false;
    std::int64_t next_ns_ = 0;
};

// One line a job, nothing left out, without line breaks.
std::vector<std::string> plain_lines(const std::vector<JobProgress>& jobs);

// One job of a finished repeat: rate, bandwidth and p99 of each operation; numbers that one of the repeat's verdicts
// calls invalid or suspect carry its mark.
std::string finished_line(const result::Job& job, const std::vector<result::Verdict>& verdicts = {});

} // namespace assay::report
