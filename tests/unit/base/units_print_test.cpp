#include "core/base/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace assay {
namespace {

TEST(UnitsPrint, SizeTextIsExactShortAndParsesBack) {
    EXPECT_EQ(size_text(0), "0B");
    EXPECT_EQ(size_text(1), "1B");
    EXPECT_EQ(size_text(1000), "1000B");
    EXPECT_EQ(size_text(1023), "1023B");
    EXPECT_EQ(size_text(4096), "4KiB");
    EXPECT_EQ(size_text(1536ULL << 20), "1536MiB");
    EXPECT_EQ(size_text(1ULL << 40), "1TiB");
    EXPECT_EQ(size_text(UINT64_MAX), "18446744073709551615B");
    std::mt19937_64 random(7);
    for (int i = 0; i < 10'000; ++i) {
        const auto bytes = static_cast<std::int64_t>((random() >> 1) >> (random() % 63) << (random() % 20) & INT64_MAX);
        EXPECT_EQ(*parse_size(size_text(static_cast<std::uint64_t>(bytes))), bytes);
    }
}

TEST(UnitsPrint, ExactDurationTextParsesBack) {
    EXPECT_EQ(exact_duration_text(0), "0s");
    EXPECT_EQ(exact_duration_text(1), "1ns");
    EXPECT_EQ(exact_duration_text(1'500'000'000), "1500ms");
    EXPECT_EQ(exact_duration_text(60'000'000'000), "1min");
    EXPECT_EQ(exact_duration_text(90'000'000'000), "90s");
    EXPECT_EQ(exact_duration_text(7'200'000'000'000), "2h");
    EXPECT_EQ(exact_duration_text(-1'000), "-1us");
    EXPECT_EQ(exact_duration_text(INT64_MIN), "-9223372036854775808ns");
    std::mt19937_64 random(11);
    for (int i = 0; i < 10'000; ++i) {
        const auto ns = static_cast<std::int64_t>((random() >> 1) >> (random() % 63));
        EXPECT_EQ(*parse_duration(exact_duration_text(ns)), ns);
    }
}

TEST(UnitsPrint, BytesHaveThreeSignificantDigitsInBothSystems) {
    EXPECT_EQ(binary_bytes(3.42 * 1073741824), "3.42 GiB");
    EXPECT_EQ(decimal_bytes(3.68e9), "3.68 GB");
    EXPECT_EQ(binary_bytes(512), "512 B");
    EXPECT_EQ(binary_bytes(0), "0 B");
    EXPECT_EQ(binary_bytes(0.5), "0.50 B");
    EXPECT_EQ(decimal_bytes(1000), "1.00 kB");
    EXPECT_EQ(decimal_bytes(12345), "12.3 kB");
    EXPECT_EQ(decimal_bytes(123456), "123 kB");
    EXPECT_EQ(binary_bytes(1000 * 1024), "1000 KiB");
    EXPECT_EQ(decimal_bytes(2e21), "2000 EB");
    EXPECT_EQ(binary_rate(1048576), "1.00 MiB/s");
    EXPECT_EQ(decimal_rate(25e9), "25.0 GB/s");
}

TEST(UnitsPrint, RoundingMovesUpToTheNextUnit) {
    EXPECT_EQ(decimal_bytes(999'499), "999 kB");
    EXPECT_EQ(decimal_bytes(999'500), "1.00 MB");
    EXPECT_EQ(binary_bytes(1024 * 1023.6), "1.00 MiB");
    EXPECT_EQ(decimal_bytes(9'996), "10.0 kB");
    EXPECT_EQ(decimal_bytes(99'960), "100 kB");
    EXPECT_EQ(duration_text(999'600), "1.00 ms");
    EXPECT_EQ(duration_text(59'960'000'000), "1 min 00 s");
}

TEST(UnitsPrint, DurationsReadAsPeopleSayThem) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(812), "812 ns");
    EXPECT_EQ(duration_text(8.127), "8.13 ns");
    EXPECT_EQ(duration_text(12'300), "12.3 us");
    EXPECT_EQ(duration_text(4'560'000), "4.56 ms");
    EXPECT_EQ(duration_text(1'200'000'000), "1.20 s");
    EXPECT_EQ(duration_text(125e9), "2 min 05 s");
    EXPECT_EQ(duration_text(3600e9), "1 h 00 min");
    EXPECT_EQ(duration_text(3599.6e9), "1 h 00 min");
    EXPECT_EQ(duration_text(86400e9 * 2 + 3600e9 * 3), "2 d 03 h");
    EXPECT_EQ(duration_text(-812), "-812 ns");
}

TEST(UnitsPrint, CountsAreShort) {
    EXPECT_EQ(count_text(93), "93");
    EXPECT_EQ(count_text(0.25), "0.25");
    EXPECT_EQ(count_text(815'000), "815k");
    EXPECT_EQ(count_text(1'240'000), "1.24M");
    EXPECT_EQ(count_text(999.7), "1.00k");
}

TEST(UnitsPrint, WhatIsNotANumberPrintsAsSuch) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(binary_bytes(nan), "n/a");
    EXPECT_EQ(binary_rate(infinity), "n/a");
    EXPECT_EQ(duration_text(nan), "n/a");
    EXPECT_EQ(count_text(-infinity), "n/a");
}

} // namespace
} // namespace assay
