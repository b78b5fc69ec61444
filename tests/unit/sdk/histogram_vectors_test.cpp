#include "assay/abi/recorder.h"
#include "tests/unit/sdk/languages.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct Vector {
    std::uint64_t value_ns, index, lower_ns, upper_ns;
};

std::vector<Vector> golden_vectors() {
    std::ifstream file(ASSAY_TEST_GOLDEN_VECTORS);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "value_ns,index,lower_ns,upper_ns");
    std::vector<Vector> vectors;
    while (std::getline(file, line)) {
        Vector v{};
        EXPECT_EQ(std::sscanf(line.c_str(), "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, &v.value_ns, &v.index,
                              &v.lower_ns, &v.upper_ns),
                  4)
            << line;
        vectors.push_back(v);
    }
    return vectors;
}

class Histogram : public ::testing::TestWithParam<const language*> {};

TEST_P(Histogram, EveryGoldenVectorFallsIntoItsBucket) {
    const auto vectors = golden_vectors();
    ASSERT_GT(vectors.size(), 1000u);
    for (const Vector& v : vectors) {
        EXPECT_EQ(GetParam()->histogram_index(v.value_ns), v.index) << v.value_ns;
        const auto index = static_cast<std::uint32_t>(v.index);
        EXPECT_EQ(GetParam()->histogram_lower_ns(index), v.lower_ns) << v.index;
        EXPECT_EQ(GetParam()->histogram_upper_ns(index), v.upper_ns) << v.index;
    }
}

TEST_P(Histogram, BucketsCoverTheRangeWithoutGapOrOverlap) {
    const language& it = *GetParam();
    for (std::uint32_t i = 0; i < ASSAY_HISTOGRAM_BUCKETS; ++i) {
        EXPECT_EQ(it.histogram_index(it.histogram_lower_ns(i)), i);
        EXPECT_EQ(it.histogram_index(it.histogram_upper_ns(i)), i);
        EXPECT_EQ(it.histogram_lower_ns(i), i == 0 ? 0 : it.histogram_upper_ns(i - 1) + 1);
    }
    EXPECT_EQ(it.histogram_upper_ns(ASSAY_HISTOGRAM_BUCKETS - 1), (std::uint64_t{1} << 41) - 1);
}

TEST_P(Histogram, ABucketIsAtMostASixtyFourthOfItsValueWide) {
    const language& it = *GetParam();
    for (std::uint32_t i = 1; i < ASSAY_HISTOGRAM_BUCKETS; ++i) {
        const std::uint64_t lower = it.histogram_lower_ns(i);
        const std::uint64_t width = it.histogram_upper_ns(i) - lower + 1;
        EXPECT_TRUE(width == 1 || width * 64 <= lower) << "bucket " << i << " at " << lower << " is " << width;
    }
}

INSTANTIATE_TEST_SUITE_P(Languages, Histogram, ::testing::Values(&language_c, &language_cpp),
                         [](const auto& info) { return info.param == &language_c ? "C" : "Cpp"; });

// 34 octaves [2^7, 2^41) of 64 sub-buckets over 128 single values.
TEST(HistogramConstants, AreThePublishedOnes) {
    EXPECT_EQ(ASSAY_HISTOGRAM_BUCKETS, 128u + 34u * 64u);
    EXPECT_EQ(ASSAY_HISTOGRAM_MAX_NS, 2'199'023'255'551u);
    EXPECT_EQ(sizeof(assay_histogram), 64u + 2304u * 8u);
}

TEST(HistogramAdd, KeepsExactSumMinimumAndMaximumAlsoBeyondTheLastBucket) {
    static assay_histogram histogram{};
    histogram.min_ns = UINT64_MAX;
    const std::array<std::uint64_t, 4> values{700, 5, std::uint64_t{1} << 42, 5};
    for (const std::uint64_t value : values)
        assay_histogram_add(&histogram, value);
    EXPECT_EQ(histogram.sum_ns, 700u + 5u + 5u + (std::uint64_t{1} << 42));
    EXPECT_EQ(histogram.min_ns, 5u);
    EXPECT_EQ(histogram.max_ns, std::uint64_t{1} << 42);
    EXPECT_EQ(histogram.buckets[5], 2u);
    // 700 lies in [512, 1024), whose sub-buckets are 8 ns: (700 - 512) / 8 = 23 into octave 2 after 128 singles.
    EXPECT_EQ(histogram.buckets[128 + 2 * 64 + 23], 1u);
    EXPECT_EQ(histogram.buckets[2303], 1u);
}

} // namespace
