#include "plugins/host/scan.hpp"
#include "plugins/host/kernel_file.hpp"
#include "plugins/host/labels.hpp"
#include "plugins/host/source.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace assay::host {
namespace {

TEST(Scan, ReadsTheLargestNumberAndRefusesOneThatNeeds65Bits) {
    std::uint64_t value = 0;
    EXPECT_TRUE(Scan("18446744073709551615").number(value));
    EXPECT_EQ(value, 18446744073709551615u);
    EXPECT_TRUE(Scan("00000000000000000000000000000000000000042").number(value));
    EXPECT_EQ(value, 42u);
    EXPECT_FALSE(Scan("18446744073709551616").number(value));
    EXPECT_FALSE(Scan("99999999999999999999").number(value));
    Scan after("123456789012345678901234567890 7");
    EXPECT_FALSE(after.number(value));
    EXPECT_TRUE(after.number(value));
    EXPECT_EQ(value, 7u);
}

TEST(Scan, AFieldIsAWholeColumn) {
    Scan scan("12 x 3y -4 5");
    std::uint64_t value = 0;
    EXPECT_TRUE(scan.field(value));
    EXPECT_EQ(value, 12u);
    EXPECT_FALSE(scan.field(value)); // x
    EXPECT_FALSE(scan.field(value)); // 3y
    EXPECT_FALSE(scan.field(value)); // -4
    EXPECT_TRUE(scan.field(value));
    EXPECT_EQ(value, 5u);
    EXPECT_FALSE(scan.field(value));
}

TEST(Scan, LinesEndWithTheTextAlsoWithoutANewline) {
    Scan scan("a\n\nb");
    std::string_view line;
    ASSERT_TRUE(scan.line(line));
    EXPECT_EQ(line, "a");
    ASSERT_TRUE(scan.line(line));
    EXPECT_EQ(line, "");
    ASSERT_TRUE(scan.line(line));
    EXPECT_EQ(line, "b");
    EXPECT_FALSE(scan.line(line));
    EXPECT_FALSE(Scan("").line(line));
}

TEST(Labels, WhatWouldBreakTheFormIsEscapedSoThatNamesStayDifferent) {
    EXPECT_EQ(labels({{"cpu", "3"}, {"device", ""}, {"kind", "NET_RX"}}), "cpu=3,kind=NET_RX");
    EXPECT_EQ(labels({{"mount", "/a,b=c d%"}}), "mount=/a%2Cb%3Dc d%25");
    EXPECT_EQ(labels({{"thread", std::string_view("a\nb\0\x7f\xc3\xa4", 7)}}), "thread=a%0Ab%00%7F%C3%A4");
}

TEST(Labels, MountTablesEscapeBlanksInOctal) {
    EXPECT_EQ(without_octal_escapes("/mnt/a\\040b\\134c"), "/mnt/a b\\c");
    EXPECT_EQ(without_octal_escapes("/mnt/a\\04"), "/mnt/a\\04");
    EXPECT_EQ(without_octal_escapes("\\777\\189"), "\\777\\189");
}

TEST(KernelFile, IsReadFromItsStartEachTimeAndFollowsWhatChanges) {
    const OwnRoots own;
    own.write("proc/x", "first");
    Buffer buffer;
    KernelFile file(own.path("proc/x"));
    EXPECT_EQ(file.read(buffer), "first");
    own.write("proc/x", "2nd");
    EXPECT_EQ(file.read(buffer), "2nd");
}

TEST(KernelFile, OneThatAppearsLaterIsReadThen) {
    const OwnRoots own;
    Buffer buffer;
    KernelFile file(own.path("proc/x"));
    EXPECT_EQ(file.read(buffer), std::nullopt);
    own.write("proc/x", "here");
    EXPECT_EQ(file.read(buffer), "here");
}

TEST(KernelFile, MoreThanTheBoundIsCutAfterItsLastWholeLine) {
    const OwnRoots own;
    const std::string line = std::string(999, 'x') + "\n";
    std::string text;
    while (text.size() <= file_bytes_max + 5000)
        text += line;
    own.write("proc/x", text);
    Buffer buffer;
    const auto got = KernelFile(own.path("proc/x")).read(buffer);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->size(), file_bytes_max / 1000 * 1000); // 4194304 holds 4194 lines of 1000 bytes
    own.write("proc/x", std::string(file_bytes_max + 1, 'x'));
    EXPECT_EQ(KernelFile(own.path("proc/x")).read(buffer), "");
}

TEST(KernelFile, AnEndlessFileIsCutAndADirectoryIsNotRead) {
    Buffer buffer;
    EXPECT_EQ(KernelFile("/dev/zero").read(buffer), "");
    EXPECT_EQ(KernelFile("/proc").read(buffer), std::nullopt);
}

TEST(NameOrder, FindsNamesInOrderOutOfOrderAndTwice) {
    NameOrder names;
    for (const char* name : {"a", "b", "a", "c"})
        names.add(name);
    EXPECT_EQ(names.find("a"), 0u);
    EXPECT_EQ(names.find("b"), 1u);
    EXPECT_EQ(names.find("a"), 2u); // the second of the same name, in its place
    EXPECT_EQ(names.find("c"), 3u);
    names.rewind();
    EXPECT_EQ(names.find("c"), 3u);
    EXPECT_EQ(names.find("x"), npos);
    EXPECT_EQ(names.find("b"), 1u);
    EXPECT_EQ(NameOrder().find("a"), npos);
}

TEST(NameOrder, GivesEachOfTheSameNameOnceAPass) {
    NameOrder names;
    for (const char* name : {"a", "b", "a"})
        names.add(name);
    for (int pass = 0; pass < 3; ++pass) {
        names.rewind();
        EXPECT_EQ(names.take("a"), 0u);
        EXPECT_EQ(names.take("a"), 2u);
        EXPECT_EQ(names.take("a"), npos);
        EXPECT_EQ(names.take("b"), 1u);
        EXPECT_EQ(names.take("b"), npos);
    }
}

} // namespace
} // namespace assay::host
