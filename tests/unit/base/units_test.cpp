#include "core/base/units.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdint>
#include <limits>
#include <locale>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

using testing::Test;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Parse>
void expect_refused(Parse parse, const std::string& text, const std::vector<std::string>& parts) {
    const auto result = parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().failure(), Failure::usage);
    for (const std::string& part : parts) {
        EXPECT_TRUE(contains(result.status().message(), part)) << result.status().message() << " lacks " << part;
    }
}

TEST(Units, SizesWithIBetweenAreMultiplesOf1024) {
    std::int64_t expected = 1;
    for (const std::string unit : {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
        const auto size = parse_size("3" + unit);
        ASSERT_TRUE(size.ok()) << size.status().message();
        EXPECT_EQ(*size, 3 * expected) << unit;
        expected <<= unit == "EiB" ? 0 : 10;
    }
}

TEST(Units, SizesWithoutIAreMultiplesOf1000) {
    std::int64_t expected = 1;
    for (const std::string unit : {"B", "kB", "MB", "GB", "TB", "PB", "EB"}) {
        ASSERT_TRUE(parse_size("7" + unit).ok());
        EXPECT_EQ(*parse_size("7" + unit), 7 * expected) << unit;
        if (unit != "EB") expected *= 1000;
    }
    EXPECT_EQ(*parse_size("7KB"), 7000);
}

TEST(Units, ASizeMayHaveAFractionThatComesOutInWholeBytes) {
    EXPECT_EQ(*parse_size("1.5GiB"), 3 * 512 * 1024 * 1024LL);
    EXPECT_EQ(*parse_size("0.5KiB"), 512);
    EXPECT_EQ(*parse_size("1.000B"), 1);
    EXPECT_EQ(*parse_size("0.0009765625KiB"), 1); // 1/1024
    expect_refused(parse_size, "0.1KiB", {"\"0.1KiB\"", "whole number of bytes", "4KiB"});
    expect_refused(parse_size, "1.5B", {"whole number of bytes"});
}

TEST(Units, ASizeAtTheTopOfItsRangeIsExactAndTheNextIsRefused) {
    EXPECT_EQ(*parse_size("9223372036854775807B"), kMax);
    EXPECT_EQ(*parse_size("7.5EiB"), 8646911284551352320); // 15 * 2^59
    expect_refused(parse_size, "9223372036854775808B", {"more than 9223372036854775807 bytes"});
    expect_refused(parse_size, "8EiB", {"more than"});
    expect_refused(parse_size, "9999999999999999999.9EiB", {"more than"});
    expect_refused(parse_size, "99999999999999999999999999EiB", {"too large"});
}

TEST(Units, ANumberThatNeedsAUnitIsRefusedWithoutOneAndShownAnExample) {
    expect_refused(parse_size, "10", {"\"10\"", "no unit", "size", "4KiB"});
    expect_refused(parse_duration, "10", {"\"10\"", "no unit", "duration", "10s"});
    expect_refused(parse_byte_rate, "10", {"\"10\"", "no unit", "100MB/s"});
    expect_refused(parse_operation_rate, "10", {"\"10\"", "no unit", "5000/s"});
    expect_refused(parse_percentage, "10", {"\"10\"", "no unit", "70%"});
}

TEST(Units, AUnitOfAnotherQuantityIsNamed) {
    expect_refused(parse_size, "4KB/s", {"\"4KB/s\" is not a size", "a rate in bytes", "4KiB"});
    expect_refused(parse_size, "4s", {"a duration"});
    expect_refused(parse_duration, "4KiB", {"\"4KiB\" is not a duration", "a size", "10s"});
    expect_refused(parse_byte_rate, "4MB", {"is not a rate", "a size"});
    expect_refused(parse_operation_rate, "4MB/s", {"a rate in bytes"});
    expect_refused(parse_byte_rate, "5000/s", {"a rate in operations"});
    expect_refused(parse_percentage, "4KiB", {"a size"});
}

TEST(Units, LettersThatCouldMeanTwoThingsAreRefused) {
    for (const std::string text : {"4K", "4k", "4M", "4kb", "4mb", "4KIB", "4kib", "4Kib", "4b"}) {
        expect_refused(parse_size, text, {text, "not one of its units"});
    }
    for (const std::string text : {"5m", "5S", "5sec", "5M", "5H"})
        expect_refused(parse_duration, text, {text});
    for (const std::string text : {"5Mb/s", "5MBps", "5MB/sec", "5MB/min"})
        expect_refused(parse_byte_rate, text, {text});
}

TEST(Units, NothingButAPlainDecimalNumberIsTaken) {
    for (const std::string number : {"", " ", "-1", "+1", ".5", "1.", "1..5", "1,5", "1e3", "1E3", "0x10", "nan", "NaN",
                                     "inf", "-inf", "1_000", "1 000", "1'000", "\xD9\xA3"}) {
        EXPECT_FALSE(parse_size(number + "KiB").ok()) << number;
        EXPECT_FALSE(parse_duration(number + "s").ok()) << number;
        EXPECT_FALSE(parse_byte_rate(number + "MB/s").ok()) << number;
        EXPECT_FALSE(parse_operation_rate(number + "/s").ok()) << number;
        EXPECT_FALSE(parse_percentage(number + "%").ok()) << number;
    }
    for (const std::string number :
         {"", " ", "+1", ".5", "1.", "1..5", "1,5", "1e3", "0x10", "nan", "inf", "-", "--1", "1 2", "1KiB", "16k"}) {
        EXPECT_FALSE(parse_number(number).ok()) << number;
        EXPECT_FALSE(parse_integer(number).ok()) << number;
    }
    EXPECT_FALSE(parse_size("4KiB4").ok());
    EXPECT_FALSE(parse_size("4KiB,").ok());
    EXPECT_FALSE(parse_size("4  KiB").ok()) << "one space at most";
    EXPECT_FALSE(parse_size(std::string("4KiB\0", 5)).ok());
    EXPECT_FALSE(parse_size(std::string(1'000'000, '1') + "B").ok());
}

TEST(Units, SurroundingSpaceAndOneSpaceBeforeTheUnitAreSkipped) {
    EXPECT_EQ(*parse_size("  4KiB\t"), 4096);
    EXPECT_EQ(*parse_size("4 KiB"), 4096);
    EXPECT_EQ(*parse_operation_rate("5000 IOPS"), 5000);
    EXPECT_EQ(*parse_operation_rate("10k IOPS"), 10000);
}

TEST(Units, DurationsAreNanoseconds) {
    const std::vector<std::pair<std::string, std::int64_t>> cases = {
        {"7ns", 7},
        {"100us", 100'000},
        {"250ms", 250'000'000},
        {"10s", 10'000'000'000},
        {"3min", 180'000'000'000},
        {"1.5h", 5'400'000'000'000},
        {"2d", 172'800'000'000'000},
        {"0s", 0},
        {"0.1s", 100'000'000},
        {"9223372036854775807ns", kMax},
    };
    for (const auto& [text, expected] : cases) {
        ASSERT_TRUE(parse_duration(text).ok()) << text;
        EXPECT_EQ(*parse_duration(text), expected) << text;
    }
    expect_refused(parse_duration, "1.5ns", {"whole number of nanoseconds"});
    expect_refused(parse_duration, "106752d", {"more than"}); // 2^63 ns is 106,751.99 days
    EXPECT_TRUE(parse_duration("106751d").ok());
}

TEST(Units, RatesInBytesTakeBitsOnlyWhereTheyMakeWholeBytes) {
    EXPECT_EQ(*parse_byte_rate("100MB/s"), 100'000'000);
    EXPECT_EQ(*parse_byte_rate("1.5GiB/s"), 1'610'612'736);
    EXPECT_EQ(*parse_byte_rate("10Gbit/s"), 1'250'000'000);
    EXPECT_EQ(*parse_byte_rate("200 Gbit/s"), 25'000'000'000);
    EXPECT_EQ(*parse_byte_rate("8bit/s"), 1);
    expect_refused(parse_byte_rate, "4bit/s", {"whole number of bytes a second"});
}

TEST(Units, RatesInOperationsAreDecimal) {
    EXPECT_EQ(*parse_operation_rate("5000/s"), 5000);
    EXPECT_EQ(*parse_operation_rate("10k/s"), 10'000);
    EXPECT_EQ(*parse_operation_rate("2.5M/s"), 2'500'000);
    EXPECT_FALSE(parse_operation_rate("2Ki/s").ok());
    EXPECT_FALSE(parse_operation_rate("0.5/s").ok());
}

TEST(Units, PercentagesLieBetween0And100) {
    EXPECT_DOUBLE_EQ(*parse_percentage("70%"), 70.0);
    EXPECT_DOUBLE_EQ(*parse_percentage("12.5 %"), 12.5);
    EXPECT_DOUBLE_EQ(*parse_percentage("0%"), 0.0);
    EXPECT_DOUBLE_EQ(*parse_percentage("100%"), 100.0);
    expect_refused(parse_percentage, "100.1%", {"\"100.1%\"", "between 0% and 100%"});
    expect_refused(parse_percentage, "-1%", {"negative"});
    expect_refused(parse_percentage, "70%%", {"\"%%\""});
}

TEST(Units, IntegersCoverAllOf64BitsAndNothingElse) {
    EXPECT_EQ(*parse_integer("16"), 16);
    EXPECT_EQ(*parse_integer(" -3 "), -3);
    EXPECT_EQ(*parse_integer("007"), 7);
    EXPECT_EQ(*parse_integer("9223372036854775807"), kMax);
    EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    expect_refused(parse_integer, "9223372036854775808", {"\"9223372036854775808\"", "out of range"});
    expect_refused(parse_integer, "16KiB", {"\"16KiB\"", "whole number", "16"});
    expect_refused(parse_integer, "1.5", {"whole number"});
    EXPECT_DOUBLE_EQ(*parse_number("-0.125"), -0.125);
    EXPECT_DOUBLE_EQ(*parse_number("3"), 3.0);
    expect_refused(parse_number, "1e3", {"\"1e3\"", "not a number"});
}

TEST(Units, BooleansAreTakenInFourSpellings) {
    for (const std::string text : {"yes", "true", "on", "1", "YES", "True", " On "})
        EXPECT_TRUE(*parse_bool(text)) << text;
    for (const std::string text : {"no", "false", "off", "0", "NO", "False"})
        EXPECT_FALSE(*parse_bool(text)) << text;
    expect_refused(parse_bool, "y", {"\"y\"", "yes", "no"});
    expect_refused(parse_bool, "", {"\"\""});
    expect_refused(parse_bool, "2", {"\"2\""});
}

struct CommaPoint : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Units, ALocaleWithACommaChangesNothing) {
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
    std::setlocale(LC_ALL, "de_DE.UTF-8"); // the C library's too, where it is installed
    EXPECT_EQ(*parse_size("1.5KiB"), 1536);
    EXPECT_FALSE(parse_size("1,5KiB").ok());
    EXPECT_DOUBLE_EQ(*parse_number("0.5"), 0.5);
    EXPECT_EQ(binary_bytes(1536), "1.50 KiB");
    EXPECT_EQ(size_text(1'000'001), "1000001B");
    std::setlocale(LC_ALL, "C");
    std::locale::global(old);
}

TEST(Units, AMessageNeverRepeatsAHugeOrUnprintableText) {
    const auto result = parse_size(std::string(100'000, 'x') + "\x01\xff");
    ASSERT_FALSE(result.ok());
    EXPECT_LT(result.status().message().size(), 400u);
    EXPECT_TRUE(contains(parse_size("\x01\xff").status().message(), "\\x01\\xff"));
}

} // namespace
} // namespace assay
