#include "core/report/screen.hpp"

#include "core/report/screen_rows.hpp"

#include <algorithm>

namespace assay::report {
namespace {

// How many rows each section gets.
struct Plan {
    std::size_t jobs = 0;
    int job_rows = 1;
    int charts = 0; // of each job: rate, then p99
    int chart_rows = 1;
    std::size_t cores = 0;
    std::size_t devices = 0;
    std::size_t notices = 0;
    std::size_t finished = 0;
    bool title = false;
    bool progress = false;
    bool footer = false;
    bool gaps = false;
};

class Planner {
public:
    Planner(const LiveView& view, const ScreenRows& rows, int left)
        : view_(view), cores_(rows.cores().size()), left_(std::max(left, 0)) {}

    Plan plan() {
        essentials();
        const auto jobs = static_cast<int>(plan_.jobs);
        const bool all_jobs = jobs > 0 && plan_.jobs == view_.jobs.size();
        if (all_jobs && take(jobs)) plan_.job_rows = 2;
        grow(plan_.cores, cores_, 1);
        grow(plan_.devices, view_.host.devices.size(), 1);
        for (int chart = 0; chart < 2 && all_jobs && take(jobs); ++chart)
            plan_.charts = chart + 1;
        grow(plan_.cores, cores_, cores_);
        grow(plan_.devices, view_.host.devices.size(), 3);
        grow(plan_.notices, view_.notices.size(), 3);
        plan_.gaps = take(gap_rows());
        grow(plan_.finished, view_.finished.size(), 3);
        if (plan_.charts == 2) grow_charts(2 * jobs, 2);
        grow(plan_.notices, view_.notices.size(), 6);
        grow(plan_.devices, view_.host.devices.size(), 8);
        if (plan_.charts == 2) grow_charts(2 * jobs, 4);
        grow(plan_.notices, view_.notices.size(), view_.notices.size());
        grow(plan_.finished, view_.finished.size(), view_.finished.size());
        grow(plan_.devices, view_.host.devices.size(), view_.host.devices.size());
        return plan_;
    }

private:
    bool take(int rows) {
        if (left_ < rows) return false;
        left_ -= rows;
        return true;
    }

    void grow(std::size_t& rows, std::size_t wanted, std::size_t at_most) {
        while (rows < std::min(wanted, at_most) && take(1))
            ++rows;
    }

    void grow_charts(int rows_each, int at_most) {
        while (plan_.chart_rows < at_most && take(rows_each))
            ++plan_.chart_rows;
    }

    void essentials() {
        grow(plan_.jobs, view_.jobs.size(), 1);
        plan_.progress = take(1);
        grow(plan_.notices, view_.notices.size(), 1);
        plan_.footer = take(1);
        plan_.title = take(1);
        grow(plan_.jobs, view_.jobs.size(), view_.jobs.size());
    }

    // One above each section; the finished lines, which come later, bring their own.
    [[nodiscard]] int gap_rows() const {
        const int jobs = plan_.charts > 0 ? static_cast<int>(plan_.jobs) : std::min(static_cast<int>(plan_.jobs), 1);
        return jobs + (plan_.cores + plan_.devices > 0 ? 1 : 0) + (view_.finished.empty() ? 0 : 1) +
               (plan_.notices > 0 ? 1 : 0);
    }

    const LiveView& view_;
    const std::size_t cores_;
    int left_;
    Plan plan_;
};

class Sheet {
public:
    Sheet(bool gaps, std::size_t rows) : gaps_(gaps), rows_(rows) {}

    void gap() {
        if (gaps_ && !lines.empty()) lines.emplace_back();
    }
    void add(Line line) { lines.push_back(std::move(line)); }
    void add(std::vector<Line> more, std::size_t at_most) {
        for (std::size_t at = 0; at < std::min(more.size(), at_most); ++at)
            add(std::move(more[at]));
    }
    // The last line is at the bottom.
    void add_last(Line line) {
        while (lines.size() + 1 < rows_)
            lines.emplace_back();
        add(std::move(line));
    }

    std::vector<Line> lines;

private:
    const bool gaps_;
    const std::size_t rows_;
};

} // namespace

std::vector<Line> layout(const LiveView& view, int columns, int rows) {
    if (columns <= 0 || rows <= 0) return {};
    const ScreenRows make(view, columns);
    const Plan plan = Planner(view, make, rows).plan();
    Sheet sheet(plan.gaps, static_cast<std::size_t>(rows));
    if (plan.title) sheet.add(make.title());
    if (plan.progress) sheet.add(make.progress());
    for (std::size_t job = 0; job < plan.jobs; ++job) {
        if (job == 0 || plan.charts > 0) sheet.gap();
        if (job > 0 && job + 1 == plan.jobs && plan.jobs < view.jobs.size()) {
            const std::string hidden = std::to_string(view.jobs.size() - job);
            sheet.add(cut({{" " + hidden + " more jobs: the terminal has no room for them", Style::faint}}, columns));
            break;
        }
        sheet.add(make.job(job, plan.job_rows, plan.charts, plan.chart_rows), static_cast<std::size_t>(rows));
    }
    if (plan.cores + plan.devices > 0) sheet.gap();
    sheet.add(make.cores(), plan.cores);
    sheet.add(make.devices(), plan.devices);
    if (plan.finished > 0) sheet.gap();
    sheet.add(make.finished(plan.finished), plan.finished);
    if (plan.notices > 0) sheet.gap();
    sheet.add(make.notices(plan.notices), plan.notices);
    if (plan.footer) sheet.add_last(make.footer());
    return std::move(sheet.lines);
}

} // namespace assay::report
