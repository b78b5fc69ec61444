#include "core/report/verdicts.hpp"

#include "core/report/paint.hpp"
#include "core/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace assay::report {
namespace {

using result::Level;

constexpr int detail_indent = 4;

// A finding and the places it was made at.
struct Finding {
    const result::Verdict* first = nullptr;
    std::size_t times = 0;
};

// What is invalid is told for each job and operation; the rest is one finding wherever it appears.
bool same_finding(const result::Verdict& a, const result::Verdict& b) {
    if (a.level != b.level || a.check != b.check) return false;
    return a.level != Level::invalid || (a.job == b.job && a.operation == b.operation);
}

struct Collected {
    std::vector<Finding> findings; // in order of appearance
    std::array<std::size_t, 5> count{};
    std::size_t places = 0; // jobs of repeats
};

Collected collect(const result::Run& run) {
    Collected all;
    for (const result::Stage& stage : run.stages)
        for (const result::Point& point : stage.points)
            for (const result::Repeat& repeat : point.repeats) {
                all.places += repeat.jobs.size();
                for (const result::Verdict& verdict : repeat.verdicts) {
                    ++all.count[static_cast<std::size_t>(verdict.level)];
                    if (verdict.level == Level::pass) continue;
                    const auto found =
                        std::find_if(all.findings.begin(), all.findings.end(),
                                     [&](const Finding& finding) { return same_finding(*finding.first, verdict); });
                    if (found == all.findings.end())
                        all.findings.push_back({&verdict, 1});
                    else
                        ++found->times;
                }
            }
    std::stable_sort(all.findings.begin(), all.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.first->level > b.first->level; });
    return all;
}

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string sentences(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : " ", printable(part));
    return text;
}

void append(std::string& out, const std::string& text, int width, int indent, int hanging) {
    const std::string space(static_cast<std::size_t>(indent), ' ');
    for (const std::string& line : wrapped(text, width - indent, hanging))
        out += space + line + "\n";
}

std::string entry(const Finding& finding, bool many_places, bool colour, int width) {
    const result::Verdict& verdict = *finding.first;
    const std::string level = upper(level_name(verdict.level));
    std::string out;
    append(out, fmt::format("{} {}: {}", level, printable(verdict.check), sentences({verdict.message, verdict.remedy})),
           width, 0, detail_indent);
    // The level stands at the very start; the sequence has no width, so it goes in after wrapping.
    if (colour) out.insert(level.size(), paint_end).insert(0, paint_of(verdict.level));
    if (verdict.level >= Level::suspect && !verdict.arithmetic.empty())
        append(out, fmt::format("{}; rule: {}", printable(verdict.arithmetic), printable(verdict.threshold)), width,
               detail_indent, 0);
    if (finding.times > 1)
        append(out, fmt::format("{} times, first at {}", finding.times, printable(verdict.scope)), width, detail_indent,
               0);
    else if (many_places)
        append(out, fmt::format("at {}", printable(verdict.scope)), width, detail_indent, 0);
    return out;
}

std::string counts_text(const Collected& all) {
    std::string text;
    for (const Level level : {Level::invalid, Level::suspect, Level::unknown, Level::note, Level::pass}) {
        const std::size_t count = all.count[static_cast<std::size_t>(level)];
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, level_name(level));
    }
    return text;
}

std::string conclusion(const Collected& all) {
    if (all.count[static_cast<std::size_t>(Level::invalid)] > 0)
        return "INVALID: numbers marked ! are not what they seem to be.";
    if (all.count[static_cast<std::size_t>(Level::suspect)] > 0)
        return "SUSPECT: numbers marked ? need an explanation before they are used.";
    if (all.count[static_cast<std::size_t>(Level::unknown)] > 0)
        return "UNVERIFIED: nothing contradicts the numbers, but some evidence could not be read.";
    return "Nothing contradicts the numbers.";
}

} // namespace

std::string verdicts_text(const result::Run& run, bool colour, int width) {
    const Collected all = collect(run);
    const std::string counts = counts_text(all);
    if (counts.empty()) return "";
    std::string out = "Verdicts: " + counts + "\n";
    for (const Finding& finding : all.findings)
        out += entry(finding, all.places > 1, colour, width);
    append(out, conclusion(all), width, 0, 0);
    return out;
}

} // namespace assay::report
