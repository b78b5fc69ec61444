// What a workload's configure() gets: typed option values by index, targets, and how many workers there will be.
//
// A view; valid during configure() (texts and targets until destroy()). What an older host does not say reads as the
// value that fits a run of one worker on one machine.
#pragma once

#include "assay/abi/workload.h"
#include "assay/sdk/values.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::sdk::inline v0 {

class Job : public Values {
public:
    explicit Job(const assay_job& job) : Values(values_of(job)), job_(&job) {}

    [[nodiscard]] std::vector<std::string> targets() const {
        if (!ASSAY_HAS(job_, assay_job, targets)) return {};
        return {job_->targets, job_->targets + job_->target_count};
    }
    [[nodiscard]] std::uint32_t local_workers() const {
        return ASSAY_HAS(job_, assay_job, local_workers) ? job_->local_workers : 1;
    }
    [[nodiscard]] std::uint32_t global_workers() const {
        return ASSAY_HAS(job_, assay_job, global_workers) ? job_->global_workers : local_workers();
    }
    [[nodiscard]] std::uint32_t first_global_worker() const {
        return ASSAY_HAS(job_, assay_job, first_global_worker) ? job_->first_global_worker : 0;
    }
    [[nodiscard]] bool bounded_by_time() const {
        return ASSAY_HAS(job_, assay_job, bounded_by_time) && job_->bounded_by_time != 0;
    }
    [[nodiscard]] std::uint64_t seed() const { return ASSAY_HAS(job_, assay_job, seed) ? job_->seed : 0; }

private:
    static Values values_of(const assay_job& job) {
        if (!ASSAY_HAS(&job, assay_job, values)) return {};
        return {job.values, job.value_count, job.value_stride};
    }
    const assay_job* job_;
};

} // namespace assay::sdk::inline v0
