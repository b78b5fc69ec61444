// Memory that the kernel maps and unmaps for us on system calls that ThreadSanitizer does not see (rings of io_uring
// and Linux AIO): one thread's new ring may lie where another's old one was, which then looks like a race.
//
// The pair below makes the order visible that the kernel guarantees. Any thread; off the hot path.
#pragma once

#include <atomic>

namespace assay::common {

inline std::atomic<unsigned> kernel_memory_order{0};

inline void kernel_memory_mapped() { kernel_memory_order.load(std::memory_order_acquire); }
inline void kernel_memory_about_to_unmap() { kernel_memory_order.fetch_add(1, std::memory_order_release); }

} // namespace assay::common
