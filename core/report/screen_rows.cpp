#include "core/report/screen_rows.hpp"

#include "core/base/units.hpp"
#include "core/report/chart.hpp"
#include "core/report/progress.hpp"
#include "core/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::report {
namespace {

constexpr int label_width = 9; // " latency "
constexpr int rate_width = 10; // "1.24M IOPS", "3.10 GiB/s"

std::string clock_text(double seconds) {
    const auto all = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9));
    if (all < 3600) return fmt::format("{}:{:02}", all / 60, all % 60);
    return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string percent_text(double share) { return fmt::format("{:3.0f} %", std::clamp(share, 0.0, 1.0) * 100); }

std::string right(const std::string& text, int width) { return padded(text, width, Align::right); }

Line latency_field(const char* name, std::uint64_t ns) {
    return {{fmt::format("{} ", name), Style::faint}, {padded(duration_text(static_cast<double>(ns)), 7, Align::left)}};
}

bool setup(const JobProgress& job) { return job.kind == result::PhaseKind::setup; }

} // namespace

// Where the terminal knows ASCII only, one '?' a character that it cannot show.
std::string ScreenRows::shown(std::string_view text) const {
    std::string out = printable(text);
    if (view_.utf8) return out;
    std::string ascii;
    for (const char c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            ascii += c;
        else if (byte >= 0xc0)
            ascii += '?';
    }
    return ascii;
}

Line ScreenRows::labelled(const char* label, Line content) const {
    Line line{{padded(std::string(" ") + label, label_width, Align::left) + " ", Style::faint}};
    append(line, content);
    return cut(line, columns_);
}

// `marked_share` of the whole, at most `share`, is shown in the style of softirq.
Line ScreenRows::bar(double share, double marked_share, int width, Style style) const {
    const int full = bar_columns(share, width);
    const int marked = std::min(full, bar_columns(marked_share, width));
    return {{bar_text(full - marked, true, view_.utf8), style},
            {bar_text(marked, true, view_.utf8), Style::softirq},
            {bar_text(width - full, false, view_.utf8), Style::faint}};
}

Line ScreenRows::title() const {
    const SessionObserver::Position& position = view_.position;
    std::vector<Field> left{{{{"assay", Style::title}}, 1}};
    std::string what = shown(view_.plan);
    const std::string stage = shown(position.stage);
    if (!stage.empty() && stage != what) what += (what.empty() ? "" : view_.utf8 ? " › " : " > ") + stage;
    if (!what.empty()) left.push_back({{{what, Style::strong}}, 3});
    std::string parameters;
    for (const auto& [key, value] : position.parameters)
        parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", shown(key), shown(value));
    if (!parameters.empty()) left.push_back({{{parameters}}, 2});

    std::vector<Field> where;
    if (position.total_runs > 1)
        where.push_back({{{fmt::format("run {}/{}", position.done_runs + 1, position.total_runs)}}, 2});
    if (position.repeats > 1) where.push_back({{{fmt::format("repeat {}/{}", position.repeat, position.repeats)}}, 1});
    where.push_back({{{clock_text(view_.run_s), Style::strong}}, 3});

    const int room = columns_ - 2;
    const Line beside = row_of(where, std::max(room / 2, 0), 2);
    Line line{{" "}};
    append(line, spread(row_of(left, std::max(room - width_of(beside) - 2, room / 3), 2), beside, room));
    return cut(line, columns_);
}

// Of the job that takes longest.
Line ScreenRows::progress() const {
    const JobProgress* slowest = nullptr;
    JobProgress last;
    for (const JobProgress& reported : view_.jobs) {
        if (reported.finished) continue;
        const JobProgress job = advanced(reported, view_.age_s);
        const bool longer = slowest == nullptr || seconds_left(job).value_or(1e18) > seconds_left(last).value_or(1e18);
        if (!longer) continue;
        last = job;
        slowest = &last;
    }
    if (slowest == nullptr) {
        const bool starting = view_.jobs.empty();
        return labelled(starting ? "starting" : "judging", {});
    }
    const bool measured = last.kind == result::PhaseKind::measured;
    const char* state = view_.stopping ? "stopping"
                        : setup(last)  ? "preparing"
                        : last.warmup  ? "warm-up"
                        : measured     ? "measuring"
                                       : "cleanup";
    const std::optional<double> share = progress_share(last);
    const std::string elapsed = seconds_text(std::floor(last.elapsed_s));
    if (!share) return labelled(state, {{elapsed}});
    const std::optional<double> left = seconds_left(last);
    const Line percent{{fmt::format("{:3.0f} %", std::floor(*share * 100)), Style::strong}};
    Line left_text;
    if (left) left_text = {{right(seconds_text(std::ceil(*left)), 4) + " left"}};
    const int room = columns_ - label_width - 2;
    const Line numbers = row_of({{percent, 2}, {left_text, 1}}, room, 2);
    const int bar_width = room - width_of(numbers) - 2;
    if (bar_width < 5) return labelled(state, numbers);
    Line content = bar(*share, 0, bar_width, Style::rate);
    content.push_back({"  "});
    append(content, numbers);
    return labelled(state, content);
}

Line ScreenRows::footer() const {
    if (view_.stopping)
        return row_of({{{{" stopping", Style::strong}, {": waiting for what is in flight"}}, 2},
                       {{{"Ctrl-C ends at once", Style::faint}}, 1}},
                      columns_, 2);
    return row_of({{{{" q", Style::strong}, {" stop"}}, 2}, {{{"(results so far are kept)", Style::faint}}, 1}},
                  columns_, 2);
}

int ScreenRows::title_width() const {
    int width = label_width - 1;
    for (const JobProgress& job : view_.jobs)
        width = std::max(width, display_width(shown(job_title(job, view_.jobs.size() > 1))));
    return std::min(width, std::max(columns_ / 4, label_width - 1));
}

std::vector<Line> ScreenRows::job(std::size_t index, int rows, int charts, int chart_rows) const {
    const JobProgress& job = view_.jobs[index];
    std::vector<Line> lines;
    const std::string title = fit(shown(job_title(job, view_.jobs.size() > 1)), title_width());
    std::vector<Field> fields{{{{" " + padded(title, title_width(), Align::left), Style::strong}}, 9}};
    if (job.finished) {
        fields.push_back({{{"done", Style::faint}}, 8});
    } else {
        if (!setup(job))
            fields.push_back(
                {{{right(job.no_rate_yet ? "- IOPS" : count_text(job.operations_per_s) + " IOPS", rate_width),
                   Style::rate}},
                 8});
        if (job.bytes_per_s > 0)
            fields.push_back({{{right(binary_rate(job.bytes_per_s), rate_width), Style::rate}}, setup(job) ? 8 : 6});
        if (rows == 1 && job.p99_ns > 0) fields.push_back({latency_field("p99", job.p99_ns), 5});
        if (!setup(job) && job.in_flight > 0)
            fields.push_back({{{right(count_text(job.in_flight), 4)}, {" in flight", Style::faint}}, 3});
        if (job.warmup) fields.push_back({{{"warm-up", Style::softirq}}, 4});
    }
    if (job.errors > 0)
        fields.push_back({{{fmt::format("{} error{}", job.errors, job.errors == 1 ? "" : "s"), Style::invalid}}, 7});
    else if (!job.finished && !setup(job))
        fields.push_back({{{"no errors", Style::faint}}, 1});
    lines.push_back(row_of(std::move(fields), columns_, 2));

    if (rows > 1) {
        const bool known = !job.finished && job.p99_ns > 0;
        lines.push_back(labelled(job.open_loop ? "resp." : "latency",
                                 !known ? Line{{"-", Style::faint}}
                                        : row_of({{latency_field("p50", job.p50_ns), 2},
                                                  {latency_field("p99", job.p99_ns), 3},
                                                  {latency_field("p99.9", job.p999_ns), 1},
                                                  {latency_field("max", job.max_ns), 0}},
                                                 columns_ - label_width - 1, columns_ >= 70 ? 3 : 2)));
    }
    for (int at = 0; at < charts; ++at) {
        for (Line& line : chart_of(index, at == 1, chart_rows))
            lines.push_back(std::move(line));
    }
    return lines;
}

// The newest interval is at the right; intervals of the warm-up are faint.
std::vector<Line> ScreenRows::chart_of(std::size_t index, bool latency, int rows) const {
    constexpr int note_width = 11; // "max 1.20 ms"
    const bool noted = columns_ >= 50;
    const int width = std::max(columns_ - label_width - 2 - (noted ? note_width + 2 : 0), 1);
    static const std::deque<History::Interval> none;
    const auto& intervals = index < view_.histories.size() ? view_.histories[index].intervals() : none;
    const std::size_t count = std::min(intervals.size(), static_cast<std::size_t>(width));
    const bool bytes = setup(view_.jobs[index]);
    std::vector<double> values;
    std::size_t faint = 0;
    double top = 0;
    for (std::size_t at = intervals.size() - count; at < intervals.size(); ++at) {
        const History::Interval& interval = intervals[at];
        values.push_back(latency ? interval.p99_ns : bytes ? interval.bytes_per_s : interval.operations_per_s);
        top = std::max(top, values.back());
        faint += interval.warmup ? 1U : 0U;
    }
    const std::span<const double> all(values);
    const std::vector<std::string> cold = chart(all.first(faint), rows, top, view_.utf8);
    const std::vector<std::string> hot = chart(all.subspan(faint), rows, top, view_.utf8);
    const std::string blank(static_cast<std::size_t>(width) - count, ' ');
    std::string note = latency ? duration_text(top) : bytes ? binary_rate(top) : count_text(top);
    if (note_width >= display_width(note) + 4) note = "max " + note;
    std::vector<Line> lines;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        Line line{{blank}, {cold[row], Style::faint}, {hot[row], latency ? Style::latency : Style::rate}};
        if (noted && row == 0 && top > 0) line.push_back({"  " + note, Style::faint});
        lines.push_back(labelled(row > 0 ? "" : latency ? "p99" : "rate", line));
    }
    return lines;
}

Line ScreenRows::core(const HostGlance::Cpu& cpu, int number_width, int bar_width) const {
    Line line{{right(std::to_string(cpu.number), number_width) + " "}};
    append(line, bar(cpu.busy, cpu.softirq, bar_width, Style::load));
    line.push_back({" " + percent_text(cpu.busy)});
    const bool mostly = cpu.softirq > 0 && cpu.softirq * 2 > cpu.busy;
    line.push_back({mostly ? " softirq" : "        ", Style::softirq});
    return line;
}

std::vector<Line> ScreenRows::cores() const {
    std::vector<HostGlance::Cpu> cpus = view_.host.cpus;
    std::stable_sort(cpus.begin(), cpus.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
    if (cpus.size() > static_cast<std::size_t>(busiest_cores_max)) cpus.resize(busiest_cores_max);
    int number_width = 1;
    for (const HostGlance::Cpu& cpu : cpus)
        number_width = std::max(number_width, static_cast<int>(std::to_string(cpu.number).size()));
    const int room = columns_ - label_width - 1;
    const int fixed = number_width + 1 + 6 + 8; // all but the bar
    constexpr int gap = 2;
    const int count = std::max(static_cast<int>(cpus.size()), 1);
    const int most = std::clamp((room + gap) / (fixed + 10 + gap), 1, count);
    const int rows = (count + most - 1) / most;
    const int across = (count + rows - 1) / rows; // 2 + 2, not 3 + 1
    const int bar_width = std::clamp((room + gap) / across - gap - fixed, 3, 30);
    std::vector<Line> lines;
    for (std::size_t at = 0; at < cpus.size(); at += static_cast<std::size_t>(across)) {
        Line content;
        for (std::size_t cell = at; cell < std::min(cpus.size(), at + static_cast<std::size_t>(across)); ++cell) {
            if (!content.empty()) content.push_back({std::string(gap, ' ')});
            append(content, core(cpus[cell], number_width, bar_width));
        }
        lines.push_back(labelled(lines.empty() ? "cores" : "", content));
    }
    return lines;
}

std::vector<Line> ScreenRows::devices() const {
    std::vector<Line> lines;
    int name_width = 1;
    for (const HostGlance::Device& device : view_.host.devices)
        name_width = std::max(name_width, std::min(display_width(shown(device.name)), columns_ / 5));
    for (const HostGlance::Device& device : view_.host.devices) {
        Line busy{{"busy ", Style::faint}};
        if (columns_ >= 76) {
            append(busy, bar(device.busy, 0, std::clamp(columns_ - 68 - name_width, 3, 30), Style::load));
            busy.push_back({" "});
        }
        busy.push_back({percent_text(device.busy)});
        lines.push_back(labelled(
            lines.empty() ? "devices" : "",
            row_of({{{{padded(fit(shown(device.name), name_width), name_width, Align::left)}}, 4},
                    {{{"read ", Style::faint}, {right(binary_rate(device.read_bytes_per_s), rate_width)}}, 2},
                    {{{"write ", Style::faint}, {right(binary_rate(device.written_bytes_per_s), rate_width)}}, 1},
                    {busy, 3}},
                   columns_ - label_width - 1, columns_ >= 70 ? 3 : 2)));
    }
    return lines;
}

std::vector<Line> ScreenRows::finished(std::size_t rows) const {
    std::vector<Line> lines;
    const std::vector<std::string>& all = view_.finished;
    for (std::size_t at = all.size() - std::min(rows, all.size()); at < all.size(); ++at)
        lines.push_back(labelled(lines.empty() ? "finished" : "", {{shown(all[at])}}));
    return lines;
}

std::vector<Line> ScreenRows::notices(std::size_t rows) const {
    std::vector<Line> lines;
    const std::vector<Notice>& all = view_.notices;
    for (std::size_t at = all.size() - std::min(rows, all.size()); at < all.size(); ++at) {
        const Notice& notice = all[at];
        Line line{{" "}};
        if (!notice.label.empty()) {
            const Style style = notice.level == result::Level::invalid   ? Style::invalid
                                : notice.level == result::Level::suspect ? Style::suspect
                                                                         : Style::plain;
            line.push_back({shown(notice.label), style});
            line.push_back({notice.times > 1 ? fmt::format(" ({}x): ", notice.times) : ": "});
        }
        line.push_back({shown(notice.text)});
        lines.push_back(cut(line, columns_));
    }
    return lines;
}

} // namespace assay::report
