// What the run tests share: jobs made from the test plugins (by dlopen) or from workloads written in a test, hooks that
// remember what they were told, and a run of a whole point.
#pragma once

#include "assay/abi/entry.h"
#include "core/base/clock.hpp"
#include "core/run/run.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace assay::test {

inline constexpr std::int64_t ms = 1'000'000;

using Options = std::vector<std::pair<std::string, std::string>>;

// The descriptor of build/tests/plugins/NAME.so; stays loaded.
const assay_descriptor* plugin(const std::string& name);

// A job named like its plugin, one worker, bounded by work unless measure_ns is set afterwards.
RunJob job_of(const assay_descriptor& descriptor, const Options& options = {});
RunJob job_of(const std::string& plugin_name, const Options& options = {});

struct LogLine {
    assay_severity severity = 0;
    std::string job;
    std::string text;
};

class RecordingHooks : public RunHooks {
public:
    Status targets_declared(result::Job& job) override;
    void setup_finished(result::Job& job) override;
    void window_opened(result::Job& job) override;
    void window_closed(result::Job& job) override;
    void measured_so_far(std::vector<result::Job> jobs) override;
    void progress(const std::vector<JobProgress>& jobs) override;
    void log(assay_severity severity, const std::string& job, const std::string& text) override;

    std::vector<std::string> events; // "setup_finished counting"
    std::vector<std::vector<JobProgress>> shown;
    std::vector<std::vector<result::Job>> so_far;
    Status refusal;                    // what targets_declared() answers
    std::function<void()> on_progress; // called in progress()
    std::vector<LogLine> log_lines() const;

private:
    mutable std::mutex mutex_;
    std::vector<LogLine> log_;
};

RunSettings quick_settings();

struct Ran {
    Status status;
    std::vector<result::Job> jobs;
    bool hung = false;
    std::int64_t took_ns = 0;
};
Ran run(const std::vector<RunJob>& jobs, RecordingHooks& hooks, const StopFlag& stop,
        const RunSettings& settings = quick_settings());
Ran run(const std::vector<RunJob>& jobs, const RunSettings& settings = quick_settings());
// Stops the point after some time.
Ran run_and_stop(const std::vector<RunJob>& jobs, RecordingHooks& hooks, std::int64_t stop_after_ns,
                 const RunSettings& settings = quick_settings());

} // namespace assay::test
