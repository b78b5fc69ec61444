// Workers that meet at a barrier, and some that do not come.
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/workload.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace sdk = assay::sdk;

enum Option { rounds, absent, absence };
enum class Absence { returns, fails, stays_busy };

constexpr const char* absence_names[] = {"returns", "fails", "stays_busy"};

constexpr assay_option options[] = {
    sdk::int_option("rounds", "How often the workers meet; 0: until stopped.").defaults("100").range("0", "1000000"),
    sdk::int_option("absent", "The worker that does not come; -1: all come.").defaults("-1").range("-1", "4095"),
    sdk::enum_option("absence", "What the absent worker does instead.", absence_names).defaults("returns"),
};

constexpr const char* latency_names[] = {"latency"};
constexpr assay_operation operation_table[] = {
    sdk::operation(ASSAY_OP_OTHER, "meet", "All workers met.", latency_names, 1),
};

class Meeting {
public:
    explicit Meeting(sdk::Host host) : host_(host) {}

    sdk::Status configure(const sdk::Job& job) {
        rounds_ = job.integer(rounds);
        absent_ = job.integer(absent);
        absence_ = job.choice<Absence>(absence);
        workers_ = job.local_workers();
        return {};
    }
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare() { return {}; }

    sdk::Status run(sdk::Worker worker, std::uint32_t) {
        if (static_cast<std::int64_t>(worker.index()) == absent_) return stay_away(worker);
        sdk::Recorder recorder = worker.recorder(0);
        for (std::int64_t round = 1; (rounds_ == 0 || round <= rounds_) && !worker.stopped(); ++round) {
            arrivals_.fetch_add(1);
            if (sdk::Status met = worker.barrier(); !met.ok()) return met;
            // Between two barriers nobody can be a round behind.
            if (arrivals_.load() < static_cast<std::uint64_t>(round) * workers_) too_early_.fetch_add(1);
            recorder.complete(1, 0);
            recorder.publish();
        }
        return {};
    }
    sdk::Status finish() {
        host_.fact("met_too_early", static_cast<std::int64_t>(too_early_.load()), "workers", "arrivals counted");
        return {};
    }

private:
    sdk::Status stay_away(const sdk::Worker& worker) const {
        usleep(20'000); // let the others wait
        if (absence_ == Absence::fails) return {ASSAY_IO, "could not come"};
        while (absence_ == Absence::stays_busy && !worker.stopped())
            usleep(1'000);
        return {};
    }

    sdk::Host host_;
    std::int64_t rounds_ = 0;
    std::int64_t absent_ = -1;
    Absence absence_ = Absence::returns;
    std::uint64_t workers_ = 1;
    std::atomic<std::uint64_t> arrivals_ = 0;
    std::atomic<std::uint64_t> too_early_ = 0;
    std::vector<assay_phase> phases_{sdk::phase(ASSAY_PHASE_MEASURED, "meet")};
};

constexpr assay_descriptor descriptor = {
    sizeof(assay_descriptor),
    ASSAY_KIND_WORKLOAD,
    "org.assay.test.meeting",
    "meeting",
    "1.0.0",
    "Workers meet at a barrier.",
    "Counts how often all workers met, and whether one came through before the others.",
    "",
    "run meeting --rounds 10 --workers 4",
    0,
    1,
    sizeof(assay_operation),
    0,
    sizeof(assay_metric),
    0,
    sdk::option_table(options),
    operation_table,
    nullptr,
    &sdk::workload_of<Meeting>};

} // namespace

ASSAY_PLUGIN(descriptor)
