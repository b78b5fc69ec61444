#include "core/report/table.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

Table small_table() {
    Table table;
    table.labels = {{"queue_depth"}};
    table.columns = {{"operation", Align::left}, {"IOPS"}, {"p99.9", Align::right, 1}, {"max", Align::right, 2}};
    table.rows = {{{"1", "read", "82.0k", "48.4 us", "484 us"}, "", {}, false, ""},
                  {{"32", "read", "1.23M", "104 us", "1.04 ms"}, "!", {"errors: 2"}, false, ""}};
    return table;
}

TEST(ReportTable, AlignsColumnsAndMarksNumbersInTheGap) {
    EXPECT_EQ(render(small_table(), 100),
              "queue\n"
              "depth  operation   IOPS    p99.9      max\n"
              "    1  read       82.0k  48.4 us   484 us\n"
              "   32  read       1.23M!  104 us! 1.04 ms!\n"
              "  errors: 2\n");
}

TEST(ReportTable, LabelsBecomeLinesOfTheirOwnWhereTheTableIsTooWide) {
    // Beside: 5 + 9 + 5 + 7 + 7 and four gaps of 2 and the last mark: 42 columns.
    EXPECT_EQ(render(small_table(), 42).substr(0, 6), "queue\n");
    EXPECT_EQ(render(small_table(), 41),
              "  operation   IOPS    p99.9      max\n"
              "queue_depth 1\n"
              "  read       82.0k  48.4 us   484 us\n"
              "queue_depth 32\n"
              "  read       1.23M!  104 us! 1.04 ms!\n"
              "    errors: 2\n");
}

TEST(ReportTable, LeavesColumnsOutInTheirOrderWhereThatIsNotEnough) {
    const std::string without_one = render(small_table(), 30);
    EXPECT_EQ(without_one.find("p99.9"), std::string::npos);
    EXPECT_NE(without_one.find("max"), std::string::npos);
    const std::string without_both = render(small_table(), 22);
    EXPECT_EQ(without_both.find("max"), std::string::npos);
    EXPECT_NE(without_both.find("1.23M!"), std::string::npos);
}

TEST(ReportTable, ARowThatContinuesDoesNotRepeatItsLabels) {
    Table table = small_table();
    table.rows[1].cells[0] = "1";
    table.rows[1].continues = true;
    EXPECT_NE(render(table, 100).find("\n       read       1.23M!"), std::string::npos);
    const std::string narrow = render(table, 41);
    EXPECT_EQ(narrow.find("queue_depth 1"), narrow.rfind("queue_depth 1"));
}

TEST(ReportTable, TextIsNeverMarkedAsANumber) {
    Table table = small_table();
    table.rows[1].cells = {"32", "read", "-", "", "1 ms"};
    EXPECT_NE(render(table, 100).find("   32  read           -             1 ms!\n"), std::string::npos)
        << render(table, 100);
}

TEST(ReportTable, PaintsWholeLinesWithoutMovingThem) {
    Table table = small_table();
    const std::string plain = render(table, 100);
    table.rows[0].paint = "\033[1m";
    std::string painted = render(table, 100);
    const std::size_t start = painted.find("\033[1m");
    ASSERT_NE(start, std::string::npos);
    painted.erase(start, 4);
    const std::size_t end = painted.find("\033[0m\n");
    ASSERT_NE(end, std::string::npos);
    painted.erase(end, 4);
    EXPECT_EQ(painted, plain);
}

} // namespace
} // namespace assay::report
