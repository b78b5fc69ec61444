#include "core/base/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

TEST(Text, TrimTakesBlanksFromBothEndsOnly) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim("   "), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitKeepsEmptyPieces) {
    EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
    EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
    EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

TEST(Text, LowerTouchesAsciiLettersOnly) { EXPECT_EQ(lower("AbZ[\xC3\x84"), "abz[\xC3\x84"); }

TEST(Text, QuotedEscapesWhatATerminalShouldNotGet) {
    EXPECT_EQ(in_quotes("4KiB"), "\"4KiB\"");
    EXPECT_EQ(in_quotes("a\"b\\"), "\"a\\\"b\\\\\"");
    EXPECT_EQ(in_quotes("\x1b[31m\n\xff"), "\"\\x1b[31m\\n\\xff\"");
    EXPECT_EQ(in_quotes("\xC3\xA4"), "\"\xC3\xA4\"");
    EXPECT_LT(in_quotes(std::string(1'000'000, 'x')).size(), 100u);
}

TEST(Text, Utf8IsCheckedAsTheStandardSays) {
    for (const std::string good : {"", "abc", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_utf8(good)) << in_quotes(good);
    }
    for (const std::string bad :
         {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF\xFE", "\xE2\x82", "a\xC3(", "\xF0\x9F\x98"}) {
        EXPECT_FALSE(is_utf8(bad)) << in_quotes(bad);
    }
    EXPECT_FALSE(is_utf8(std::string("a\0b", 3)));
    EXPECT_EQ(utf8_prefix("\xC3\xA4x\xFFy"), 3u);
    EXPECT_EQ(utf8_prefix("ab\xE2\x82"), 2u);
    EXPECT_EQ(utf8_characters("\xC3\xA4x\xE2\x82\xAC"), 3u);
}

TEST(Text, TheClosestMatchIsTheOneWithFewestEdits) {
    const std::vector<std::string> keys = {"block_size", "queue_depth", "engine", "pattern", "direct"};
    EXPECT_EQ(closest_match("blok_size", keys), "block_size");
    EXPECT_EQ(closest_match("block-size", keys), "block_size");
    EXPECT_EQ(closest_match("BlockSize", keys), "block_size");
    EXPECT_EQ(closest_match("engnie", keys), "engine") << "a swap is one edit";
    EXPECT_EQ(closest_match("depth", keys), std::nullopt) << "six edits are not a slip";
    EXPECT_EQ(closest_match("", keys), std::nullopt);
    EXPECT_EQ(closest_match(std::string(1'000'000, 'a'), keys), std::nullopt);
    EXPECT_EQ(closest_match("engine", {}), std::nullopt);
    EXPECT_EQ(did_you_mean("engin", keys), "; did you mean engine?");
    EXPECT_EQ(did_you_mean("xyzzy", keys), "");
}

} // namespace
} // namespace assay
