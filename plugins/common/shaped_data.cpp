#include "plugins/common/shaped_data.hpp"

#include "plugins/common/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::common {

namespace {

// Enough that no two numbers give the same block.
constexpr std::uint32_t random_bytes_min = 16;

} // namespace

ShapedData::ShapedData(const DataShape& shape, std::uint64_t salt, std::uint32_t stride)
    : stride_(stride),
      random_bytes_(
          std::max(random_bytes_min, static_cast<std::uint32_t>(std::lround((1 - shape.compressible_share) * stride)))),
      repeat_threshold_(static_cast<std::uint64_t>(shape.repeated_share * 4294967296.0)),
      salt_(salt),
      prng_(derive_seed(salt, 0)) {}

void ShapedData::fill(std::span<std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += stride_) {
        const auto block = bytes.subspan(at, std::min<std::size_t>(stride_, bytes.size() - at));
        const bool repeats = prng_.next() >> 32 < repeat_threshold_ && fresh_ > 0;
        const std::uint64_t number = repeats ? prng_.below(fresh_) : fresh_++;
        const std::size_t random = std::min<std::size_t>(random_bytes_, block.size());
        DataSource(derive_seed(salt_, number + 1)).fill(block.first(random));
        std::memset(block.data() + random, 0, block.size() - random);
    }
}

} // namespace assay::common
