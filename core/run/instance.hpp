// One instance of a workload plugin: every call across the ABI is made here, with its errors turned into values.
//
// Reads the plugin's structs only as far as their struct_size reaches. Control thread, except run() (the worker's
// thread) and interrupt() (any). After a call that failed only the destructor may follow.
#pragma once

#include "assay/abi/descriptor.h"
#include "assay/abi/workload.h"
#include "core/base/status.hpp"
#include "core/result/model.hpp"
#include "core/run/host_services.hpp"
#include "core/run/run.hpp"
#include "core/schema/schema.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay {

struct DeclaredPhase {
    std::string name;
    result::PhaseKind kind = result::PhaseKind::measured;
    std::uint64_t total_bytes = 0; // 0: not bounded by work
};

class Instance {
public:
    // Checks the plugin's table of functions and calls create(). `services` must outlive the instance.
    static Result<std::unique_ptr<Instance>> create(const RunJob& job, HostServices& services);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance();

    Status configure();
    // Reads and checks the phase list.
    Status read_phases();
    Status prepare();
    Status finish();
    void interrupt();

    struct RunOutcome {
        assay_status status = ASSAY_OK;
        CallError error;
    };
    RunOutcome run(assay_worker& worker, std::uint32_t phase);

    [[nodiscard]] const std::string& plugin_name() const { return plugin_name_; }
    [[nodiscard]] const std::vector<DeclaredPhase>& phases() const { return phases_; }
    [[nodiscard]] std::uint32_t lanes_per_worker() const { return lanes_per_worker_; }

private:
    Instance(const RunJob& job, HostServices& services, const assay_workload& workload);
    Status check_phases(const assay_phase_list& list);
    [[nodiscard]] Status failed(const char* call, assay_status status, const CallError& error) const;
    [[nodiscard]] Status defect(const std::string& what) const;

    HostServices& services_;
    const assay_workload& workload_;
    std::string plugin_name_;
    AbiValues values_;
    std::vector<std::string> targets_; // the plugin may point into these until destroy()
    std::vector<const char*> target_pointers_;
    assay_job abi_job_{};
    void* instance_ = nullptr;
    bool created_ = false;
    std::vector<DeclaredPhase> phases_;
    std::uint32_t lanes_per_worker_ = 1;
};

// "ASSAY_IO (7)" style name of a status, for messages.
std::string status_text(assay_status status);
// "option block_size: TEXT", "TEXT", or that the plugin gave no reason.
std::string reason_text(assay_status status, const CallError& error);

} // namespace assay
