// A table that fits a width: label columns give way first (they become lines of their own), then the columns that may
// be left out. Text only; one thread.
#pragma once

#include "core/report/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

struct Column {
    std::string heading; // broken over lines at '_' and ' '
    Align align = Align::right;
    int leave_out = 0; // 0: never; else the smallest goes first when the table is too wide
};

struct Row {
    std::vector<std::string> cells; // labels, then the rest
    std::string_view mark;          // one character after each number, or empty; a literal
    std::vector<std::string> notes; // lines below the row
    bool continues = false;         // the row before has the same labels: they are not repeated
    std::string_view paint;         // escape sequence, or empty; a literal
};

struct Table {
    std::vector<Column> labels;
    std::vector<Column> columns;
    std::vector<Row> rows;
};

// Ends with a line break; every line but an over-long cell's fits `width`.
std::string render(const Table& table, int width);

} // namespace assay::report
