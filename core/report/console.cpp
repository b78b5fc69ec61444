#include "core/report/console.hpp"

#include "core/base/units.hpp"
#include "core/report/paint.hpp"
#include "core/report/rows.hpp"
#include "core/report/text.hpp"
#include "core/report/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::report {
namespace {

constexpr std::size_t setup_lines_max = 6;
// A setup phase that counted nothing and was over at once found nothing to do.
constexpr double idle_setup_ns = 50e6;

void append(std::string& out, const std::string& text, int width, int hanging = 2) {
    for (const std::string& line : wrapped(text, width, hanging))
        out += line + "\n";
}

const result::Fact* find(const std::vector<result::Fact>& facts, std::string_view key) {
    const auto found =
        std::find_if(facts.begin(), facts.end(), [&](const result::Fact& fact) { return fact.key == key; });
    return found == facts.end() ? nullptr : &*found;
}

std::string text_fact(const std::vector<result::Fact>& facts, std::string_view key) {
    const result::Fact* fact = find(facts, key);
    const auto* text = fact == nullptr ? nullptr : std::get_if<std::string>(&fact->value);
    return text == nullptr ? "" : printable(*text);
}

// "host: 2 CPUs (model), 64.0 GiB RAM, Linux 6.18": as far as it is known.
std::string machine_text(const result::Run& run) {
    std::vector<std::string> parts;
    if (const result::Fact* cpus = find(run.context, "cpu_count"); cpus != nullptr) {
        if (const auto* count = std::get_if<std::int64_t>(&cpus->value); count != nullptr)
            parts.push_back(fmt::format("{} CPU{}", *count, *count == 1 ? "" : "s"));
    }
    if (const std::string model = text_fact(run.context, "cpu_model"); !model.empty()) parts.push_back(model);
    if (const result::Fact* memory = find(run.context, "memory_total_bytes"); memory != nullptr) {
        if (const auto* bytes = std::get_if<std::int64_t>(&memory->value); bytes != nullptr)
            parts.push_back(binary_bytes(static_cast<double>(*bytes)) + " RAM");
    }
    if (const std::string kernel = text_fact(run.context, "kernel"); !kernel.empty())
        parts.push_back(fmt::format("Linux {}", kernel));
    const std::string host = text_fact(run.context, "hostname");
    std::string text;
    for (const std::string& part : parts)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", part);
    if (host.empty() || text.empty()) return host + text;
    return fmt::format("{}: {}", host, text);
}

std::string title(const result::Run& run) {
    std::string text = fmt::format("assay {}", printable(run.tool_version));
    if (!run.plan_name.empty()) text += fmt::format(": {}", printable(run.plan_name));
    if (!run.started.empty()) text += fmt::format(", {}", printable(run.started));
    return fmt::format("{}, took {}", text, duration_text(static_cast<double>(run.duration_ns)));
}

bool is_swept(const result::Point& point, const result::Job& job, const std::string& key) {
    return std::any_of(point.parameters.begin(), point.parameters.end(), [&](const auto& parameter) {
        return parameter.first == key || parameter.first == job.name + "." + key;
    });
}

// "oltp: block, 2 workers, on /data/f and /data/g; engine io_uring, direct yes": what the user chose and does not vary.
std::string job_text(const result::Point& point, const result::Job& job) {
    std::string text = printable(job.name);
    if (job.workload != job.name) text += fmt::format(": {}", printable(job.workload));
    if (!is_swept(point, job, "workers"))
        text += fmt::format(", {} worker{}", job.workers, job.workers == 1 ? "" : "s");
    for (std::size_t at = 0; at < job.targets.size(); ++at)
        text += fmt::format(", {}{}", at == 0 ? "on " : "", printable(job.targets[at].name));
    std::string options;
    for (const auto& [key, value] : job.options) {
        const bool given =
            std::find(job.given_options.begin(), job.given_options.end(), key) != job.given_options.end();
        if (given && !is_swept(point, job, key))
            options += fmt::format("{} {} {}", options.empty() ? ";" : ",", printable(key), printable(value));
    }
    return text + options;
}

// One line for each setup phase that did something: it took time, and its rate is no result.
void append_setup(std::string& out, const result::Stage& stage, int width) {
    std::size_t lines = 0;
    for (std::size_t point = 0; point < stage.points.size(); ++point)
        for (const result::Repeat& repeat : stage.points[point].repeats)
            for (const result::Job& job : repeat.jobs)
                for (const result::Phase& phase : job.phases) {
                    double bytes = 0;
                    double operations = 0;
                    for (const result::Operation& operation : phase.operations) {
                        bytes += static_cast<double>(operation.bytes);
                        operations += static_cast<double>(operation.operations);
                    }
                    const double ns = phase.window_s() * 1e9;
                    if (phase.kind != result::PhaseKind::setup || (operations == 0 && ns < idle_setup_ns) ||
                        ++lines > setup_lines_max)
                        continue;
                    std::string text = printable(phase.name);
                    if (bytes > 0)
                        text += fmt::format(" {}", binary_bytes(bytes));
                    else if (operations > 0)
                        text += fmt::format(" {:.0f} operations", operations);
                    text += fmt::format(" in {}", duration_text(ns));
                    if (repeat.jobs.size() > 1) text += fmt::format(", job {}", printable(job.name));
                    if (stage.points.size() > 1) text += fmt::format(", point {}", point + 1);
                    append(out, text, width);
                }
    if (lines > setup_lines_max) out += fmt::format("... and {} more setup phases\n", lines - setup_lines_max);
}

// "Measured for 10.0 s after a warm-up of 1.00 s.", where that holds for all phases that time ended.
std::string window_text(const result::Stage& stage) {
    std::string text;
    for (const result::Point& point : stage.points)
        for (const result::Repeat& repeat : point.repeats)
            for (const result::Job& job : repeat.jobs)
                for (const result::Phase& phase : job.phases) {
                    if (phase.kind != result::PhaseKind::measured || phase.end != result::PhaseEnd::time) continue;
                    std::string here = fmt::format("Measured for {}", duration_text(phase.window_s() * 1e9));
                    if (phase.warmup_ns > 0)
                        here +=
                            fmt::format(" after a warm-up of {}", duration_text(static_cast<double>(phase.warmup_ns)));
                    if (!text.empty() && text != here) return "";
                    text = here;
                }
    return text;
}

void append_stage(std::string& out, const result::Run& run, std::size_t index, const ConsoleStyle& style) {
    const result::Stage& stage = run.stages[index];
    if (run.stages.size() > 1)
        append(out, fmt::format("Stage {}: {}", index + 1, printable(stage.name)), style.width);
    else if (!stage.name.empty() && stage.name != run.plan_name)
        append(out, printable(stage.name), style.width);
    if (stage.points.empty() || stage.points[0].repeats.empty()) {
        out += "nothing was run\n";
        return;
    }
    for (const result::Job& job : stage.points[0].repeats[0].jobs)
        append(out, job_text(stage.points[0], job), style.width);
    append_setup(out, stage, style.width);

    std::size_t repeats = 0;
    for (const result::Point& point : stage.points)
        repeats = std::max(repeats, point.repeats.size());
    std::string caption = window_text(stage);
    if (repeats > 1)
        caption += fmt::format("{}{} repeats: the one with the median IOPS, then the least and the most of all",
                               caption.empty() ? "" : "; ", repeats);
    if (!caption.empty()) append(out, caption + ".", style.width);
    out += "\n";
    Marks marks;
    out += render(measured_table(stage, style.colour, marks), style.width);
    if (marks.invalid)
        append(out, "! a check says that this number is not what it seems to be: see INVALID below", style.width);
    if (marks.suspect) append(out, "? a check has doubts about this number: see SUSPECT below", style.width);
}

void append_cut_short(std::string& out, const result::Run& run, const ConsoleStyle& style) {
    const std::string reason = run.cut_reason.empty() ? "the plan did not run to its end" : printable(run.cut_reason);
    if (style.colour) out += paint_of(result::Level::suspect);
    append(out, fmt::format("CUT SHORT: {}. What follows was measured before.", reason), style.width);
    if (style.colour) out.insert(out.size() - 1, paint_end);
}

} // namespace

std::string console(const result::Run& run, const ConsoleStyle& style) {
    std::string out;
    append(out, title(run), style.width);
    append(out, machine_text(run), style.width);
    if (run.cut_short) append_cut_short(out, run, style);
    for (std::size_t index = 0; index < run.stages.size(); ++index) {
        out += "\n";
        append_stage(out, run, index, style);
    }
    const std::string verdicts = verdicts_text(run, style.colour, style.width);
    if (!verdicts.empty()) out += "\n" + verdicts;
    return out;
}

} // namespace assay::report
