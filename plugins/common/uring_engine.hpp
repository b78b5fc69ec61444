// io_uring, used the way it is fast: one system call a batch that submits and waits, deferred task work, registered
// buffers and files where the limits allow.
//
// Hot part inline. Open, use and destroy on one thread: the ring is created for a single issuer. The submission array
// is kept (no NO_SQARRAY: liburing 2.3 corrupts such rings). Requests in flight never exceed the depth given to open().
#pragma once

#include "assay/sdk/status.hpp"
#include "plugins/common/request.hpp"

#include <liburing.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::common {

enum class Preference : std::uint8_t { automatic = 0, yes = 1, no = 2 };
enum class UringPoll : std::uint8_t { none = 0, iopoll = 1, sqpoll = 2 };

struct UringSetup {
    std::uint32_t depth = 1;
    UringPoll poll = UringPoll::none;
    Preference registered_buffers = Preference::automatic;
    Preference registered_files = Preference::automatic;
    SyncCall sync_call = SyncCall::fsync;
    std::span<const int> files;   // by part
    std::span<std::byte> memory;  // holds every buffer
    std::uint64_t slot_bytes = 0; // from one buffer to the next
    std::span<Buffer> buffers;    // that requests may be given instead of their own; get their index
};

// What open() got, in words for the facts.
struct UringFeatures {
    std::string flags;              // "COOP_TASKRUN|SINGLE_ISSUER|DEFER_TASKRUN"
    std::string registered_buffers; // "yes", or "no: " and why
    std::string registered_files;
};

class UringEngine {
public:
    static constexpr std::uint32_t most_queued = 256; // keeps the submission ring in the first-level cache

    UringEngine() = default;
    UringEngine(const UringEngine&) = delete;
    UringEngine& operator=(const UringEngine&) = delete;
    ~UringEngine();

    // Whether this kernel lets us use io_uring at all, with a status that names the alternatives. Cheap.
    static sdk::Status probe(UringPoll poll);
    // `requests` get their buffer_index; they and everything in `setup` must outlive the engine.
    sdk::Status open(const UringSetup& setup, std::span<Request> requests);
    [[nodiscard]] const UringFeatures& features() const { return features_; }

    static constexpr bool completes_inline() { return false; }
    [[nodiscard]] std::uint32_t room() const {
        return entries_ - (tail_ - __atomic_load_n(kernel_head_, __ATOMIC_ACQUIRE));
    }
    void queue(Request& request) {
        const FileWords& file = files_[request.part];
        std::uint64_t* entry = next_entry();
        entry[0] = file.transfer + static_cast<std::uint64_t>(request.direction);
        entry[1] = request.offset_bytes;
        entry[2] = reinterpret_cast<std::uint64_t>(request.buffer);
        entry[3] = request.bytes;
        entry[4] = reinterpret_cast<std::uint64_t>(&request);
        entry[5] = request.buffer_index;
    }
    void queue_sync(Request& request) {
        std::uint64_t* entry = next_entry();
        entry[0] = files_[request.part].sync;
        entry[1] = 0;
        entry[2] = 0;
        entry[3] = sync_flags_;
        entry[4] = reinterpret_cast<std::uint64_t>(&request);
        entry[5] = 0;
    }
    int submit(std::uint32_t wait_for) {
        if (sqpoll_) return submit_to_poller(wait_for);
        __atomic_store_n(kernel_tail_, tail_, __ATOMIC_RELEASE);
        // With DEFER_TASKRUN completions are only posted inside a call that asks for events.
        const int done = io_uring_enter(enter_fd_, tail_ - submitted_, wait_for, enter_flags_, nullptr);
        if (done < 0) [[unlikely]]
            return recover(-done);
        submitted_ += static_cast<std::uint32_t>(done);
        return 0;
    }
    // Not for the fastest loops: a call with a time-out costs some 100 ns more.
    int submit_within(std::uint32_t wait_for, std::uint64_t timeout_ns);
    template <class Each>
    void reap(Each&& each) {
        const std::uint32_t tail = __atomic_load_n(completion_tail_, __ATOMIC_ACQUIRE);
        std::uint32_t head = completion_head_local_;
        for (; head != tail; ++head) {
            const io_uring_cqe& cqe = completions_[head & completion_mask_];
            each(*reinterpret_cast<Request*>(cqe.user_data), static_cast<std::int64_t>(cqe.res));
        }
        completion_head_local_ = head;
        __atomic_store_n(completion_head_, head, __ATOMIC_RELEASE);
    }

private:
    // First words of a submission entry: opcode, flags, priority and descriptor.
    struct FileWords {
        std::uint64_t transfer; // opcode of a read; a write's is one more
        std::uint64_t sync;
    };
    std::uint64_t* next_entry() { return submissions_ + ((tail_++ & mask_) << 3); }
    int submit_to_poller(std::uint32_t wait_for);
    int recover(int error);
    sdk::Status register_buffers(const UringSetup& setup, std::span<Request> requests);
    sdk::Status register_files(const UringSetup& setup);

    std::uint64_t* submissions_ = nullptr; // 64-byte entries; words 6 and 7 stay zero
    std::uint32_t mask_ = 0;
    std::uint32_t tail_ = 0;
    std::uint32_t submitted_ = 0;
    std::uint32_t entries_ = 0;
    std::uint32_t enter_flags_ = 0;
    unsigned enter_fd_ = 0;
    bool sqpoll_ = false;
    bool iopoll_ = false;
    std::vector<FileWords> files_;
    std::uint32_t* kernel_tail_ = nullptr;
    const std::uint32_t* kernel_head_ = nullptr;
    std::uint32_t completion_mask_ = 0;
    std::uint32_t completion_head_local_ = 0;
    std::uint32_t* completion_head_ = nullptr;
    const std::uint32_t* completion_tail_ = nullptr;
    const io_uring_cqe* completions_ = nullptr;

    std::uint64_t sync_flags_ = 0;
    std::uint32_t setbacks_ = 0; // calls that could not submit since completion number setback_head_
    std::uint32_t setback_head_ = 0;
    bool buffers_registered_ = false;
    bool files_registered_ = false;
    bool open_ = false;
    io_uring ring_{};
    UringFeatures features_;
};

} // namespace assay::common
