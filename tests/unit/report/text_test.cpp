#include "core/report/text.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

TEST(ReportText, ControlSequencesOfANameDoNotReachTheTerminal) {
    EXPECT_EQ(printable("a\033[31mb\r\n\tc\x7f"), "a?[31mb???c?");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
    // U+009B is a one-character control sequence introducer; U+202E turns the reading direction round.
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m\xe2\x80\xae"
                        "x"),
              "?31m?x");
}

TEST(ReportText, BytesThatAreNotUtf8AreReplacedOneByOne) {
    EXPECT_EQ(printable("\xff"
                        "a\x80\xc3"),
              "?a??");
    EXPECT_EQ(printable("\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80"),
              "????????????"); // overlong, surrogate, beyond
}

TEST(ReportText, ValidUtf8IsKept) {
    const std::string text =
        "gr\xc3\xb6\xc3\x9f"
        "e \xe2\x82\xac \xe6\x97\xa5 \xf0\x9f\x98\x80";
    EXPECT_EQ(printable(text), text);
}

TEST(ReportText, WidthCountsColumnsNotBytes) {
    EXPECT_EQ(display_width("abc"), 3);
    EXPECT_EQ(display_width("\xc3\xb6\xc3\x9f"), 2);         // o with dots, sharp s
    EXPECT_EQ(display_width("\xe6\x97\xa5\xe6\x9c\xac"), 4); // two ideographs
    EXPECT_EQ(display_width("o\xcc\x88"), 1);                // o and a combining diaeresis
    EXPECT_EQ(display_width("\xf0\x9f\x98\x80"), 2);
}

TEST(ReportText, FitsWithinTheWidthAndShowsThatSomethingIsMissing) {
    EXPECT_EQ(fit("abcdef", 6), "abcdef");
    EXPECT_EQ(fit("abcdefg", 6), "abc...");
    EXPECT_EQ(fit("\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 4), "\xc3\xb6...");
    EXPECT_EQ(fit("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5), "\xe6\x97\xa5..."); // 6 columns; 2 + 3 fit
    EXPECT_EQ(fit("abcdef", 2), "..");
    EXPECT_EQ(fit("abcdef", 0), "");
}

TEST(ReportText, PadsToColumns) {
    EXPECT_EQ(padded("\xc3\xb6", 3, Align::right), "  \xc3\xb6");
    EXPECT_EQ(padded("ab", 4, Align::left), "ab  ");
    EXPECT_EQ(padded("abcde", 3, Align::left), "abcde");
}

TEST(ReportText, WrapsAtSpacesWithAHangingIndent) {
    EXPECT_EQ(wrapped("one two three four", 9, 2), (std::vector<std::string>{"one two", "  three", "  four"}));
    EXPECT_EQ(wrapped("a incomprehensible b", 6, 0), (std::vector<std::string>{"a", "incomprehensible", "b"}));
    EXPECT_TRUE(wrapped("", 10, 0).empty());
}

} // namespace
} // namespace assay::report
