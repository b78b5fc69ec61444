// The null workload: reads the clock, counts, and moves nothing. What it costs is what the framework costs.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <time.h>

namespace {

namespace sdk = assay::sdk;

enum Option { bytes, operations, batch, pause_each_batch, setup, teardown, measured_phases };

constexpr assay_option options[] = {
    sdk::size_option("bytes", "Bytes an operation claims to move.").defaults("4KiB").range("0B", "1GiB"),
    sdk::int_option("operations", "Operations of each worker in a phase; 0: until stopped.")
        .defaults("0")
        .range("0", "1000000000000"),
    sdk::int_option("batch", "Operations between two looks at the stop word.").defaults("64").range("1", "100000"),
    sdk::duration_option("pause", "Sleep after each batch.").defaults("0ns").range("0ns", "10s"),
    sdk::bool_option("setup", "Has a setup phase of one batch.").defaults("no"),
    sdk::bool_option("teardown", "Has a teardown phase of one batch.").defaults("no"),
    sdk::int_option("measured_phases", "How many measured phases there are.").defaults("1").range("1", "8"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_READ, "count", "One pass of the empty loop.", latency_names, 1),
};

class Counting {
public:
    explicit Counting(sdk::Host host) : host_(host) {}

    sdk::Status configure(const sdk::Job& job) {
        bytes_ = static_cast<std::uint64_t>(job.integer(bytes));
        operations_ = static_cast<std::uint64_t>(job.integer(operations));
        batch_ = static_cast<std::uint64_t>(job.integer(batch));
        pause_ns_ = job.integer(pause_each_batch);
        if (job.flag(setup)) phases_.push_back(sdk::phase(ASSAY_PHASE_SETUP, "setup", batch_ * bytes_));
        for (std::int64_t index = 0; index < job.integer(measured_phases); ++index)
            phases_.push_back(sdk::phase(ASSAY_PHASE_MEASURED, "count", operations_ * bytes_ * job.local_workers()));
        if (job.flag(teardown)) phases_.push_back(sdk::phase(ASSAY_PHASE_TEARDOWN, "teardown"));
        for (const std::string& target : job.targets()) {
            assay_target reported{};
            reported.kind = ASSAY_TARGET_FILE;
            reported.flags = ASSAY_TARGET_READS;
            reported.name = target.c_str();
            host_.target(reported);
        }
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() {
        host_.fact("batch_operations", static_cast<std::int64_t>(batch_), "operations", "configuration");
        return {};
    }

    sdk::Status run(sdk::Worker worker, std::uint32_t phase) {
        const bool measured = phases_[phase].kind == ASSAY_PHASE_MEASURED;
        std::uint64_t left = measured ? operations_ : batch_;
        const bool bounded = left > 0;
        const sdk::Clock clock = worker.clock();
        sdk::Recorder recorder = worker.recorder(0);
        std::uint64_t before = clock.ticks();
        while (!worker.stopped() && (!bounded || left > 0)) {
            const std::uint64_t now = bounded ? std::min(batch_, left) : batch_;
            for (std::uint64_t at = 0; at < now; ++at) {
                const std::uint64_t ticks = clock.ticks();
                recorder.complete(clock.ns(before, ticks), bytes_);
                before = ticks;
            }
            recorder.publish();
            if (bounded) left -= now;
            if (pause_ns_ > 0) pause();
        }
        return {};
    }
    sdk::Status finish() {
        host_.fact_bool("finished", true, "finish");
        return {};
    }

private:
    void pause() const {
        const timespec time{pause_ns_ / 1'000'000'000, pause_ns_ % 1'000'000'000};
        nanosleep(&time, nullptr);
    }

    sdk::Host host_;
    std::uint64_t bytes_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t batch_ = 1;
    std::int64_t pause_ns_ = 0;
    std::vector<assay_phase> phases_;
};

constexpr assay_descriptor descriptor = {
    sizeof(assay_descriptor),
    ASSAY_KIND_WORKLOAD,
    "org.assay.test.counting",
    "counting",
    "1.0.0",
    "Counts and moves nothing.",
    "A workload without I/O: a clock read, the counters and one histogram for each operation.",
    "",
    "run counting --pause 1ms --measure 1s",
    0,
    1,
    sizeof(assay_operation),
    0,
    sizeof(assay_metric),
    0,
    sdk::option_table(options),
    operation_table,
    nullptr,
    &sdk::workload_of<Counting>};

} // namespace

ASSAY_PLUGIN(descriptor)
