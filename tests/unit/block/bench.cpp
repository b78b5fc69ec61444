#include "tests/unit/block/bench.hpp"

#include "assay/sdk/option.hpp"
#include "assay/sdk/workload.hpp"
#include "core/base/clock.hpp"
#include "core/schema/schema.hpp"
#include "plugins/block/options.hpp"
#include "plugins/block/workload.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace assay::block {
namespace {

struct Listener {
    BenchOutcome& outcome;
    std::mutex mutex;
};

Listener& listener(const assay_host* host) { return *static_cast<Listener*>(host->context); }

void set_error(const assay_host* host, const char* option, const char* text) {
    Listener& to = listener(host);
    const std::lock_guard lock(to.mutex);
    if (!to.outcome.text.empty()) return; // of several workers the first
    to.outcome.option = option == nullptr ? "" : option;
    to.outcome.text = text;
}

void report_target(const assay_host* host, const assay_target* target) {
    listener(host).outcome.targets.push_back(
        {target->name, target->kind, target->flags, target->offset_bytes, target->length_bytes, target->unique_bytes});
}

void report_fact(const assay_host* host, const assay_fact* fact) {
    Listener& to = listener(host);
    const std::lock_guard lock(to.mutex);
    std::string& value = to.outcome.facts[fact->key];
    if (fact->kind == ASSAY_FACT_TEXT)
        value = fact->text;
    else if (fact->kind == ASSAY_FACT_REAL)
        value = std::to_string(fact->real);
    else
        value = std::to_string(fact->integer);
}

assay_host host_for(Listener& to) {
    assay_host host{};
    host.struct_size = sizeof(assay_host);
    host.abi_major = ASSAY_ABI_MAJOR;
    host.abi_minor = ASSAY_ABI_MINOR;
    host.name = "test";
    host.version = "0";
    host.context = &to;
    host.get_extension = [](const assay_host*, const char*) -> const void* { return nullptr; };
    host.log = [](const assay_host*, assay_severity, const char*) {};
    host.set_error = set_error;
    host.report_target = report_target;
    host.report_fact = report_fact;
    host.report_progress = [](const assay_host*, std::uint64_t, std::uint64_t) {};
    return host;
}

RecorderShape shape() {
    RecorderShape shape;
    shape.operations = {{"read", ASSAY_OP_READ, {"latency", "response"}},
                        {"write", ASSAY_OP_WRITE, {"latency", "response"}},
                        {"sync", ASSAY_OP_OTHER, {"latency"}},
                        {"trim", ASSAY_OP_OTHER, {"latency", "response"}}};
    shape.metrics = {{"in_flight_time_ns", "ns", ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME},
                     {"generator_time_ns", "ns", ASSAY_METRIC_COUNTER, ASSAY_ROLE_GENERATOR_TIME},
                     {"late_starts", "requests", ASSAY_METRIC_COUNTER, ASSAY_ROLE_LATE_STARTS},
                     {"next_start_ns", "ns", ASSAY_METRIC_GAUGE, ASSAY_ROLE_NEXT_START}};
    return shape;
}

OptionSet options_of(const OptionTexts& texts) {
    static const auto schema =
        std::make_shared<const Schema>(Schema::from_table("block", sdk::option_table(options)).value());
    OptionSet set = OptionSet::defaults(schema).value();
    for (const auto& [key, text] : texts) {
        const Status status = set.set(key, text);
        if (!status.ok()) throw std::invalid_argument(status.message());
    }
    return set;
}

class Bench {
public:
    Bench(const BenchRun& run, BenchOutcome& outcome)
        : run_(run),
          outcome_(outcome),
          to_{outcome, {}},
          host_(host_for(to_)),
          values_(options_of(run.options)),
          region_(std::move(Region::create(shape(), run.workers).value())),
          stop_fd_(eventfd(0, EFD_CLOEXEC)) {}
    ~Bench() {
        if (instance_ != nullptr) table_.destroy(instance_);
        close(stop_fd_);
    }

    void go() {
        if (!called("create", table_.create(&host_, &instance_))) return;
        std::vector<const char*> targets;
        for (const std::string& target : run_.targets)
            targets.push_back(target.c_str());
        const assay_job job{sizeof(assay_job),
                            values_.count(),
                            AbiValues::stride(),
                            static_cast<std::uint32_t>(targets.size()),
                            values_.data(),
                            targets.data(),
                            run_.workers,
                            run_.workers,
                            0,
                            run_.bounded_by_time ? 1u : 0u,
                            1};
        if (!called("configure", table_.configure(instance_, &job))) return;
        const assay_phase_list* list = nullptr;
        if (!called("phases", table_.phases(instance_, &list))) return;
        if (!called("prepare", table_.prepare(instance_))) return;
        for (std::uint32_t i = 0; i < list->count; ++i) {
            outcome_.phases.emplace_back(list->phases[i].name);
            if (!phase(i, list->phases[i])) return;
        }
        called("finish", table_.finish(instance_));
    }

private:
    bool called(const char* call, assay_status status) {
        if (status == ASSAY_OK) return true;
        outcome_.status = status;
        outcome_.call = call;
        return false;
    }

    bool phase(std::uint32_t index, const assay_phase& phase) {
        region_.clear();
        std::vector<assay_worker> workers(run_.workers);
        std::vector<assay_status> statuses(run_.workers, ASSAY_OK);
        for (std::uint32_t w = 0; w < run_.workers; ++w) {
            assay_worker_block& block = region_.block(w);
            block.stop = 0;
            block.global_index = block.local_index = w;
            block.global_count = block.local_count = run_.workers;
            block.cpu = block.numa_node = -1;
            block.seed = 100 + w;
            block.clock = hot_clock();
            block.queue_depth_limit = run_.queue_depth_limit;
            if (run_.rate_per_s > 0 && phase.kind == ASSAY_PHASE_MEASURED) {
                // As the host does it: equal parts, constant arrivals spread over the workers.
                const double interval_ns = 1e9 * run_.workers / run_.rate_per_s;
                block.arrival_process = run_.arrival;
                block.arrival_interval_ps = static_cast<std::uint64_t>(interval_ns * 1000);
                block.arrival_start_ns = static_cast<std::int64_t>(monotonic_ns()) +
                                         static_cast<std::int64_t>(interval_ns * w / run_.workers);
            }
            workers[w] = {sizeof(assay_worker), stop_fd_, &block, region_.base(), nullptr, nullptr};
        }
        const auto started = monotonic_ns();
        std::vector<std::thread> threads;
        for (std::uint32_t w = 0; w < run_.workers; ++w)
            threads.emplace_back([&, w] { statuses[w] = table_.run(instance_, &workers[w], index); });
        if (run_.stops && run_.stops(phase.name)) {
            for (const assay_worker& worker : workers)
                __atomic_store_n(&worker.block->stop, 1u, __ATOMIC_RELAXED);
        }
        if (run_.during && phase.kind == ASSAY_PHASE_MEASURED) run_.during([&] { return region_.snapshot(); });
        for (std::thread& thread : threads)
            thread.join();
        if (phase.kind == ASSAY_PHASE_MEASURED) {
            outcome_.measured_s = static_cast<double>(monotonic_ns() - started) / 1e9;
            outcome_.measured = region_.snapshot();
        }
        for (const assay_status status : statuses)
            if (!called("run", status)) return false;
        return true;
    }

    const BenchRun& run_;
    BenchOutcome& outcome_;
    Listener to_;
    assay_host host_;
    AbiValues values_;
    Region region_;
    int stop_fd_;
    void* instance_ = nullptr;
    const assay_workload& table_ = sdk::workload_of<BlockWorkload>;
};

} // namespace

double BenchOutcome::mean_in_flight(std::size_t worker) const {
    return static_cast<double>(measured.worker_metrics[worker][0]) / 1e9 / measured_s;
}

std::uint64_t BenchOutcome::late_starts() const {
    std::uint64_t sum = 0;
    for (const auto& metrics : measured.worker_metrics)
        sum += metrics[2];
    return sum;
}

BenchOutcome run_block(const BenchRun& run) {
    BenchOutcome outcome;
    Bench(run, outcome).go();
    return outcome;
}

} // namespace assay::block
