// Records values that are known beforehand, so that a test can say what every window must hold.
//
// One operation an interval. Its latency is `before` until `switch_after` has passed since the phase started, then
// `after`; or with `ramp`, the k-th operation of a worker takes k nanoseconds.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <vector>

#include <time.h>

namespace {

namespace sdk = assay::sdk;

enum Option { before, after, switch_after, interval, operations, ramp, depth, errors };

constexpr assay_option options[] = {
    sdk::duration_option("before", "Latency of the early operations.").defaults("1ms"),
    sdk::duration_option("after", "Latency of the late operations.").defaults("1us"),
    sdk::duration_option("switch_after", "When late begins, after the phase's start.").defaults("0s"),
    sdk::duration_option("interval", "Time from one operation to the next.").defaults("1ms").range("1us", "10s"),
    sdk::int_option("operations", "Operations of each worker; 0: until stopped.").defaults("0").range("0", "1000000"),
    sdk::bool_option("ramp", "The k-th operation takes k ns.").defaults("no"),
    sdk::int_option("depth", "Requests claimed to be in flight.").defaults("1").range("0", "1000"),
    sdk::int_option("errors", "Every so many operations one fails with EIO; 0: none.").defaults("0").range("0", "1000"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_READ, "read", "A made-up read of 100 bytes.", latency_names, 1),
    sdk::operation(ASSAY_OP_WRITE, "write", "A made-up write of 1000 bytes, one for every read.", latency_names, 1),
};
constexpr assay_metric metric_table[] = {
    sdk::metric(ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME, "in_flight_time_ns", "ns", "Integral over depth."),
    sdk::metric(ASSAY_METRIC_COUNTER, ASSAY_ROLE_GENERATOR_TIME, "generator_time_ns", "ns", "7 ns an operation."),
    sdk::metric(ASSAY_METRIC_GAUGE, ASSAY_ROLE_NONE, "window_bytes", "B", "Falls with every operation."),
};
constexpr std::uint64_t read_bytes = 100;
constexpr std::uint64_t write_bytes = 1000;
constexpr std::uint64_t generator_ns = 7;
constexpr std::uint32_t eio = 5;

class Synth {
public:
    explicit Synth(sdk::Host) {}

    sdk::Status configure(const sdk::Job& job) {
        before_ns_ = static_cast<std::uint64_t>(job.integer(before));
        after_ns_ = static_cast<std::uint64_t>(job.integer(after));
        switch_ns_ = static_cast<std::uint64_t>(job.integer(switch_after));
        interval_ns_ = static_cast<std::uint64_t>(job.integer(interval));
        operations_ = static_cast<std::uint64_t>(job.integer(operations));
        ramp_ = job.flag(ramp);
        depth_ = static_cast<std::uint64_t>(job.integer(depth));
        errors_ = static_cast<std::uint64_t>(job.integer(errors));
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() { return {}; }

    sdk::Status run(sdk::Worker worker, std::uint32_t) {
        sdk::Recorder reads = worker.recorder(0);
        sdk::Recorder writes = worker.recorder(1);
        const std::uint64_t start_ns = assay_clock_monotonic_ns();
        std::uint64_t last_ns = start_ns;
        for (std::uint64_t at = 1; !worker.stopped() && (operations_ == 0 || at <= operations_); ++at) {
            sleep_until(start_ns + at * interval_ns_);
            const std::uint64_t now_ns = assay_clock_monotonic_ns();
            const std::uint64_t late = now_ns - start_ns >= switch_ns_ ? after_ns_ : before_ns_;
            const std::uint64_t latency_ns = ramp_ ? at : late;
            reads.complete(latency_ns, read_bytes);
            writes.complete(latency_ns, write_bytes);
            if (errors_ > 0 && at % errors_ == 0) reads.error(ASSAY_ERROR_DOMAIN_ERRNO, eio);
            reads.publish();
            writes.publish();
            assay_counter_add(worker.metric(0), (now_ns - last_ns) * depth_);
            assay_counter_add(worker.metric(1), 2 * generator_ns);
            __atomic_store_n(worker.metric(2), 1'000'000 - at, __ATOMIC_RELAXED);
            last_ns = now_ns;
        }
        return {};
    }
    sdk::Status finish() { return {}; }

private:
    static void sleep_until(std::uint64_t at_ns) {
        const timespec at{static_cast<time_t>(at_ns / 1'000'000'000), static_cast<long>(at_ns % 1'000'000'000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
    }

    std::uint64_t before_ns_ = 0;
    std::uint64_t after_ns_ = 0;
    std::uint64_t switch_ns_ = 0;
    std::uint64_t interval_ns_ = 1;
    std::uint64_t operations_ = 0;
    std::uint64_t depth_ = 0;
    std::uint64_t errors_ = 0;
    bool ramp_ = false;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_MEASURED, "synth")};
};

constexpr assay_descriptor descriptor = {sizeof(assay_descriptor),
                                         ASSAY_KIND_WORKLOAD,
                                         "org.assay.test.synth",
                                         "synth",
                                         "1.0.0",
                                         "Records a known sequence of latencies.",
                                         "Sleeps, and records values that its options fix beforehand.",
                                         "",
                                         "run synth --ramp yes --operations 100",
                                         0,
                                         2,
                                         sizeof(assay_operation),
                                         3,
                                         sizeof(assay_metric),
                                         0,
                                         sdk::option_table(options),
                                         operation_table,
                                         metric_table,
                                         &sdk::workload_of<Synth>};

} // namespace

ASSAY_PLUGIN(descriptor)
