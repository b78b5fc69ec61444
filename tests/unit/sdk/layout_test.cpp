#include "tests/unit/sdk/languages.h"

#include <string>

#include <gtest/gtest.h>

namespace {

class Layout : public ::testing::TestWithParam<const language*> {};

TEST_P(Layout, EveryFieldLiesWhereTheBaselineSays) {
    const language& it = *GetParam();
    ASSERT_GT(it.row_count, 150u) << "the baseline was not read";
    for (std::size_t i = 0; i < it.row_count; ++i) {
        const layout_row& row = it.rows[i];
        const std::string what = std::string(row.of) + "." + row.field;
        EXPECT_EQ(row.offset, row.expected_offset) << what;
        EXPECT_EQ(row.bytes, row.expected_bytes) << what;
    }
}

// The rule that everything else rests on.
TEST_P(Layout, AStructThatStartsWithItsSizeKeepsItInTheFirstFourBytes) {
    const language& it = *GetParam();
    std::size_t seen = 0;
    for (std::size_t i = 0; i < it.row_count; ++i) {
        const std::string name = it.rows[i].of;
        const bool in_region = name == "assay_region"; // begins with its magic
        if (std::string(it.rows[i].field) != "struct_size" || in_region) continue;
        EXPECT_EQ(it.rows[i].offset, 0u) << name;
        EXPECT_EQ(it.rows[i].bytes, 4u) << name;
        ++seen;
    }
    EXPECT_GE(seen, 20u);
}

// ns = (ticks * mult) >> shift: 3 GHz is 1/3 ns a tick, which shift 20 holds as 349525.
TEST_P(Layout, ClockTicksBecomeNanosecondsByTheFormula) {
    const language& it = *GetParam();
    EXPECT_EQ(it.clock_ns(1, 0, 1000, 1500), 500u);
    EXPECT_EQ(it.clock_ns(349525, 20, 0, 3'000'000'000), 3'000'000'000ull * 349525 / 1048576);
    EXPECT_EQ(it.clock_ns(1, 0, 1500, 1000), 0u) << "a clock that lags gives no time, not nearly for ever";
}

INSTANTIATE_TEST_SUITE_P(Languages, Layout, ::testing::Values(&language_c, &language_cpp),
                         [](const auto& info) { return info.param == &language_c ? "C" : "Cpp"; });

} // namespace
