// Logs warnings while it runs: numbered, so that a lost one is seen.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace sdk = assay::sdk;

enum Option { rate };

constexpr assay_option options[] = {
    sdk::int_option("lines", "Lines a second.").defaults("10").range("1", "1000"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_OTHER, "talk", "Logged a line.", latency_names, 1),
};

class Talking {
public:
    explicit Talking(sdk::Host host) : host_(host) {}

    sdk::Status configure(const sdk::Job& job) {
        pause_us_ = static_cast<useconds_t>(1'000'000 / job.integer(rate));
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() { return {}; }

    sdk::Status run(sdk::Worker worker, std::uint32_t) {
        sdk::Recorder recorder = worker.recorder(0);
        for (int line = 1; !worker.stopped(); ++line) {
            host_.log(ASSAY_LOG_WARNING, "this is line " + std::to_string(line));
            recorder.complete(42, 1);
            recorder.publish();
            usleep(pause_us_);
        }
        return {};
    }
    void interrupt() {}
    sdk::Status finish() { return {}; }

private:
    sdk::Host host_;
    useconds_t pause_us_ = 0;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_MEASURED, "talk")};
};

constexpr assay_descriptor descriptor = {sizeof(assay_descriptor),
                                         ASSAY_KIND_WORKLOAD,
                                         "org.assay.test.talking",
                                         "talking",
                                         "1.0.0",
                                         "Logs lines while it runs.",
                                         "Each is a warning with its number.",
                                         "",
                                         "run talking --measure 1s",
                                         0,
                                         1,
                                         sizeof(assay_operation),
                                         0,
                                         sizeof(assay_metric),
                                         0,
                                         sdk::option_table(options),
                                         operation_table,
                                         nullptr,
                                         &sdk::workload_of<Talking>};

} // namespace

ASSAY_PLUGIN(descriptor)
