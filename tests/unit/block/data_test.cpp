#include "plugins/common/data.hpp"
#include "plugins/common/mapping.hpp"
#include "plugins/common/size_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace assay::common {
namespace {

std::vector<std::byte> filled(std::size_t bytes, std::uint64_t seed) {
    std::vector<std::byte> data(bytes);
    DataSource(seed).fill(data);
    return data;
}

TEST(DataSource, EveryByteValueIsEquallyCommonSoNothingCompresses) {
    const auto data = filled(1 << 20, 1);
    std::array<double, 256> counts{};
    for (const std::byte value : data)
        counts[static_cast<std::size_t>(value)] += 1;
    double chi_square = 0;
    for (const double count : counts)
        chi_square += (count - 4096) * (count - 4096) / 4096;
    // 255 degrees of freedom: within 172 .. 341 with probability 0.9994.
    EXPECT_GT(chi_square, 172);
    EXPECT_LT(chi_square, 341);
}

TEST(DataSource, NoTwoBlocksAreAlikeAndCallsContinueTheSequence) {
    std::set<std::string> blocks;
    DataSource source(1);
    for (int call = 0; call < 64; ++call) {
        std::vector<std::byte> data(65536);
        source.fill(data);
        for (std::size_t at = 0; at < data.size(); at += 4096)
            blocks.emplace(reinterpret_cast<const char*>(data.data() + at), 4096);
    }
    EXPECT_EQ(blocks.size(), 64u * 16u);
}

TEST(DataSource, FillsLengthsThatAreNoMultipleOfAnything) {
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 1000u}) {
        std::vector<std::byte> data(bytes + 8, std::byte{0});
        DataSource(3).fill(std::span(data).first(bytes));
        for (std::size_t i = bytes; i < data.size(); ++i)
            EXPECT_EQ(data[i], std::byte{0}) << "past the end";
    }
}

TEST(DataSource, AnotherSeedGivesOtherData) { EXPECT_NE(filled(4096, 1), filled(4096, 2)); }

TEST(DataSalt, DiffersFromCallToCall) { EXPECT_NE(data_salt(), data_salt()); }

TEST(Stamp, MakesAllBlocksOfAllWritesDifferent) {
    auto buffer = filled(65536, 1);
    std::set<std::string> blocks;
    std::uint64_t token = 0;
    for (const std::uint64_t offset : {0u, 65536u, 0u, 131072u}) {
        stamp_blocks(buffer.data(), buffer.size(), stamp_stride(buffer.size()), offset, ++token);
        for (std::size_t at = 0; at < buffer.size(); at += 4096)
            blocks.emplace(reinterpret_cast<const char*>(buffer.data() + at), 4096);
    }
    EXPECT_EQ(blocks.size(), 4u * 16u);
}

TEST(Stamp, StrideIsFourKibibytesOrWhatDividesTheRequest) {
    EXPECT_EQ(stamp_stride(4096), 4096u);
    EXPECT_EQ(stamp_stride(1 << 20), 4096u);
    EXPECT_EQ(stamp_stride(512), 512u);
    EXPECT_EQ(stamp_stride(12288), 4096u);
    EXPECT_EQ(stamp_stride(6144), 2048u);
    EXPECT_EQ(stamp_stride(1000), 16u) << "never closer than a stamp is long";
}

TEST(Stamp, NeverWritesPastTheRequest) {
    for (const std::size_t bytes : {512u, 1000u, 1001u, 4096u}) {
        std::vector<std::byte> data(bytes + 64, std::byte{7});
        stamp_blocks(data.data(), bytes, stamp_stride(bytes), ~std::uint64_t{0}, ~std::uint64_t{0});
        for (std::size_t i = bytes; i < data.size(); ++i)
            ASSERT_EQ(data[i], std::byte{7});
    }
}

TEST(Mapping, IsAlignedZeroedAndAsLongAsAsked) {
    for (const std::size_t bytes : {4096u, 100u * 4096u, 5u << 20}) {
        const Mapping mapping = Mapping::allocate(bytes);
        ASSERT_NE(mapping.data(), nullptr);
        EXPECT_EQ(mapping.size(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapping.data()) % (bytes >= 2u << 20 ? 2u << 20 : 4096u), 0u);
        for (std::size_t at = 0; at < bytes; at += 512)
            EXPECT_EQ(mapping.data()[at], std::byte{0});
        std::memset(mapping.data(), 1, bytes);
    }
}

TEST(Mapping, RefusesWhatNoMachineHas) { EXPECT_EQ(Mapping::allocate(std::size_t{1} << 62).data(), nullptr); }

TEST(SizeText, IsExactInTheLargestUnitThatDivides) {
    EXPECT_EQ(size_text(0), "0B");
    EXPECT_EQ(size_text(1000), "1000B");
    EXPECT_EQ(size_text(4096), "4KiB");
    EXPECT_EQ(size_text(1536), "1536B");
    EXPECT_EQ(size_text(std::uint64_t{3} << 40), "3TiB");
    EXPECT_EQ(size_text((std::uint64_t{1} << 20) + 1024), "1025KiB");
}

} // namespace
} // namespace assay::common
