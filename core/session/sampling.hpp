// The samplers of a session: a thread of their own that reads them when told to, and what they saw in each repeat.
//
// A thread, because a reading may block on a device that hangs, and the control thread, which runs the watchdog, must
// not. start(), poke(), read_now(), take() and glance() on the control thread.
#pragma once

#include "core/base/status.hpp"
#include "core/plan/plan.hpp"
#include "core/result/model.hpp"
#include "core/sample/collector.hpp"
#include "core/session/session.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace assay {

struct SamplerSetup {
    const assay_descriptor* descriptor = nullptr;
    const PlannedSampler* plan = nullptr;
};

class Sampling {
public:
    // Creates the samplers, in the order given. `log` is called from the thread.
    static Result<std::unique_ptr<Sampling>> create(const std::vector<SamplerSetup>& setups, sample::Log log);
    Sampling(const Sampling&) = delete;
    Sampling& operator=(const Sampling&) = delete;
    // Waits for a reading in progress, but not for one that hangs: then the thread is left behind.
    ~Sampling();

    // Forgets what was kept so far and reads once.
    void begin();
    // Asks for a reading and returns at once, unless the last one was asked for less than `apart_ns` ago. One that is
    // asked for while another is going on comes after it.
    void poke(std::int64_t apart_ns);
    // Asks for a reading and waits for it, at most 200 ms: at the edges of a window.
    void read_now();
    // What was kept since begin(), or the part that reaches past `since_ns` (CLOCK_MONOTONIC); times in it are relative
    // to `epoch_ns`. Series in the order of the plugins' lists.
    [[nodiscard]] std::vector<result::SampledSeries> take(std::int64_t epoch_ns, std::int64_t since_ns = 0);
    // Of the last reading; the devices named.
    [[nodiscard]] HostGlance glance(const std::vector<std::string>& devices);

private:
    struct Shared;
    explicit Sampling(std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

} // namespace assay
