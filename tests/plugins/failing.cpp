// Fails where it is told to, in the ways a plugin can: a status with a reason, one without, or an exception.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <new>
#include <stdexcept>
#include <vector>

#include <poll.h>

namespace {

namespace sdk = assay::sdk;

enum Option { where, how, worker_at_fault };
enum class Where { create, configure, prepare, setup, run, drain, teardown, finish };
enum class How { option, reason, silent, runtime_error, bad_alloc, integer };

constexpr const char* where_names[] = {"create", "configure", "prepare", "setup", "run", "drain", "teardown", "finish"};
constexpr const char* how_names[] = {"option", "reason", "silent", "runtime_error", "bad_alloc", "integer"};

constexpr assay_option options[] = {
    sdk::enum_option("where", "The call that fails.", where_names).defaults("run"),
    sdk::enum_option("how", "In which way.", how_names).defaults("reason"),
    sdk::int_option("worker", "The worker at fault, where workers run.").defaults("0").range("0", "4095"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_OTHER, "wait", "One look at the stop word.", latency_names, 1),
};

class Failing {
public:
    explicit Failing(sdk::Host) {}

    sdk::Status configure(const sdk::Job& job) {
        where_ = job.choice<Where>(where);
        how_ = job.choice<How>(how);
        worker_ = static_cast<std::uint32_t>(job.integer(worker_at_fault));
        return at(Where::configure);
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() { return at(Where::prepare); }
    sdk::Status run(sdk::Worker worker, std::uint32_t phase) {
        const bool at_fault = worker.index() == worker_;
        if (phase == 0) return at_fault ? at(Where::setup) : sdk::Status();
        if (phase == 2) return at_fault ? at(Where::teardown) : sdk::Status();
        sdk::Recorder recorder = worker.recorder(0);
        for (int turn = 0; !worker.stopped(); ++turn) {
            recorder.complete(1'000, 1);
            recorder.publish();
            if (at_fault && turn == 5 && where_ == Where::run) return fail();
            pollfd stop{worker.stop_fd(), POLLIN, 0};
            poll(&stop, 1, 10);
        }
        return at_fault ? at(Where::drain) : sdk::Status();
    }
    sdk::Status finish() { return at(Where::finish); }

private:
    sdk::Status at(Where here) { return here == where_ ? fail() : sdk::Status(); }
    sdk::Status fail() {
        switch (how_) {
            case How::option:
                return {ASSAY_INVALID_OPTION, "3 is odd, an even number is needed; use 2 or 4", "how"};
            case How::reason:
                return {ASSAY_IO, "the made-up device is gone"};
            case How::silent:
                return {ASSAY_IO, ""};
            case How::runtime_error:
                throw std::runtime_error("thrown on purpose");
            case How::bad_alloc:
                throw std::bad_alloc();
            case How::integer:
                throw 7;
        }
        return {};
    }

    Where where_ = Where::run;
    How how_ = How::reason;
    std::uint32_t worker_ = 0;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_SETUP, "setup"), sdk::phase(ASSAY_PHASE_MEASURED, "wait"),
                                     sdk::phase(ASSAY_PHASE_TEARDOWN, "teardown")};
};

constexpr assay_descriptor descriptor = {sizeof(assay_descriptor),
                                         ASSAY_KIND_WORKLOAD,
                                         "org.assay.test.failing",
                                         "failing",
                                         "1.0.0",
                                         "Fails on purpose.",
                                         "Fails in a call and a way that its options name.",
                                         "",
                                         "run failing --where prepare --how silent",
                                         0,
                                         1,
                                         sizeof(assay_operation),
                                         0,
                                         sizeof(assay_metric),
                                         0,
                                         sdk::option_table(options),
                                         operation_table,
                                         nullptr,
                                         &sdk::workload_of<Failing>};

} // namespace

ASSAY_PLUGIN(descriptor)
