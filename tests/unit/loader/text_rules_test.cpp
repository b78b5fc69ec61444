#include "core/loader/text_rules.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

bool good_text(const std::string& text, bool lines = false) {
    return check_text("it", text.c_str(), {64, false, lines}).ok();
}

TEST(TextRules, NullAndTooLongAndEmptyAreRefusedByName) {
    EXPECT_EQ(check_text("the help", nullptr, {8, false, false}).message(), "the help is a null pointer");
    EXPECT_EQ(check_text("the help", "123456789", {8, false, false}).message(), "the help is longer than 8 bytes");
    EXPECT_TRUE(check_text("the help", "12345678", {8, false, false}).ok());
    EXPECT_EQ(check_text("the help", "", {8, true, false}).message(), "the help is empty");
    EXPECT_TRUE(check_text("the help", "", {8, false, false}).ok());
}

// The boundaries of RFC 3629's table.
TEST(TextRules, AcceptsUtf8AndNothingElse) {
    for (const char* text : {"plain", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                             "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "10 \xc2\xb5s"})
        EXPECT_TRUE(good_text(text)) << text;
    for (const char* text : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe2\x82",
                             "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
        EXPECT_FALSE(good_text(text));
}

TEST(TextRules, RefusesWhatCouldRewriteATerminal) {
    EXPECT_EQ(check_text("the summary", "red \x1b[31m", {64, false, false}).message(),
              "the summary has a control character at byte 4: \"red \\x1b[31m\"");
    EXPECT_FALSE(good_text("\x7f"));
    EXPECT_FALSE(
        good_text("\xc2\x9b"
                  "31m"))
        << "the eight-bit form of ESC [";
    EXPECT_FALSE(good_text("a\rb", true));
    EXPECT_FALSE(good_text("a\nb"));
    EXPECT_TRUE(good_text("a\nb", true));
}

TEST(TextRules, ANameIsALowerCaseWord) {
    for (const char* name : {"block", "b", "io_uring", "s3-get", "a1"})
        EXPECT_TRUE(check_name("it", name).ok()) << name;
    for (const char* name : {"", "Block", "1a", "-a", "_a", "a b", "a.b", "a/b",
                             "bl\xc3\xb6"
                             "ck",
                             "--help"})
        EXPECT_FALSE(check_name("it", name).ok()) << name;
    EXPECT_TRUE(check_name("it", std::string(64, 'a').c_str()).ok());
    EXPECT_FALSE(check_name("it", std::string(65, 'a').c_str()).ok());
}

TEST(TextRules, AnIdIsReverseDns) {
    for (const char* id : {"org.assay.block", "com.Example.my-disk_2"})
        EXPECT_TRUE(check_id("it", id).ok()) << id;
    for (const char* id : {"", "block", ".org.x", "org.x.", "org..x", "org.x y", "org/x", "."})
        EXPECT_FALSE(check_id("it", id).ok()) << id;
}

} // namespace
} // namespace assay
