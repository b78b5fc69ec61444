#include "plugins/common/uring_engine.hpp"

#include "plugins/common/kernel_memory.hpp"
#include "plugins/common/size_text.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace assay::common {

namespace {

static_assert(std::endian::native == std::endian::little, "submission entries are written as 64-bit words");

constexpr std::uint64_t largest_registered_bytes = std::uint64_t{1} << 30; // the kernel's limit for one buffer
constexpr std::uint32_t setbacks_max = 10'000;                             // 1 s of 100 us
constexpr std::uint32_t poller_idle_ms = 100;
constexpr std::uint64_t ns_per_s = 1'000'000'000;

struct FlagName {
    std::uint32_t flag;
    const char* name;
};
constexpr FlagName flag_names[] = {{IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN"},
                                   {IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
                                   {IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
                                   {IORING_SETUP_IOPOLL, "IOPOLL"},
                                   {IORING_SETUP_SQPOLL, "SQPOLL"}};

std::string names_of(std::uint32_t flags) {
    std::string text;
    for (const FlagName& entry : flag_names) {
        if ((flags & entry.flag) == 0) continue;
        if (!text.empty()) text += '|';
        text += entry.name;
    }
    return text.empty() ? "none" : text;
}

void pause_ns(long ns) {
    const timespec pause{0, ns};
    nanosleep(&pause, nullptr);
}

// Creates a ring with the best flags this kernel knows. 0, or -errno.
int create(io_uring& ring, std::uint32_t entries, std::uint32_t completions, UringPoll poll, std::uint32_t& flags) {
    constexpr std::uint32_t deferred =
        IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    constexpr std::uint32_t for_enter[] = {deferred, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER,
                                           IORING_SETUP_COOP_TASKRUN, 0};
    constexpr std::uint32_t for_poller[] = {IORING_SETUP_SQPOLL | IORING_SETUP_SINGLE_ISSUER, IORING_SETUP_SQPOLL};
    const std::span<const std::uint32_t> choices =
        poll == UringPoll::sqpoll ? std::span<const std::uint32_t>(for_poller) : for_enter;
    int error = -EINVAL;
    for (const std::uint32_t choice : choices) {
        // Rings are torn down in the background: memory of an earlier one may be given back a moment later.
        for (int attempt = 0; attempt < 50; ++attempt) {
            io_uring_params params{};
            params.flags = choice | IORING_SETUP_CQSIZE | (poll == UringPoll::iopoll ? IORING_SETUP_IOPOLL : 0u);
            params.cq_entries = completions;
            params.sq_thread_idle = poller_idle_ms;
            error = io_uring_queue_init_params(entries, &ring, &params);
            flags = params.flags;
            if (error != -ENOMEM) break;
            pause_ns(10'000'000);
        }
        if (error != -EINVAL) break; // EINVAL: a flag this kernel does not know
    }
    return error;
}

// Rings and registered buffers count against the user's limit on locked memory.
std::string memlock_text() {
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
    return fmt::format(" (RLIMIT_MEMLOCK is {}; ulimit -l raises it)", size_text(limit.rlim_cur));
}

sdk::Status refused(int error) {
    const bool scarce = error == ENOMEM;
    std::string reason = std::strerror(error);
    if (error == ENOSYS) reason = "this kernel has no io_uring";
    if (error == EPERM) reason = "the system forbids it (sysctl kernel.io_uring_disabled, or a seccomp filter)";
    if (error == ENOMEM) reason += memlock_text();
    if (error == EMFILE || error == ENFILE)
        return {
            ASSAY_RESOURCE,
            fmt::format("engine io_uring needs an open file for each worker's ring, but: {}; raise the limit ({}) or "
                        "use fewer workers",
                        reason, error == EMFILE ? "ulimit -n" : "sysctl fs.file-max"),
            ""};
    return {scarce ? ASSAY_RESOURCE : ASSAY_UNSUPPORTED,
            fmt::format("engine io_uring cannot be used here: {}; choose engine libaio or psync", reason), "engine"};
}

} // namespace

UringEngine::~UringEngine() {
    if (!open_) return;
    kernel_memory_about_to_unmap();
    io_uring_queue_exit(&ring_);
}

sdk::Status UringEngine::probe(UringPoll poll) {
    io_uring ring{};
    std::uint32_t flags = 0;
    const int error = create(ring, 2, 4, poll, flags);
    if (error < 0) return refused(-error);
    io_uring_queue_exit(&ring);
    return {};
}

sdk::Status UringEngine::open(const UringSetup& setup, std::span<Request> requests) {
    const std::uint32_t entries = std::bit_ceil(std::min(setup.depth, most_queued));
    const std::uint32_t completions = std::bit_ceil(std::max(setup.depth, 2 * entries));
    std::uint32_t flags = 0;
    const int error = create(ring_, entries, completions, setup.poll, flags);
    if (error < 0) return refused(-error);
    open_ = true;
    kernel_memory_mapped();
    features_.flags = names_of(flags);
    sqpoll_ = setup.poll == UringPoll::sqpoll;
    iopoll_ = setup.poll == UringPoll::iopoll;
    sync_flags_ = setup.sync_call == SyncCall::fdatasync ? static_cast<std::uint64_t>(IORING_FSYNC_DATASYNC) << 32 : 0;
    if (auto status = register_buffers(setup, requests); !status.ok()) return status;
    if (auto status = register_files(setup); !status.ok()) return status;
    enter_fd_ = static_cast<unsigned>(ring_.ring_fd);
    enter_flags_ = IORING_ENTER_GETEVENTS;
    if (io_uring_register_ring_fd(&ring_) == 1) {
        enter_fd_ = static_cast<unsigned>(ring_.enter_ring_fd);
        enter_flags_ |= IORING_ENTER_REGISTERED_RING;
    }

    entries_ = ring_.sq.ring_entries;
    mask_ = ring_.sq.ring_mask;
    for (std::uint32_t i = 0; i < entries_; ++i)
        ring_.sq.array[i] = i; // entry i always sits in place i
    submissions_ = reinterpret_cast<std::uint64_t*>(ring_.sq.sqes);
    std::memset(submissions_, 0, std::size_t{entries_} * sizeof(io_uring_sqe));
    kernel_tail_ = ring_.sq.ktail;
    kernel_head_ = ring_.sq.khead;
    tail_ = submitted_ = *kernel_tail_;
    completions_ = ring_.cq.cqes;
    completion_mask_ = ring_.cq.ring_mask;
    completion_head_ = ring_.cq.khead;
    completion_tail_ = ring_.cq.ktail;
    completion_head_local_ = *completion_head_;

    const std::uint64_t transfer = buffers_registered_ ? IORING_OP_READ_FIXED : IORING_OP_READ;
    static_assert(IORING_OP_WRITE_FIXED == IORING_OP_READ_FIXED + 1 && IORING_OP_WRITE == IORING_OP_READ + 1);
    for (std::size_t part = 0; part < setup.files.size(); ++part) {
        const auto fd = static_cast<std::uint32_t>(files_registered_ ? static_cast<int>(part) : setup.files[part]);
        const std::uint64_t common = static_cast<std::uint64_t>(fd) << 32 |
                                     (files_registered_ ? static_cast<std::uint64_t>(IOSQE_FIXED_FILE) << 8 : 0u);
        files_.push_back({common | transfer, common | IORING_OP_FSYNC});
    }
    return {};
}

sdk::Status UringEngine::register_buffers(const UringSetup& setup, std::span<Request> requests) {
    if (setup.registered_buffers == Preference::no) {
        features_.registered_buffers = "no: as asked";
        return {};
    }
    const std::uint64_t slots_each = std::max<std::uint64_t>(largest_registered_bytes / setup.slot_bytes, 1);
    const std::uint64_t step = slots_each * setup.slot_bytes;
    std::vector<iovec> buffers;
    for (std::uint64_t at = 0; at < setup.memory.size(); at += step)
        buffers.push_back({setup.memory.data() + at, std::min<std::uint64_t>(step, setup.memory.size() - at)});
    int error = -ENOMEM;
    for (int attempt = 0; attempt < 5 && error == -ENOMEM; ++attempt) {
        if (attempt > 0) pause_ns(10'000'000);
        error = io_uring_register_buffers(&ring_, buffers.data(), static_cast<unsigned>(buffers.size()));
    }
    if (error < 0) {
        std::string why = fmt::format("{} of buffers: {}", size_text(setup.memory.size()), std::strerror(-error));
        if (error == -ENOMEM) why += memlock_text();
        if (setup.registered_buffers == Preference::yes)
            return {ASSAY_RESOURCE,
                    fmt::format("registered_buffers yes: the kernel refuses to register {}; lower queue_depth or use "
                                "registered_buffers auto",
                                why),
                    "registered_buffers"};
        features_.registered_buffers = "no: " + why;
        return {};
    }
    const auto index_of = [&](const std::byte* at) {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(at - setup.memory.data()) / step);
    };
    for (Request& request : requests)
        request.buffer_index = index_of(request.buffer);
    for (Buffer& buffer : setup.buffers)
        buffer.index = index_of(buffer.data);
    buffers_registered_ = true;
    features_.registered_buffers = "yes";
    return {};
}

sdk::Status UringEngine::register_files(const UringSetup& setup) {
    if (setup.registered_files == Preference::no) {
        features_.registered_files = "no: as asked";
        return {};
    }
    const int error = io_uring_register_files(&ring_, setup.files.data(), static_cast<unsigned>(setup.files.size()));
    if (error < 0) {
        if (setup.registered_files == Preference::yes)
            return {ASSAY_RESOURCE,
                    fmt::format("registered_files yes: the kernel refuses to register {} files: {}; raise the limit "
                                "(ulimit -n) or use registered_files auto",
                                setup.files.size(), std::strerror(-error)),
                    "registered_files"};
        features_.registered_files = fmt::format("no: {}", std::strerror(-error));
        return {};
    }
    files_registered_ = true;
    features_.registered_files = "yes";
    return {};
}

int UringEngine::submit_to_poller(std::uint32_t wait_for) {
    submitted_ = tail_;
    // The tail must be visible before the flag is looked at.
    __atomic_store_n(kernel_tail_, tail_, __ATOMIC_SEQ_CST);
    const bool asleep = (__atomic_load_n(ring_.sq.kflags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP) != 0;
    if (!asleep && wait_for == 0) return 0;
    const unsigned flags = enter_flags_ | (asleep ? IORING_ENTER_SQ_WAKEUP : 0u);
    const int done = io_uring_enter(enter_fd_, 0, wait_for, flags, nullptr);
    return done < 0 ? recover(-done) : 0;
}

int UringEngine::submit_within(std::uint32_t wait_for, std::uint64_t timeout_ns) {
    // A wait on polled queues knows no time-out: there the caller comes back at once.
    if (iopoll_) return submit(0);
    if ((ring_.features & IORING_FEAT_EXT_ARG) == 0) { // before Linux 5.11
        const int error = submit(0);
        if (error != 0 || completion_head_local_ != __atomic_load_n(completion_tail_, __ATOMIC_ACQUIRE)) return error;
        pollfd ring{ring_.ring_fd, POLLIN, 0};
        const timespec limit{static_cast<time_t>(timeout_ns / ns_per_s), static_cast<long>(timeout_ns % ns_per_s)};
        ppoll(&ring, 1, &limit, nullptr);
        return 0;
    }
    if (sqpoll_) {
        if (const int error = submit_to_poller(0); error != 0) return error;
    } else {
        __atomic_store_n(kernel_tail_, tail_, __ATOMIC_RELEASE);
    }
    __kernel_timespec limit{static_cast<std::int64_t>(timeout_ns / ns_per_s),
                            static_cast<long long>(timeout_ns % ns_per_s)};
    io_uring_getevents_arg argument{};
    argument.ts = reinterpret_cast<std::uint64_t>(&limit);
    const int done =
        io_uring_enter2(enter_fd_, sqpoll_ ? 0 : tail_ - submitted_, wait_for, enter_flags_ | IORING_ENTER_EXT_ARG,
                        reinterpret_cast<sigset_t*>(&argument), sizeof(argument));
    if (done == -ETIME) return 0;
    if (done < 0) return recover(-done);
    if (!sqpoll_) submitted_ += static_cast<std::uint32_t>(done);
    return 0;
}

// A signal, or no memory for the moment: what completes next gives room. Gives up after a second without progress.
int UringEngine::recover(int error) {
    if (error == EINTR) return 0;
    if (error != EAGAIN && error != EBUSY && error != ENOMEM) return -error;
    if (completion_head_local_ != setback_head_) setbacks_ = 0;
    setback_head_ = completion_head_local_;
    if (++setbacks_ > setbacks_max) return -error;
    pause_ns(100'000);
    return 0;
}

} // namespace assay::common
