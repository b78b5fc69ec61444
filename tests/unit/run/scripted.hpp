// A workload whose every call runs what the test put there, and a descriptor around it: for tests of the contract
// itself.
#pragma once

#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace assay::test {

// A workload whose calls run what the test put here.
struct Script {
    std::function<assay_status(const assay_host*)> configure = [](const assay_host*) { return ASSAY_OK; };
    std::function<assay_status(const assay_host*)> prepare = [](const assay_host*) { return ASSAY_OK; };
    std::function<assay_status(const assay_host*, assay_worker*, std::uint32_t)> run =
        [](const assay_host*, assay_worker*, std::uint32_t) { return ASSAY_OK; };
    std::vector<assay_phase> phases{{sizeof(assay_phase), ASSAY_PHASE_MEASURED, "measured", 0}};
    assay_phase_list list{};
    const assay_host* host = nullptr;
    std::mutex mutex;
    std::vector<std::string> calls;

    void called(const std::string& call) {
        const std::lock_guard lock(mutex);
        calls.push_back(call);
    }
};
inline Script* script = nullptr;

inline assay_workload scripted() {
    assay_workload workload{};
    workload.struct_size = sizeof(assay_workload);
    workload.create = [](const assay_host* host, void** instance) {
        script->host = host;
        script->called("create");
        *instance = script;
        return assay_status{ASSAY_OK};
    };
    workload.destroy = [](void*) { script->called("destroy"); };
    workload.configure = [](void*, const assay_job*) {
        script->called("configure");
        return script->configure(script->host);
    };
    workload.phases = [](void*, const assay_phase_list** list) {
        script->called("phases");
        if (script->list.struct_size == 0)
            script->list = {sizeof(assay_phase_list), static_cast<std::uint32_t>(script->phases.size()),
                            sizeof(assay_phase), 1, script->phases.data()};
        *list = &script->list;
        return assay_status{ASSAY_OK};
    };
    workload.prepare = [](void*) {
        script->called("prepare");
        return script->prepare(script->host);
    };
    workload.run = [](void*, assay_worker* worker, std::uint32_t phase) {
        script->called("run " + std::to_string(phase));
        return script->run(script->host, worker, phase);
    };
    workload.interrupt = [](void*) { script->called("interrupt"); };
    workload.finish = [](void*) {
        script->called("finish");
        return assay_status{ASSAY_OK};
    };
    return workload;
}

class Contract : public testing::Test {
protected:
    Contract() : workload_(scripted()) {
        script = &script_;
        operation_ = {sizeof(assay_operation), ASSAY_OP_READ, 1, 0, "read", "", names_};
        descriptor_.struct_size = sizeof(assay_descriptor);
        descriptor_.kind = ASSAY_KIND_WORKLOAD;
        descriptor_.id = "org.assay.test.scripted";
        descriptor_.name = "scripted";
        descriptor_.operation_count = 1;
        descriptor_.operation_stride = sizeof(assay_operation);
        descriptor_.operations = &operation_;
        descriptor_.options = {sizeof(assay_option_table), 0, sizeof(assay_option), 0, nullptr};
        descriptor_.interface = &workload_;
    }
    RunJob job() { return job_of(descriptor_); }
    Ran run_it(const RunJob& job) {
        const StopFlag stop;
        return run({job}, hooks_, stop);
    }
    void expect_defect(const std::string& what) {
        const Ran ran = run_it(job());
        EXPECT_EQ(ran.status.failure(), Failure::run_failed);
        EXPECT_NE(ran.status.message().find("'scripted'"), std::string::npos) << ran.status.message();
        EXPECT_NE(ran.status.message().find(what), std::string::npos) << what << " in: " << ran.status.message();
        for (const char* call : {"prepare", "run 0", "finish"})
            EXPECT_EQ(std::count(script_.calls.begin(), script_.calls.end(), call), 0) << call;
    }

    static constexpr const char* names_[] = {"latency"};
    Script script_;
    assay_workload workload_;
    assay_operation operation_{};
    assay_descriptor descriptor_{};
    RecordingHooks hooks_;
};

} // namespace assay::test
