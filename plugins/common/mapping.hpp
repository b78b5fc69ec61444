// Page-aligned anonymous memory for I/O buffers, on huge pages where it is large enough for them to matter.
//
// Not touched by allocate(): the thread that first writes it decides the NUMA node. Any thread; one owner.
#pragma once

#include <cstddef>
#include <span>

namespace assay::common {

class Mapping {
public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    // Empty (data() is null) and errno set if the memory cannot be had.
    static Mapping allocate(std::size_t bytes);

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    [[nodiscard]] std::span<std::byte> span() const { return {data_, bytes_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    void* mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
};

} // namespace assay::common
