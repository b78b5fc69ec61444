#include "core/context/facts.hpp"

#include "tests/lab/devices.hpp"

#include <gtest/gtest.h>

namespace assay::context {
namespace {

TEST(CpuList, ReadsRangesAndSingleCpus) {
    EXPECT_EQ(parse_cpu_list("0-3,8,10-11\n"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
}

TEST(CpuList, ReadsCpusPastWhatACpuSetHolds) {
    const std::vector<int> cpus = parse_cpu_list("0-2047");
    ASSERT_EQ(cpus.size(), 2048U);
    EXPECT_EQ(cpus.back(), 2047);
}

TEST(CpuList, LeavesOutWhatIsNoCpu) {
    EXPECT_EQ(parse_cpu_list("x,3-1,-4,5,,7-99999999999999999999"), (std::vector<int>{5}));
    EXPECT_TRUE(parse_cpu_list("").empty());
}

TEST(CpuList, WritesTheSameFormBack) {
    EXPECT_EQ(cpu_list_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
    EXPECT_EQ(cpu_list_text({}), "");
}

TEST(Printable, KeepsUtf8AndEscapesTheRest) {
    EXPECT_EQ(printable("disk \xc3\xa9\xe2\x82\xac"), "disk \xc3\xa9\xe2\x82\xac");
    EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
}

TEST(Printable, EscapesWhatRfc3629ForbidsEvenWhereItLooksLikeUtf8) {
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                   // overlong '/'
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // a surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); // past U+10FFFF
    EXPECT_EQ(printable("ab\xe2\x82"), "ab\\xe2\\x82");               // cut off
}

TEST(Printable, NeverExceedsItsLimitNorSplitsACharacter) {
    EXPECT_EQ(printable("abcdef", 3), "abc");
    EXPECT_EQ(printable("ab\xe2\x82\xac", 4), "ab");
    EXPECT_EQ(printable("ab\n", 5), "ab");
}

TEST(ReadText, TrimsAndCutsAtTheLimit) {
    const lab::TemporaryDirectory directory;
    lab::write_text(directory / "f", "  hello world \n");
    EXPECT_EQ(read_text(directory / "f"), "hello world");
    EXPECT_EQ(read_text(directory / "f", 7), "hello");
    EXPECT_EQ(read_text(directory / "missing"), std::nullopt);
    EXPECT_EQ(read_text(directory.path().string()), std::nullopt); // a directory
}

TEST(ReadInteger, RefusesWhatIsNotAWholeNumber) {
    const lab::TemporaryDirectory directory;
    lab::write_text(directory / "good", "-42\n");
    lab::write_text(directory / "words", "42 kB\n");
    lab::write_text(directory / "huge", "99999999999999999999\n");
    lab::write_text(directory / "empty", "");
    EXPECT_EQ(read_integer(directory / "good"), -42);
    EXPECT_EQ(read_integer(directory / "words"), std::nullopt);
    EXPECT_EQ(read_integer(directory / "huge"), std::nullopt);
    EXPECT_EQ(read_integer(directory / "empty"), std::nullopt);
}

TEST(FactList, LeavesOutAFactWhoseFileIsMissingOrWhoseScaledValueOverflows) {
    const lab::TemporaryDirectory directory;
    lab::write_text(directory / "kib", "8\n");
    lab::write_text(directory / "big", "9223372036854775807\n");
    Facts facts;
    facts.integer_file("a", directory / "kib", "B", 1024);
    facts.integer_file("b", directory / "big", "B", 1024);
    facts.integer_file("c", directory / "missing", "B");
    facts.text("d", "", "nowhere");
    const std::vector<result::Fact> list = facts.take();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].key, "a");
    EXPECT_EQ(std::get<std::int64_t>(list[0].value), 8192);
    EXPECT_EQ(list[0].unit, "B");
    EXPECT_EQ(list[0].source, directory / "kib");
}

} // namespace
} // namespace assay::context
