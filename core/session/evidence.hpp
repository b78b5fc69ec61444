// Binds a running point to the evidence around it: what lies below each target, whether writing there is safe, which
// extents hold data, and what the devices counted while the window was open. Control thread, except log().
#pragma once

#include "core/context/target.hpp"
#include "core/run/run.hpp"
#include "core/session/sampling.hpp"
#include "core/session/session.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay {

class EvidenceHooks : public RunHooks {
public:
    // `judged_so_far` turns what has been measured until now into its verdicts; `sampling` may be nullptr.
    using Judge = std::function<std::vector<result::Verdict>(result::Repeat so_far)>;
    struct Setup {
        const std::vector<std::string>& destroy;
        std::int64_t interval_ns = 0;
        std::int64_t epoch_ns = 0;
        Sampling* sampling = nullptr;
        Judge judge_so_far;
    };
    EvidenceHooks(Setup setup, SessionObserver& observer) : setup_(std::move(setup)), observer_(observer) {}

    Status targets_declared(result::Job& job) override;
    void setup_finished(result::Job& job) override;
    void window_opened(result::Job& job) override;
    void window_closed(result::Job& job) override;
    void measured_so_far(std::vector<result::Job> jobs) override;
    void progress(const std::vector<JobProgress>& jobs) override;
    // What is known only after the window: facts that checks read beside the workload's own.
    void add_facts(result::Job& job) const;
    void log(assay_severity severity, const std::string& job, const std::string& text) override;

private:
    const Setup setup_;
    SessionObserver& observer_;
    // Fails if another job of the point has declared the same path and both would make or fill it.
    Status check_not_shared(const result::Job& job, const result::Target& target);

    // Of this process, by job name: at the start of the window, then over it.
    std::map<std::string, std::optional<std::uint64_t>> process_reads_;
    std::map<std::string, DiskReading> opened_;     // by job name
    std::map<std::string, std::string> written_by_; // canonical path of what is written or made -> job
    std::vector<std::string> devices_;              // below all targets of all jobs
    std::vector<result::Verdict> warnings_;         // on what has been measured so far
};

} // namespace assay
