// A whole invocation: check the plan, load what it names, run every stage, point and repeat, collect evidence, judge,
// and keep the bundle on disk up to date.
//
// One control thread; the observer is called on it. Nothing here prints.
#pragma once

#include "core/base/status.hpp"
#include "core/loader/loader.hpp"
#include "core/plan/plan.hpp"
#include "core/result/model.hpp"
#include "core/run/run.hpp"

#include <string>
#include <vector>

namespace assay {

struct SessionRequest {
    Plan plan;
    // What is sampled where the plan does not say. One whose plugin is not installed is left out, with a warning.
    std::vector<SamplerPlan> default_samplers = {};
    std::vector<std::string> destroy; // block devices named again, so that writing to them is allowed
    std::string bundle_directory;     // empty: keep no bundle
    bool replace_bundle = false;
    std::int64_t interval_ns = 1'000'000'000; // series and progress; 100 ms .. 10 min
    std::vector<std::string> command_line;    // for the record, secrets masked
};

// What the samplers say of the machine over the last interval; for the live view. Empty where nothing is sampled.
struct HostGlance {
    struct Cpu {
        int number = 0;
        double busy = 0;    // 0 .. 1, without iowait
        double softirq = 0; // part of busy
    };
    std::vector<Cpu> cpus; // every CPU, by number
    struct Device {
        std::string name; // "vda": what the targets lie on
        double read_bytes_per_s = 0;
        double written_bytes_per_s = 0;
        double busy = 0; // 0 .. 1: share of the time with a request in flight
    };
    std::vector<Device> devices;
    // Verdicts that are suspect or worse on what has been measured so far in this run, and of finished ones.
    std::vector<result::Verdict> warnings;
};

class SessionObserver {
public:
    virtual ~SessionObserver() = default;
    struct Position {
        std::string stage;
        std::vector<std::pair<std::string, std::string>> parameters;
        std::uint32_t done_runs = 0; // finished repeats of points, over the whole plan
        std::uint32_t total_runs = 1;
        std::uint32_t repeat = 1; // this one, from 1
        std::uint32_t repeats = 1;
    };
    virtual void run_started(const Position& position) = 0;
    virtual void progress(const std::vector<JobProgress>& jobs, const HostGlance& host) = 0;
    virtual void run_finished(const result::Repeat& repeat) = 0;
    // A plugin's log line or a remark of the session's own. [any thread]
    virtual void message(assay_severity severity, const std::string& text) = 0;
};

struct SessionOutcome {
    result::Run run;
    // Why the plan ended early, if it did; the run holds what was measured before.
    Status status;
    bool bundle_written = false;
    // A plugin did not return: everything is written, and the process must leave by _exit.
    bool hung = false;
};

// A failure before anything ran is a failed Result and leaves no bundle behind.
Result<SessionOutcome> run_session(const SessionRequest& request, Loader& loader, SessionObserver& observer,
                                   const StopFlag& stop);

} // namespace assay
