// Blocks in one place and can be woken in one way only: by the stop word, the eventfd, interrupt(), or not at all.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <poll.h>
#include <unistd.h>

namespace {

namespace sdk = assay::sdk;

enum Option { woken_by, only_worker };
enum class By { word, eventfd, interrupt, nothing, own_end };

constexpr const char* by_names[] = {"word", "eventfd", "interrupt", "nothing", "own_end"};

constexpr assay_option options[] = {
    sdk::enum_option("woken_by", "What ends the wait; own_end: it returns at once.", by_names).defaults("eventfd"),
    sdk::int_option("only_worker", "Only this worker waits like that, the others poll the stop word; -1: all.")
        .defaults("-1")
        .range("-1", "4095"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_OTHER, "wait", "Entered the wait.", latency_names, 1),
};

class Waiting {
public:
    explicit Waiting(sdk::Host) {}

    sdk::Status configure(const sdk::Job& job) {
        by_ = job.choice<By>(woken_by);
        only_worker_ = job.integer(only_worker);
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() { return {}; }

    sdk::Status run(sdk::Worker worker, std::uint32_t) {
        sdk::Recorder recorder = worker.recorder(0);
        recorder.complete(42, 1);
        recorder.publish();
        const bool mine = only_worker_ < 0 || only_worker_ == static_cast<std::int64_t>(worker.index());
        switch (mine ? by_ : By::word) {
            case By::word:
                while (!worker.stopped())
                    usleep(5'000);
                break;
            case By::eventfd:
                wait_for_event(worker.stop_fd());
                break;
            case By::interrupt:
                wait_for_interrupt();
                break;
            case By::nothing:
                for (;;)
                    sleep(3600);
            case By::own_end:
                break;
        }
        return {};
    }
    void interrupt() {
        const std::lock_guard lock(mutex_);
        interrupted_ = true;
        woken_.notify_all();
    }
    sdk::Status finish() { return {}; }

private:
    static void wait_for_event(int fd) {
        pollfd event{fd, POLLIN, 0};
        while (poll(&event, 1, -1) < 0) {
        }
        // One that reads it, as a ring would, must not take it from the others.
        std::uint64_t value = 0;
        if (read(fd, &value, sizeof(value)) < 0) return;
    }
    void wait_for_interrupt() {
        std::unique_lock lock(mutex_);
        woken_.wait(lock, [this] { return interrupted_; });
    }

    By by_ = By::eventfd;
    std::int64_t only_worker_ = -1;
    std::mutex mutex_;
    std::condition_variable woken_;
    bool interrupted_ = false;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_MEASURED, "wait")};
};

constexpr assay_descriptor descriptor = {sizeof(assay_descriptor),
                                         ASSAY_KIND_WORKLOAD,
                                         "org.assay.test.waiting",
                                         "waiting",
                                         "1.0.0",
                                         "Blocks until it is woken in the one way it listens to.",
                                         "With woken_by=nothing it hangs for good and must be given up.",
                                         "",
                                         "run waiting --woken-by interrupt --measure 1s",
                                         0,
                                         1,
                                         sizeof(assay_operation),
                                         0,
                                         sizeof(assay_metric),
                                         0,
                                         sdk::option_table(options),
                                         operation_table,
                                         nullptr,
                                         &sdk::workload_of<Waiting>};

} // namespace

ASSAY_PLUGIN(descriptor)
