#include "core/report/rows.hpp"

#include "core/base/units.hpp"
#include "core/report/numbers.hpp"
#include "core/report/paint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace assay::report {
namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double gib = mib * 1024.0;

std::string scaled(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

class TableBuilder {
public:
    TableBuilder(const result::Stage& stage, bool colour, Marks& marks)
        : stage_(stage), colour_(colour), marks_(marks) {
        choose_unit();
        choose_labels();
        const bool in_gib = unit_ == gib;
        table_.columns = {{"operation", Align::left},
                          {"IOPS"},
                          {in_gib ? "GiB/s" : "MiB/s"},
                          {in_gib ? "GB/s" : "MB/s"},
                          {"mean"},
                          {"p50", Align::right, 2},
                          {"p99"},
                          {"p99.9", Align::right, 1},
                          {"max"},
                          {"in flight"}};
        if (!open_loop_) return;
        for (const char* column : {"response p50", "response p99", "response max"})
            table_.columns.push_back({column});
    }

    Table build() && {
        for (const result::Point& point : stage_.points)
            add(point);
        return std::move(table_);
    }

private:
    // One unit for the whole column, so that rows can be compared at a glance. Response times only where there are any.
    void choose_unit() {
        double slowest = 0;
        for_each_operation([&](const Numbers& numbers) {
            open_loop_ = open_loop_ || numbers.response_p50_ns;
            if (!numbers.bytes_per_s || *numbers.bytes_per_s <= 0) return;
            slowest = slowest == 0 ? *numbers.bytes_per_s : std::min(slowest, *numbers.bytes_per_s);
        });
        unit_ = slowest >= 0.1 * gib ? gib : mib;
    }
    void for_each_operation(const std::function<void(const Numbers&)>& visit) const {
        for (const result::Point& point : stage_.points)
            for (const result::Repeat& repeat : point.repeats)
                for (const result::Job& job : repeat.jobs)
                    for (const result::Phase& phase : job.phases) {
                        if (phase.kind != result::PhaseKind::measured) continue;
                        for (std::size_t at = 0; at < phase.operations.size(); ++at)
                            if (shown(phase.operations[at])) visit(numbers_of(phase, at));
                    }
    }
    void choose_labels() {
        for (const result::Point& point : stage_.points) {
            for (const auto& [key, value] : point.parameters) {
                if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
            }
            for (const result::Repeat& repeat : point.repeats)
                several_jobs_ = several_jobs_ || repeat.jobs.size() > 1;
        }
        for (const std::string& key : keys_)
            table_.labels.push_back({printable(key), Align::right});
        if (several_jobs_) table_.labels.push_back({"job", Align::left});
    }
    [[nodiscard]] std::vector<std::string> labels(const result::Point& point, const result::Job& job) const {
        std::vector<std::string> cells;
        for (const std::string& key : keys_) {
            const auto found = std::find_if(point.parameters.begin(), point.parameters.end(),
                                            [&](const auto& parameter) { return parameter.first == key; });
            cells.push_back(found == point.parameters.end() ? "" : printable(found->second));
        }
        if (several_jobs_) cells.push_back(printable(job.name));
        return cells;
    }

    void add(const result::Point& point) {
        // By job and phase, in the order of the first repeat that has them.
        std::vector<std::pair<std::string, std::vector<Measured>>> groups;
        for (std::size_t at = 0; at < point.repeats.size(); ++at) {
            for (const result::Job& job : point.repeats[at].jobs) {
                bool measured = false;
                for (const result::Phase& phase : job.phases) {
                    if (phase.kind != result::PhaseKind::measured) continue;
                    measured = true;
                    group(groups, job.name + "\n" + phase.name).push_back({at + 1, &job, &phase, &point.repeats[at]});
                }
                if (!measured) add_unmeasured(point, job, at + 1);
            }
        }
        for (auto& [name, repeats] : groups)
            add(point, repeats);
    }
    static std::vector<Measured>& group(std::vector<std::pair<std::string, std::vector<Measured>>>& groups,
                                        const std::string& name) {
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const auto& candidate) { return candidate.first == name; });
        if (found != groups.end()) return found->second;
        return groups.emplace_back(name, std::vector<Measured>{}).second;
    }

    void add_unmeasured(const result::Point& point, const result::Job& job, std::size_t repeat) {
        Row row;
        row.cells = labels(point, job);
        row.cells.push_back("nothing measured");
        row.cells.resize(table_.labels.size() + table_.columns.size());
        const std::string where = point.repeats.size() > 1 ? fmt::format("repeat {}: ", repeat) : "";
        if (!job.failure.empty()) row.notes.push_back(fmt::format("{}failed: {}", where, printable(job.failure)));
        table_.rows.push_back(std::move(row));
    }

    void add(const result::Point& point, std::vector<Measured>& repeats) {
        const Measured median = median_of(repeats);
        const result::Phase& phase = *median.phase;
        const std::size_t before = table_.rows.size();
        const auto operations =
            static_cast<std::size_t>(std::count_if(phase.operations.begin(), phase.operations.end(), shown));
        for (std::size_t at = 0; at < phase.operations.size(); ++at) {
            if (shown(phase.operations[at])) add(point, median, repeats, at, operations > 1);
        }
        if (table_.rows.size() == before) {
            Row row;
            row.cells = labels(point, *median.job);
            row.cells.push_back(printable(phase.name) + ": none completed");
            row.cells.resize(table_.labels.size() + table_.columns.size());
            table_.rows.push_back(std::move(row));
        }
        add_notes(median, repeats);
    }

    void add(const result::Point& point, const Measured& median, const std::vector<Measured>& repeats, std::size_t at,
             bool several_operations) {
        const result::Operation& operation = median.phase->operations[at];
        result::Level level = result::Level::pass;
        std::vector<Numbers> all;
        for (const Measured& repeat : repeats) {
            level =
                std::max(level, level_of(repeat.of->verdicts, repeat.job->name, repeat.phase->name, operation.name));
            if (at < repeat.phase->operations.size()) all.push_back(numbers_of(*repeat.phase, at));
        }
        std::string name = printable(median.phase->name);
        if (several_operations && operation.name != median.phase->name)
            name += fmt::format(" {}", printable(operation.name));
        marks_.invalid = marks_.invalid || level == result::Level::invalid;
        marks_.suspect = marks_.suspect || level == result::Level::suspect;
        push(labels(point, *median.job), name, numbers_of(*median.phase, at), level);
        if (all.size() < 2) return;
        push(labels(point, *median.job), "  min", least_of(all), level, true);
        push(labels(point, *median.job), "  max", most_of(all), level, true);
    }

    void push(std::vector<std::string> cells, const std::string& name, const Numbers& numbers, result::Level level,
              bool continues = false) {
        const auto time = [](const std::optional<double>& ns) { return ns ? duration_text(*ns) : "-"; };
        const auto rate = [&](double unit) { return numbers.bytes_per_s ? scaled(*numbers.bytes_per_s / unit) : "-"; };
        cells.push_back(name);
        cells.push_back(count_text(numbers.iops));
        cells.push_back(rate(unit_));
        cells.push_back(rate(unit_ == gib ? 1e9 : 1e6));
        for (const std::optional<double>& ns :
             {numbers.mean_ns, numbers.p50_ns, numbers.p99_ns, numbers.p999_ns, numbers.max_ns})
            cells.push_back(time(ns));
        cells.push_back(numbers.in_flight ? count_text(*numbers.in_flight) : "-");
        if (open_loop_) {
            for (const std::optional<double>& ns :
                 {numbers.response_p50_ns, numbers.response_p99_ns, numbers.response_max_ns})
                cells.push_back(time(ns));
        }
        Row row;
        row.cells = std::move(cells);
        row.mark = mark_of(level);
        row.continues = continues;
        if (colour_) row.paint = paint_of(level);
        table_.rows.push_back(std::move(row));
    }

    // Below the phase's last row: how it ended, where that was not simply its time, and what failed.
    void add_notes(const Measured& median, std::vector<Measured>& repeats) {
        std::stable_sort(repeats.begin(), repeats.end(),
                         [](const Measured& a, const Measured& b) { return a.repeat < b.repeat; });
        std::vector<std::string>& notes = table_.rows.back().notes;
        if (median.phase->end == result::PhaseEnd::work && !median.job->cut_short)
            notes.push_back(work_text(*median.phase));
        if (median.phase->arrival) notes.push_back(arrival_text(*median.phase->arrival));
        for (const Measured& measured : repeats) {
            const std::string where = repeats.size() > 1 ? fmt::format("repeat {}: ", measured.repeat) : "";
            const std::string after = duration_text(measured.phase->window_s() * 1e9);
            const std::string errors = errors_text(*measured.phase);
            if (!errors.empty()) notes.push_back(where + "errors: " + errors);
            if (!measured.job->failure.empty())
                notes.push_back(fmt::format("{}failed after {}: {}", where, after, printable(measured.job->failure)));
            else if (measured.phase->end == result::PhaseEnd::hung)
                notes.push_back(fmt::format("{}did not stop; the numbers are of the {} before", where, after));
            else if (measured.job->cut_short || measured.phase->end == result::PhaseEnd::stopped)
                notes.push_back(fmt::format("{}cut short after {}", where, after));
        }
    }

    static std::string arrival_text(const result::Arrival& arrival) {
        std::string text = fmt::format("open loop: {} starts/s offered, {}", count_text(arrival.offered_per_s),
                                       printable(arrival.process));
        if (arrival.late_starts > 0) text += fmt::format(", {} late", arrival.late_starts);
        if (arrival.missed_starts > 0) text += fmt::format(", {} missed", arrival.missed_starts);
        return text;
    }

    static std::string work_text(const result::Phase& phase) {
        std::string moved;
        for (const result::Operation& operation : phase.operations) {
            if (!shown(operation)) continue;
            const std::string what = operation.bytes > 0 ? binary_bytes(static_cast<double>(operation.bytes))
                                                         : fmt::format("{} operations", operation.operations);
            moved += fmt::format("{}{} {}", moved.empty() ? "" : ", ", printable(operation.name), what);
        }
        return fmt::format("fixed work: {} in {}", moved, duration_text(phase.window_s() * 1e9));
    }

    const result::Stage& stage_;
    bool colour_;
    Marks& marks_;
    double unit_ = gib;
    bool open_loop_ = false;        // any row of the stage
    std::vector<std::string> keys_; // swept
    bool several_jobs_ = false;
    Table table_;
};

} // namespace

Table measured_table(const result::Stage& stage, bool colour, Marks& marks) {
    return TableBuilder(stage, colour, marks).build();
}

} // namespace assay::report
