// Memory that ends where a smaller struct of another version ends: the next byte belongs to a page that nobody may
// touch, so reading a field beyond struct_size kills the test instead of passing by luck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace assay::test {

class Guarded {
public:
    // Holds `bytes` bytes (a multiple of 8, at most 64 KiB), copied from `from`.
    Guarded(const void* from, std::size_t bytes) {
        base_ = static_cast<char*>(
            ::mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (base_ == MAP_FAILED || bytes > room || bytes % 8 != 0 || ::mprotect(base_ + room, page, PROT_NONE) != 0)
            std::abort();
        at_ = base_ + room - bytes;
        std::memcpy(at_, from, bytes);
    }
    ~Guarded() { ::munmap(base_, room + page); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    [[nodiscard]] char* at() { return at_; }
    template <class T>
    [[nodiscard]] T* as() {
        return reinterpret_cast<T*>(at_);
    }

private:
    static constexpr std::size_t room = 64 << 10;
    static constexpr std::size_t page = 4 << 10;
    char* base_ = nullptr;
    char* at_ = nullptr;
};

// The first `bytes` bytes of a struct whose struct_size says so.
template <class T>
class Truncated : public Guarded {
public:
    Truncated(const T& whole, std::size_t bytes) : Guarded(&whole, bytes) {
        this->template as<T>()->struct_size = static_cast<std::uint32_t>(bytes);
    }
    [[nodiscard]] T* get() { return this->template as<T>(); }
};

} // namespace assay::test
