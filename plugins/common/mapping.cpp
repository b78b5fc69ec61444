#include "plugins/common/mapping.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

namespace assay::common {

namespace {
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    return *this;
}

Mapping::~Mapping() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

Mapping Mapping::allocate(std::size_t bytes) {
    const bool huge = bytes >= huge_page_bytes / 4;
    const std::size_t wanted = huge ? (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes : bytes;
    const std::size_t slack = huge ? huge_page_bytes : 0;
    void* mapped = mmap(nullptr, wanted + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return {};
    Mapping result;
    result.mapped_ = mapped;
    result.mapped_bytes_ = wanted + slack;
    result.bytes_ = bytes;
    result.data_ = static_cast<std::byte*>(mapped);
    if (huge) {
        const auto address = reinterpret_cast<std::uintptr_t>(mapped);
        result.data_ += (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
        madvise(result.data_, wanted, MADV_HUGEPAGE); // a hint: small pages work as well
    }
    return result;
}

} // namespace assay::common
