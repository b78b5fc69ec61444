// A plugin made with these headers runs on a host from before some of their fields.
#include "assay/sdk/job.hpp"
#include "assay/sdk/workload.hpp"
#include "tests/unit/sdk/guarded.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace sdk = assay::sdk;
using assay::test::Guarded;
using assay::test::Truncated;

std::map<std::string, int>& calls() {
    static std::map<std::string, int> counts;
    return counts;
}

assay_host whole_host() {
    assay_host host{};
    host.struct_size = sizeof host;
    host.name = "assay";
    host.version = "0";
    host.get_extension = [](const assay_host*, const char*) -> const void* {
        ++calls()["get_extension"];
        return &calls();
    };
    host.log = [](const assay_host*, assay_severity, const char*) { ++calls()["log"]; };
    host.set_error = [](const assay_host*, const char*, const char*) { ++calls()["set_error"]; };
    host.report_target = [](const assay_host*, const assay_target*) { ++calls()["report_target"]; };
    host.report_fact = [](const assay_host*, const assay_fact*) { ++calls()["report_fact"]; };
    host.report_progress = [](const assay_host*, uint64_t, uint64_t) { ++calls()["report_progress"]; };
    return host;
}

void use_every_service(const sdk::Host& host) {
    calls().clear();
    (void)host.extension("assay.x/1");
    host.log(ASSAY_LOG_INFO, "text");
    EXPECT_EQ(host.hand_over(sdk::Status(ASSAY_IO, "text", "option")), ASSAY_IO) << "the status arrives all the same";
    host.target({});
    host.fact("key", std::string("text"), "source");
    host.progress(1, 2);
}

struct Service {
    const char* name;
    std::size_t ends_at;
};
#define SERVICE(name) \
    { #name, offsetof(assay_host, name) + sizeof(assay_host::name) }
constexpr Service services[] = {SERVICE(get_extension), SERVICE(log),         SERVICE(set_error),
                                SERVICE(report_target), SERVICE(report_fact), SERVICE(report_progress)};

TEST(OlderHost, AServiceBeyondItsSizeIsNeitherReadNorCalledAndTheOthersAre) {
    const assay_host whole = whole_host();
    for (std::size_t bytes = offsetof(assay_host, get_extension); bytes <= sizeof whole; bytes += 8) {
        Truncated<assay_host> host(whole, bytes);
        use_every_service(sdk::Host(host.get()));
        for (const Service& service : services)
            EXPECT_EQ(calls()[service.name], service.ends_at <= bytes ? 1 : 0) << service.name << " at " << bytes;
    }
}

TEST(OlderHost, AServiceThatIsThereButNullIsNotCalled) {
    assay_host host{};
    host.struct_size = sizeof host;
    use_every_service(sdk::Host(&host));
    EXPECT_TRUE(calls().empty());
    EXPECT_EQ(sdk::Host(&host).extension("assay.x/1"), nullptr);
}

assay_job whole_job(const assay_option_value* values) {
    static const char* const targets[] = {"a", "b"};
    return {sizeof(assay_job), 1, sizeof(assay_option_value), 2, values, targets, 4, 32, 8, 1, 12345};
}

TEST(OlderHost, AJobThatEndsEarlyReadsAsOneWorkerOnOneMachine) {
    const assay_scalar item{{4096}, 1.0};
    const assay_option_value value{sizeof value, ASSAY_VALUE_GIVEN, 1, 0, &item};
    const assay_job whole = whole_job(&value);
    for (std::size_t bytes = 16; bytes <= sizeof whole; bytes += 8) {
        Truncated<assay_job> truncated(whole, bytes);
        const sdk::Job job(*truncated.get());
        EXPECT_EQ(job.integer(0), bytes >= 24 ? 4096 : 0) << bytes;
        EXPECT_EQ(job.targets().size(), bytes >= 32 ? 2u : 0u) << bytes;
        EXPECT_EQ(job.local_workers(), bytes >= 40 ? 4u : 1u) << bytes;
        EXPECT_EQ(job.global_workers(), bytes >= 40 ? 32u : 1u) << bytes;
        EXPECT_EQ(job.first_global_worker(), bytes >= 48 ? 8u : 0u) << bytes;
        EXPECT_EQ(job.bounded_by_time(), bytes >= 48) << bytes;
        EXPECT_EQ(job.seed(), bytes >= 56 ? 12345u : 0u) << bytes;
    }
}

TEST(OlderHost, AnOptionItDoesNotKnowIsAbsent) {
    const assay_scalar item{{7}, 1.0};
    const assay_option_value value{sizeof value, ASSAY_VALUE_GIVEN, 1, 0, &item};
    Guarded values(&value, sizeof value);
    const sdk::Job job(whole_job(values.as<assay_option_value>()));
    EXPECT_EQ(job.integer(0), 7);
    EXPECT_FALSE(job.present(1));
    EXPECT_FALSE(job.given(1));
    EXPECT_EQ(job.integer(1), 0);
    EXPECT_EQ(job.text(1), "");
    EXPECT_TRUE(job.items(1).empty());
}

TEST(NewerHost, ValuesWithFieldsNobodyKnowsAreReadByTheirStride) {
    struct NewerValue {
        assay_option_value known;
        std::uint64_t unknown[3];
    };
    const assay_scalar items[] = {{{1}, 1.0}, {{2}, 1.0}, {{3}, 1.0}};
    std::vector<NewerValue> values;
    for (const assay_scalar& item : items)
        values.push_back({{sizeof(NewerValue), 0, 1, 0, &item}, {UINT64_MAX, UINT64_MAX, UINT64_MAX}});
    Guarded memory(values.data(), values.size() * sizeof(NewerValue));
    assay_job whole = whole_job(memory.as<assay_option_value>());
    whole.value_count = 3;
    whole.value_stride = sizeof(NewerValue);
    const sdk::Job job(whole);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(job.integer(i), static_cast<std::int64_t>(i) + 1);
}

// A workload that goes through every call of the adapter.
class Walker {
public:
    explicit Walker(sdk::Host host) : host_(host) {}
    sdk::Status configure(const sdk::Job& job) {
        host_.target({});
        workers_ = job.local_workers();
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() {
        host_.fact("workers", static_cast<std::int64_t>(workers_), "", "configure");
        return {};
    }
    sdk::Status run(sdk::Worker worker, std::uint32_t /*phase*/) {
        host_.progress(1, 2);
        return worker.barrier();
    }
    sdk::Status finish() { return {ASSAY_IO, "it always fails at the end"}; }

private:
    sdk::Host host_;
    std::uint32_t workers_ = 0;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_MEASURED, "walk")};
};

TEST(OlderHost, AWholeWorkloadRunsOnAHostWithTheFirstServicesOnly) {
    constexpr const assay_workload& workload = sdk::workload_of<Walker>;
    Truncated<assay_host> host(whole_host(), offsetof(assay_host, set_error));
    Truncated<assay_job> job(whole_job(nullptr), 16);
    void* instance = nullptr;
    ASSERT_EQ(workload.create(host.get(), &instance), ASSAY_OK);
    EXPECT_EQ(workload.configure(instance, job.get()), ASSAY_OK);
    const assay_phase_list* list = nullptr;
    EXPECT_EQ(workload.phases(instance, &list), ASSAY_OK);
    ASSERT_EQ(list->count, 1u);
    EXPECT_EQ(workload.prepare(instance), ASSAY_OK);

    assay_worker_block block{};
    block.struct_size = sizeof(assay_worker_block);
    block.global_count = block.local_count = 1;
    block.cpu = block.numa_node = -1;
    block.lanes_offset = sizeof(assay_worker_block);
    block.lane_count = 1;
    Truncated<assay_worker_block> memory(block, sizeof block);
    assay_worker whole{};
    whole.struct_size = sizeof whole;
    whole.stop_fd = -1;
    whole.block = memory.get();
    whole.barrier = [](assay_worker*) { return ASSAY_OK + 0; };
    {
        Truncated<assay_worker> worker(whole, sizeof whole);
        EXPECT_EQ(workload.run(instance, worker.get(), 0), ASSAY_OK);
    }
    {
        Truncated<assay_worker> worker(whole, offsetof(assay_worker, barrier));
        EXPECT_EQ(workload.run(instance, worker.get(), 0), ASSAY_UNSUPPORTED) << "no barrier";
    }
    {
        // The words of the hot loop are not asked for one by one, so a block without them ends the run before it.
        Truncated<assay_worker_block> small(block, offsetof(assay_worker_block, lanes_offset));
        whole.block = small.get();
        Truncated<assay_worker> worker(whole, sizeof whole);
        EXPECT_EQ(workload.run(instance, worker.get(), 0), ASSAY_UNSUPPORTED) << "no layout";
    }
    EXPECT_EQ(workload.finish(instance), ASSAY_IO) << "the status arrives without set_error";
    workload.destroy(instance);
}

class Thrower {
public:
    explicit Thrower(sdk::Host /*host*/) {}
    sdk::Status configure(const sdk::Job& /*job*/) { throw std::bad_alloc(); }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { throw 42; }
    sdk::Status prepare() { throw std::runtime_error("no more"); }
    sdk::Status run(sdk::Worker /*worker*/, std::uint32_t /*phase*/) { return {}; }
    sdk::Status finish() { return {}; }
    void interrupt() { throw std::runtime_error("asleep"); }
};

TEST(Adapter, NothingThatIsThrownLeavesThePlugin) {
    static std::string error;
    assay_host host = whole_host();
    host.set_error = [](const assay_host*, const char*, const char* text) { error = text; };
    constexpr const assay_workload& workload = sdk::workload_of<Thrower>;
    void* instance = nullptr;
    ASSERT_EQ(workload.create(&host, &instance), ASSAY_OK);
    const assay_job job = whole_job(nullptr);
    EXPECT_EQ(workload.configure(instance, &job), ASSAY_RESOURCE);
    EXPECT_EQ(error, "out of memory");
    const assay_phase_list* list = nullptr;
    EXPECT_EQ(workload.phases(instance, &list), ASSAY_INTERNAL);
    EXPECT_EQ(error, "an exception of unknown type");
    EXPECT_EQ(workload.prepare(instance), ASSAY_INTERNAL);
    EXPECT_EQ(error, "no more");
    calls().clear();
    workload.interrupt(instance);
    EXPECT_EQ(calls()["log"], 1);
    workload.destroy(instance);
}

} // namespace
