// What every measured loop is given and gives back, and the counters they share. One worker's thread.
#pragma once

#include "assay/sdk/worker.hpp"
#include "plugins/block/config.hpp"
#include "plugins/block/stream.hpp"
#include "plugins/common/request.hpp"
#include "plugins/common/uring_engine.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace assay::block {

// Indices into the descriptor's tables; operations are numbered as common::Direction.
enum Metric : std::uint32_t {
    metric_in_flight_time,
    metric_generator_time,
    metric_late_starts,
    metric_next_start,
    metric_count
};
// Index into the histograms of read, write and trim.
constexpr std::uint32_t histogram_response = 1;

struct LoopReport {
    std::uint64_t batches = 0; // calls that reaped something
    std::uint64_t reaped = 0;
    std::uint32_t effective_depth = 0; // requests that the engine really kept in flight
    common::UringFeatures uring;
};

struct LoopSetup {
    sdk::Worker worker;
    const Config& config;
    StreamSetup stream;
    std::span<const int> files;                              // by part
    std::span<const std::string> names;                      // by part
    std::span<const char> devices;                           // by part: is it a block device
    std::span<std::byte> memory;                             // holds the buffers, config.slot_bytes() apart
    std::span<common::Buffer> buffers;                       // all of them
    std::span<common::Request> requests;                     // config.slots() of them
    void (*opened)(void* context, const LoopReport& report); // called once the engine stands, before the first request
    void* context;
};

// One function an engine; each runs the measured phase until its work is done or the stop word is set.
sdk::Status run_psync(const LoopSetup& setup, LoopReport& report);
sdk::Status run_libaio(const LoopSetup& setup, LoopReport& report);
sdk::Status run_uring(const LoopSetup& setup, LoopReport& report);

// The recorders of the operations that a stream can issue; with one operation it lives in registers.
template <class Stream>
class Recorders {
public:
    static constexpr std::size_t count =
        static_cast<std::size_t>(Stream::last) - static_cast<std::size_t>(Stream::first) + 1;

    explicit Recorders(const sdk::Worker& worker) : Recorders(worker, std::make_index_sequence<count>()) {}
    sdk::Recorder& of(const common::Request& request) {
        if constexpr (count == 1) return recorders_[0];
        return recorders_[static_cast<std::size_t>(request.direction) - static_cast<std::size_t>(Stream::first)];
    }
    void publish() {
        for (sdk::Recorder& recorder : recorders_)
            recorder.publish();
    }
    [[nodiscard]] std::uint64_t operations() const {
        std::uint64_t sum = 0;
        for (const sdk::Recorder& recorder : recorders_)
            sum += recorder.operations();
        return sum;
    }

private:
    template <std::size_t... I>
    Recorders(const sdk::Worker& worker, std::index_sequence<I...>)
        : recorders_{worker.recorder(static_cast<std::uint32_t>(Stream::first) + static_cast<std::uint32_t>(I))...} {}
    std::array<sdk::Recorder, count> recorders_;
};

// Time integrals of the lane, in nanoseconds, published with the recorders.
class LaneTime {
public:
    explicit LaneTime(const sdk::Worker& worker)
        : in_flight_word_(worker.metric(metric_in_flight_time)),
          generator_word_(worker.metric(metric_generator_time)),
          in_flight_ns_(*in_flight_word_),
          generator_ns_(*generator_word_) {}

    // `requests` were in flight for `ns`, and of those `completed` ended one after the other, the last at the end.
    void in_flight(std::uint64_t ns, std::uint64_t requests, std::uint64_t completed) {
        const std::uint64_t ended_early = completed > 1 ? completed - 1 : 0;
        in_flight_ns_ += ns * (2 * requests - ended_early) / 2;
    }
    // Slots were free for so long, summed up, between a completion and their next submission.
    void generator(std::uint64_t ns) { generator_ns_ += ns; }
    void publish() {
        __atomic_store_n(in_flight_word_, in_flight_ns_, __ATOMIC_RELAXED);
        __atomic_store_n(generator_word_, generator_ns_, __ATOMIC_RELAXED);
    }
    [[nodiscard]] std::uint64_t in_flight_ns() const { return in_flight_ns_; }

private:
    std::uint64_t* in_flight_word_;
    std::uint64_t* generator_word_;
    std::uint64_t in_flight_ns_;
    std::uint64_t generator_ns_;
};

} // namespace assay::block
