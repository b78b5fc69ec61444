// Plugins compiled with other headers, and plugins that break a rule.
#include "tests/unit/run/scripted.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace assay::test {
namespace {

using result::PhaseEnd;

TEST_F(Contract, an_older_plugin_without_interrupt_and_finish_runs) {
    // What lies past its struct_size is not the host's to read.
    workload_.struct_size = offsetof(assay_workload, interrupt);
    workload_.interrupt = reinterpret_cast<void (*)(void*)>(8);
    workload_.finish = reinterpret_cast<assay_status (*)(void*)>(8);
    workload_.get_extension = reinterpret_cast<const void* (*)(void*, const char*)>(8);
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        while (assay_worker_stopped(worker) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ASSAY_OK;
    };
    RunJob timed = job();
    timed.measure_ns = 50 * ms;
    EXPECT_EQ(run_it(timed).jobs.at(0).phases.at(0).end, PhaseEnd::time);
}

TEST_F(Contract, a_null_interrupt_is_not_called) {
    workload_.interrupt = nullptr;
    workload_.finish = nullptr;
    RunJob timed = job();
    timed.measure_ns = 50 * ms;
    EXPECT_EQ(run_it(timed).jobs.at(0).failure, "");
}

TEST_F(Contract, phases_of_a_newer_plugin_are_strided_over) {
    struct Newer {
        assay_phase known;
        std::uint64_t appended;
    };
    std::vector<Newer> phases{{{sizeof(Newer), ASSAY_PHASE_MEASURED, "first", 0}, 7},
                              {{sizeof(Newer), ASSAY_PHASE_MEASURED, "second", 0}, 7}};
    script_.list = {sizeof(assay_phase_list), 2, sizeof(Newer), 1, &phases[0].known};
    const result::Job done = run_it(job()).jobs.at(0);
    ASSERT_EQ(done.phases.size(), 2U);
    EXPECT_EQ(done.phases[1].name, "second");
}

TEST_F(Contract, an_older_phase_without_total_bytes_is_not_bounded_by_work) {
    script_.phases[0].struct_size = offsetof(assay_phase, total_bytes);
    script_.phases[0].total_bytes = 12345; // not declared
    run_it(job());
    ASSERT_FALSE(hooks_.shown.empty());
    EXPECT_EQ(hooks_.shown.back()[0].total_bytes, 0U);
}

TEST_F(Contract, a_workload_without_a_needed_function_is_refused) {
    workload_.prepare = nullptr;
    expect_defect("lacks one of the functions");
}

TEST_F(Contract, a_workload_too_short_to_hold_run_is_refused) {
    workload_.struct_size = offsetof(assay_workload, run);
    expect_defect("lacks one of the functions");
}

TEST_F(Contract, a_descriptor_too_short_to_hold_its_interface_is_refused) {
    descriptor_.struct_size = offsetof(assay_descriptor, interface);
    expect_defect("lacks one of the functions");
}

TEST_F(Contract, phase_lists_that_break_a_rule_are_refused_naming_it) {
    const auto phase = [](assay_phase_kind kind, const char* name) {
        return assay_phase{sizeof(assay_phase), kind, name, 0};
    };
    const auto expect_refused = [&](std::vector<assay_phase> phases, const std::string& what) {
        script_.calls.clear();
        script_.list = {};
        script_.phases = std::move(phases);
        expect_defect(what);
    };
    expect_refused({}, "0 phases");
    expect_refused(std::vector<assay_phase>(65, phase(ASSAY_PHASE_MEASURED, "x")), "65 phases");
    expect_refused({phase(ASSAY_PHASE_SETUP, "only setup")}, "no measured phase");
    expect_refused({phase(ASSAY_PHASE_MEASURED, "m"), phase(ASSAY_PHASE_SETUP, "late")}, "'late' (setup) after 'm'");
    expect_refused({phase(ASSAY_PHASE_TEARDOWN, "t"), phase(ASSAY_PHASE_MEASURED, "late")}, "'late' (measured)");
    expect_refused({phase(ASSAY_PHASE_MEASURED, nullptr)}, "without a name");
    expect_refused({phase(9, "odd")}, "unknown kind 9");
    assay_phase tiny = phase(ASSAY_PHASE_MEASURED, "x");
    tiny.struct_size = 4;
    expect_refused({tiny}, "struct_size 4");
}

TEST_F(Contract, too_many_lanes_are_refused) {
    script_.list = {sizeof(assay_phase_list), 1, sizeof(assay_phase), 100'000, script_.phases.data()};
    expect_defect("100000 lanes");
}

TEST_F(Contract, a_plugin_that_is_no_workload_is_a_usage_error) {
    descriptor_.kind = ASSAY_KIND_SAMPLER;
    const Ran ran = run_it(job());
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    EXPECT_NE(ran.status.message().find("not a workload"), std::string::npos);
}

} // namespace
} // namespace assay::test
