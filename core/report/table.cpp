#include "core/report/table.hpp"

#include "core/report/paint.hpp"

#include <algorithm>
#include <numeric>

namespace assay::report {
namespace {

constexpr int gap = 2; // its first column takes the mark of the cell before

// "queue_depth" -> "queue", "depth".
std::vector<std::string> heading_lines(const std::string& heading) {
    std::vector<std::string> lines(1);
    for (const char c : heading) {
        if (c == '_' || c == ' ')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    return lines;
}

class Layout {
public:
    // With labels as columns, or as lines of their own.
    Layout(const Table& table, bool labels_apart) : table_(table), labels_apart_(labels_apart) {
        if (!labels_apart)
            for (std::size_t at = 0; at < table.labels.size(); ++at)
                add(table.labels[at], at);
        for (std::size_t at = 0; at < table.columns.size(); ++at)
            add(table.columns[at], table.labels.size() + at);
    }

    [[nodiscard]] int width() const {
        int sum = indent();
        for (const Shown& column : shown_)
            sum += column.width + gap;
        return sum - gap + 1; // the last column's mark
    }
    // False if every column has to stay.
    bool leave_one_out() {
        auto victim = shown_.end();
        for (auto at = shown_.begin(); at != shown_.end(); ++at) {
            if (at->column->leave_out == 0) continue;
            if (victim == shown_.end() || at->column->leave_out < victim->column->leave_out) victim = at;
        }
        if (victim == shown_.end()) return false;
        shown_.erase(victim);
        return true;
    }
    [[nodiscard]] std::string text(int width) const {
        std::string out = headings();
        std::vector<std::string> labels;
        for (const Row& row : table_.rows) {
            if (labels_apart_ && !row.continues) {
                const std::vector<std::string> here(
                    row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(table_.labels.size()));
                if (here != labels) out += label_line(here, width);
                labels = here;
            }
            out += line(row);
            for (const std::string& note : row.notes)
                for (const std::string& part : wrapped(note, width - indent() - 4, 2))
                    out += std::string(static_cast<std::size_t>(indent() + 2), ' ') + part + "\n";
        }
        return out;
    }

private:
    struct Shown {
        const Column* column;
        std::size_t cell;
        int width;
    };

    [[nodiscard]] int indent() const { return labels_apart_ ? 2 : 0; }

    void add(const Column& column, std::size_t cell) {
        int width = 0;
        for (const std::string& heading : heading_lines(column.heading))
            width = std::max(width, display_width(heading));
        for (const Row& row : table_.rows)
            width = std::max(width, display_width(row.cells[cell]));
        shown_.push_back({&column, cell, width});
    }

    [[nodiscard]] std::string headings() const {
        std::size_t height = 1;
        for (const Shown& shown : shown_)
            height = std::max(height, heading_lines(shown.column->heading).size());
        std::string out;
        for (std::size_t at = 0; at < height; ++at) {
            std::string line(static_cast<std::size_t>(indent()), ' ');
            for (const Shown& shown : shown_) {
                const std::vector<std::string> parts = heading_lines(shown.column->heading);
                const std::size_t above = height - parts.size(); // headings stand on the table
                line += padded(at < above ? "" : parts[at - above], shown.width, shown.column->align);
                line += std::string(gap, ' ');
            }
            out += trimmed(line) + "\n";
        }
        return out;
    }

    [[nodiscard]] std::string line(const Row& row) const {
        std::string out(static_cast<std::size_t>(indent()), ' ');
        for (const Shown& shown : shown_) {
            const bool hidden = row.continues && shown.cell < table_.labels.size();
            const std::string cell = hidden ? "" : row.cells[shown.cell];
            const bool marked = !row.mark.empty() && shown.column->align == Align::right && is_number(cell) &&
                                shown.cell >= table_.labels.size();
            out += padded(cell, shown.width, shown.column->align) + std::string(marked ? row.mark : " ") +
                   std::string(gap - 1, ' ');
        }
        out = trimmed(out);
        if (!row.paint.empty()) out = std::string(row.paint).append(out).append(paint_end);
        return out + "\n";
    }

    [[nodiscard]] std::string label_line(const std::vector<std::string>& labels, int width) const {
        std::string out;
        for (std::size_t at = 0; at < labels.size(); ++at) {
            if (labels[at].empty()) continue;
            out.append(out.empty() ? "" : ", ").append(table_.labels[at].heading).append(" ").append(labels[at]);
        }
        return out.empty() ? out : fit(out, width) + "\n";
    }

    static bool is_number(const std::string& cell) { return !cell.empty() && cell[0] >= '0' && cell[0] <= '9'; }
    static std::string trimmed(std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        return line;
    }

    const Table& table_;
    bool labels_apart_;
    std::vector<Shown> shown_;
};

} // namespace

std::string render(const Table& table, int width) {
    Layout beside(table, false);
    if (beside.width() <= width) return beside.text(width);
    Layout apart(table, !table.labels.empty());
    while (apart.width() > width && apart.leave_one_out()) {
    }
    return apart.text(width);
}

} // namespace assay::report
