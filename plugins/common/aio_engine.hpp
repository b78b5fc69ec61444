// Linux AIO ("libaio"), through its system calls: submissions in batches, completions reaped from the ring that the
// kernel maps into user space, a system call only to wait.
//
// Hot part inline. One thread. Where a device completes inside io_submit the requests never queue up; small batches
// then keep latency fine-grained at no cost, which is why room() follows what was seen.
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/common/request.hpp"

#include <linux/aio_abi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace assay::common {

struct AioSetup {
    std::uint32_t depth = 1;
    SyncCall sync_call = SyncCall::fsync;
    std::span<const int> files; // by part
};

class AioEngine {
public:
    static constexpr std::uint32_t most_queued = 64;
    static constexpr std::uint32_t most_queued_inline = 8;

    AioEngine() = default;
    AioEngine(const AioEngine&) = delete;
    AioEngine& operator=(const AioEngine&) = delete;
    ~AioEngine();

    static sdk::Status probe();
    sdk::Status open(const AioSetup& setup, std::span<Request> requests);
    // The device finishes requests inside io_submit: as many as one call submits are ever in flight.
    [[nodiscard]] bool completes_inline() const { return inline_streak_ >= inline_after; }

    [[nodiscard]] std::uint32_t room() const {
        const std::uint32_t most = completes_inline() ? most_queued_inline : most_queued;
        return most > queued_ ? most - queued_ : 0;
    }
    void queue(Request& request) {
        iocb& control = controls_[request.slot];
        control.aio_lio_opcode = request.direction == Direction::read ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
        control.aio_fildes = files_[request.part];
        control.aio_buf = reinterpret_cast<std::uint64_t>(request.buffer);
        control.aio_nbytes = request.bytes;
        control.aio_offset = static_cast<std::int64_t>(request.offset_bytes);
        batch_[queued_++] = &control;
    }
    void queue_sync(Request& request) {
        iocb& control = controls_[request.slot];
        control.aio_lio_opcode = sync_opcode_;
        control.aio_fildes = files_[request.part];
        control.aio_buf = 0;
        control.aio_nbytes = 0;
        control.aio_offset = 0;
        batch_[queued_++] = &control;
    }
    int submit(std::uint32_t wait_for) { return submit_within(wait_for, UINT64_MAX); }
    int submit_within(std::uint32_t wait_for, std::uint64_t timeout_ns);
    template <class Each>
    void reap(Each&& each) {
        for (std::uint32_t i = 0; i < waited_; ++i)
            hand_out(waited_for_[i], each);
        std::uint32_t done = waited_;
        waited_ = 0;
        if (ring_ != nullptr) {
            const std::uint32_t tail = __atomic_load_n(&ring_->tail, __ATOMIC_ACQUIRE);
            std::uint32_t head = ring_->head;
            while (head != tail) {
                hand_out(events_of(ring_)[head], each);
                if (++head == ring_->nr) head = 0;
                ++done;
            }
            __atomic_store_n(&ring_->head, head, __ATOMIC_RELEASE);
        }
        in_kernel_ -= done;
        if (submitted_last_ != 0) inline_streak_ = in_kernel_ == 0 && !waited_last_ ? inline_streak_ + 1 : 0;
    }

private:
    // Layout that the kernel has kept since 2.6 (fs/aio.c), told apart from others by `magic`.
    struct Ring {
        std::uint32_t id;
        std::uint32_t nr;
        std::uint32_t head;
        std::uint32_t tail;
        std::uint32_t magic;
        std::uint32_t compat_features;
        std::uint32_t incompat_features;
        std::uint32_t header_length;
    };
    static constexpr std::uint32_t ring_magic = 0xa10a10a1;
    static constexpr std::uint32_t inline_after = 8;
    static const io_event* events_of(const Ring* ring) { return reinterpret_cast<const io_event*>(ring + 1); }

    template <class Each>
    static void hand_out(const io_event& event, Each& each) {
        each(*reinterpret_cast<Request*>(event.data), static_cast<std::int64_t>(event.res));
    }

    std::vector<iocb> controls_; // by slot
    std::vector<std::uint32_t> files_;
    std::uint32_t queued_ = 0;
    std::uint32_t in_kernel_ = 0;
    std::uint32_t submitted_last_ = 0;
    std::uint32_t inline_streak_ = 0;
    bool waited_last_ = false;
    std::uint16_t sync_opcode_ = IOCB_CMD_FSYNC;
    Ring* ring_ = nullptr; // null: not the layout we know, all completions come through the system call
    std::uint32_t waited_ = 0;
    std::vector<io_event> waited_for_;
    iocb* batch_[most_queued] = {};
    aio_context_t context_ = 0;
    std::uint32_t setbacks_ = 0; // calls in a row that could submit nothing

    [[nodiscard]] std::uint32_t waiting_in_ring() const;
    int wait(std::uint32_t wait_for, std::uint64_t timeout_ns);
};

} // namespace assay::common
