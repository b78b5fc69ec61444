// Expected values: fio 3.33's documentation of sizes and times, and `fio --debug=parse` for KiB and prefixes.
#include "tools/assay/dialects/fio/values.hpp"

#include <gtest/gtest.h>

namespace assay::cli::fio {
namespace {

std::uint64_t bytes(std::string_view text, unsigned base = 1024) {
    const auto result = parse_bytes(text, base);
    EXPECT_TRUE(result.ok()) << text << ": " << result.status().message();
    return result ? *result : 0;
}

std::int64_t runtime_us(std::string_view text) {
    const auto result = parse_time_us(text, 1'000'000);
    EXPECT_TRUE(result.ok()) << text << ": " << result.status().message();
    return result ? *result : -1;
}

TEST(FioValues, LettersArePowersOf1024InAnyCase) {
    EXPECT_EQ(bytes("4k"), 4096U);
    EXPECT_EQ(bytes("4K"), 4096U);
    EXPECT_EQ(bytes("1mb"), 1048576U);
    EXPECT_EQ(bytes("1G"), 1073741824U);
    EXPECT_EQ(bytes("2tb"), 2199023255552U);
    EXPECT_EQ(bytes("512"), 512U);
    EXPECT_EQ(bytes("512b"), 512U);
    EXPECT_EQ(bytes("0x1000"), 4096U);
    EXPECT_EQ(bytes("4ki"), 4096U);
}

TEST(FioValues, KiBIsA1000BytesUnlessTheBaseIsChanged) {
    EXPECT_EQ(bytes("1KiB"), 1000U);
    EXPECT_EQ(bytes("1MIB"), 1000000U);
    EXPECT_EQ(bytes("1k", 1000), 1000U);
    EXPECT_EQ(bytes("1kb", 1000), 1000U);
    EXPECT_EQ(bytes("1KiB", 1000), 1024U);
    EXPECT_TRUE(is_inverted_unit("1MIB"));
    EXPECT_FALSE(is_inverted_unit("1mb"));
}

TEST(FioValues, TextThatFioWouldCutShortIsNoSize) {
    for (const char* text :
         {"1.5g", "10x", "1e6", "1kk", " 1m", "1m ", "", "k", "-1", "1,2", "0x", "9223372036854775808", "16777216t"})
        EXPECT_FALSE(parse_bytes(text).ok()) << text;
}

TEST(FioValues, AMessageNamesTheTextAndGivesAnExample) {
    const std::string message = parse_bytes("1.5g").status().message();
    EXPECT_NE(message.find("\"1.5g\""), std::string::npos);
    EXPECT_NE(message.find("1536m"), std::string::npos);
}

TEST(FioValues, ABareRuntimeIsInSecondsAndABareThinkTimeInMicroseconds) {
    EXPECT_EQ(runtime_us("10"), 10'000'000);
    EXPECT_EQ(*parse_time_us("10", 1), 10);
}

TEST(FioValues, TimesHaveUnits) {
    EXPECT_EQ(runtime_us("250ms"), 250'000);
    EXPECT_EQ(runtime_us("250msec"), 250'000);
    EXPECT_EQ(runtime_us("7us"), 7);
    EXPECT_EQ(runtime_us("7usec"), 7);
    EXPECT_EQ(runtime_us("2s"), 2'000'000);
    EXPECT_EQ(runtime_us("2M"), 120'000'000);
    EXPECT_EQ(runtime_us("1h"), 3'600'000'000);
    EXPECT_EQ(runtime_us("1d"), 86'400'000'000);
}

TEST(FioValues, TimesThatFioMisreadsAreRefused) {
    for (const char* text : {"2sec", "1.5m", "1:30", "2 s", "", "366d"})
        EXPECT_FALSE(parse_time_us(text, 1'000'000).ok()) << text;
}

TEST(FioValues, SwitchesAreZeroOrOneAndOnWithoutAValue) {
    EXPECT_TRUE(*parse_switch(""));
    EXPECT_TRUE(*parse_switch("1"));
    EXPECT_FALSE(*parse_switch("0"));
    EXPECT_FALSE(parse_switch("yes").ok());
    EXPECT_FALSE(parse_switch("2").ok());
}

TEST(FioValues, OneValueGoesToAllDirectionsAndTheSecondToTrimsToo) {
    const auto one = parse_directions("4k");
    EXPECT_EQ(one->read, "4k");
    EXPECT_EQ(one->write, "4k");
    EXPECT_EQ(one->trim, "4k");
    const auto two = parse_directions("4k,8k");
    EXPECT_EQ(two->read, "4k");
    EXPECT_EQ(two->write, "8k");
    EXPECT_EQ(two->trim, "8k");
    const auto write = parse_directions(",8k");
    EXPECT_FALSE(write->read);
    EXPECT_EQ(write->write, "8k");
    EXPECT_FALSE(parse_directions("1,2,3,4").ok());
}

TEST(FioValues, ARangeHasTwoEnds) {
    const auto range = parse_byte_range("4k-64k", 1024);
    EXPECT_EQ(range->low, 4096U);
    EXPECT_EQ(range->high, 65536U);
    EXPECT_FALSE(parse_byte_range("4k", 1024).ok());
}

TEST(FioValues, ASplitsOpenSharesDivideWhatIsLeft) {
    const auto split = parse_split("4k/10:64k/50:32k", 1024);
    ASSERT_EQ(split->size(), 3U);
    EXPECT_EQ((*split)[0].bytes, 4096U);
    EXPECT_EQ((*split)[0].percent, 10);
    EXPECT_EQ((*split)[2].bytes, 32768U);
    EXPECT_EQ((*split)[2].percent, 40);
    const auto even = parse_split("4k/:8k/", 1024);
    EXPECT_EQ((*even)[0].percent, 50);
    EXPECT_FALSE(parse_split("4k/60:8k/60", 1024).ok());
    EXPECT_FALSE(parse_split("4k/60:8k/30", 1024).ok());
}

TEST(FioValues, CpuListsHaveNumbersAndRanges) {
    EXPECT_EQ(*parse_cpu_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
    EXPECT_FALSE(parse_cpu_list("3-1").ok());
    EXPECT_FALSE(parse_cpu_list("a").ok());
    EXPECT_FALSE(parse_cpu_list("0-99999999").ok());
}

TEST(FioValues, SharesAreWholePercents) {
    EXPECT_EQ(**parse_share("25%"), 25U);
    EXPECT_FALSE(parse_share("25")->has_value());
    EXPECT_FALSE(parse_share("0%").ok());
    EXPECT_FALSE(parse_share("101%").ok());
}

TEST(FioValues, FloatsAreSeparatedByColons) {
    EXPECT_EQ(*parse_floats("1:50:99.9"), (std::vector<double>{1, 50, 99.9}));
    EXPECT_FALSE(parse_floats("1,2").ok());
    EXPECT_FALSE(parse_floats("1:nan").ok());
}

} // namespace
} // namespace assay::cli::fio
