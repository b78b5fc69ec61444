// A workload to copy: it moves memory from one buffer to another and counts that as reads.
//
// A plugin is a class with a few functions (below), tables that describe it (at the end), and one macro. The host
// parses options, makes threads, measures time and writes results; the plugin owns the loop that makes the load.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace {

namespace sdk = assay::sdk;

// Options are data. Their place in this table is their name in the code.
enum Option : std::size_t { block_size, passes };
constexpr assay_option options[] = {
    sdk::size_option("block_size", "Bytes an operation copies.").defaults("4KiB").range("1B", "64MiB").example("64KiB"),
    sdk::int_option("passes", "Copies each worker makes before it ends; absent: until the time is over.")
        .range("1", "1000000000000")
        .unit("operations")
        .example("1000"),
};

class Hello {
public:
    explicit Hello(sdk::Host host) : host_(host) {}

    // Takes the options and checks how they fit together; the host has checked each by itself. Opens nothing.
    sdk::Status configure(const sdk::Job& job) {
        block_bytes_ = static_cast<std::size_t>(job.integer(block_size));
        passes_ = static_cast<std::uint64_t>(job.integer(passes));
        if (passes_ == 0 && !job.bounded_by_time())
            return {ASSAY_INVALID_OPTION, "nothing ends this job: give passes, or a time to measure", "passes"};
        const std::uint64_t total_bytes = passes_ * block_bytes_ * job.local_workers(); // 0: not bounded by work
        phases_ = {sdk::phase(ASSAY_PHASE_MEASURED, "copy", total_bytes)};
        return {};
    }

    // The phases in order. A setup phase would come before the measured one, a teardown after it.
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }

    // Opens targets and allocates. Says what is really so, for the result.
    sdk::Status prepare() {
        host_.fact("working_set_bytes", static_cast<std::int64_t>(2 * block_bytes_), "B", "as configured");
        return {};
    }

    // The work of one worker in one phase, on its own thread. The host sets the stop word when the time is over.
    sdk::Status run(sdk::Worker worker, std::uint32_t /*phase*/) {
        std::vector<char> from(block_bytes_, 'a');
        std::vector<char> to(block_bytes_);
        const sdk::Clock clock = worker.clock();
        sdk::Recorder recorder = worker.recorder(0); // operation 0 of the table below
        for (std::uint64_t pass = 0; (passes_ == 0 || pass < passes_) && !worker.stopped(); ++pass) {
            const std::uint64_t start = clock.ticks();
            std::memcpy(to.data(), from.data(), block_bytes_);
            asm volatile("" : : "r"(to.data()) : "memory"); // or the compiler would leave the copy out
            recorder.complete(clock.ns(start, clock.ticks()), block_bytes_);
            recorder.publish(); // once a batch is enough where operations are short
        }
        return {};
    }

    // After the last phase: final facts, closing.
    sdk::Status finish() { return {}; }

private:
    sdk::Host host_;
    std::size_t block_bytes_ = 0;
    std::uint64_t passes_ = 0;
    std::vector<assay_phase> phases_;
};

// What it counts: operations, each with its histograms. The first histogram is completion latency.
constexpr const char* histograms[] = {"completion"};
constexpr assay_operation operations[] = {
    sdk::operation(ASSAY_OP_READ, "copy", "One block copied from memory to memory.", histograms, 1),
};

constexpr assay_descriptor descriptor = {
    .struct_size = sizeof(assay_descriptor),
    .kind = ASSAY_KIND_WORKLOAD,
    .id = "org.example.hello",
    .name = "hello",
    .version = "1.0.0",
    .summary = "Copies memory: a plugin to start from.",
    .help = "Copies one buffer to another, over and over. It touches no file and no device.",
    .privileges = "",
    .example = "run hello --block-size 64KiB --workers 2 --measure 11s",
    .effects = 0, // neither reads, writes nor destroys a target
    .operation_count = 1,
    .operation_stride = sizeof(assay_operation),
    .metric_count = 0,
    .metric_stride = sizeof(assay_metric),
    .reserved = 0,
    .options = sdk::option_table(options),
    .operations = operations,
    .metrics = nullptr,
    .interface = &sdk::workload_of<Hello>,
};

} // namespace

ASSAY_PLUGIN(descriptor)
