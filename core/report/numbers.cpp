#include "core/report/numbers.hpp"

#include "assay/abi/arrival.h"
#include "core/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace assay::report {
namespace {

Numbers extremes(const std::vector<Numbers>& all, const std::function<double(double, double)>& choose) {
    Numbers chosen = all.front();
    for (const Numbers& numbers : all) {
        chosen.iops = choose(chosen.iops, numbers.iops);
        for (const auto member : {&Numbers::bytes_per_s, &Numbers::mean_ns, &Numbers::p50_ns, &Numbers::p99_ns,
                                  &Numbers::p999_ns, &Numbers::max_ns, &Numbers::in_flight, &Numbers::response_p50_ns,
                                  &Numbers::response_p99_ns, &Numbers::response_max_ns}) {
            const std::optional<double>& here = numbers.*member;
            if (here) chosen.*member = (chosen.*member) ? choose(*(chosen.*member), *here) : *here;
        }
    }
    return chosen;
}

double total_iops(const result::Phase& phase) {
    double operations = 0;
    for (const result::Operation& operation : phase.operations)
        operations += static_cast<double>(operation.operations);
    return phase.window_s() > 0 ? operations / phase.window_s() : 0;
}

} // namespace

bool shown(const result::Operation& operation) { return operation.operations > 0 || operation.errors > 0; }

Numbers numbers_of(const result::Phase& phase, std::size_t operation_index) {
    const result::Operation& operation = phase.operations[operation_index];
    Numbers numbers;
    const double seconds = phase.window_s();
    if (seconds > 0) {
        numbers.iops = static_cast<double>(operation.operations) / seconds;
        if (operation.kind != result::OperationKind::other || operation.bytes > 0)
            numbers.bytes_per_s = static_cast<double>(operation.bytes) / seconds;
    }
    if (!operation.histograms.empty() && operation.histograms[0].second.count() > 0) {
        const Histogram& latency = operation.histograms[0].second;
        numbers.mean_ns = latency.mean_ns();
        numbers.p50_ns = static_cast<double>(latency.percentile_ns(50));
        numbers.p99_ns = static_cast<double>(latency.percentile_ns(99));
        numbers.p999_ns = static_cast<double>(latency.percentile_ns(99.9));
        numbers.max_ns = static_cast<double>(latency.max_ns());
    }
    for (const auto& [name, histogram] : operation.histograms) {
        if (name != ASSAY_HISTOGRAM_RESPONSE || histogram.count() == 0) continue;
        numbers.response_p50_ns = static_cast<double>(histogram.percentile_ns(50));
        numbers.response_p99_ns = static_cast<double>(histogram.percentile_ns(99));
        numbers.response_max_ns = static_cast<double>(histogram.max_ns());
    }
    // The mean is of the phase, not of an operation: it stands once, beside the first that was used.
    const auto used = [](const result::Operation& other) { return other.operations > 0; };
    const auto first = std::find_if(phase.operations.begin(), phase.operations.end(), used) - phase.operations.begin();
    if (static_cast<std::ptrdiff_t>(operation_index) == first && phase.mean_in_flight > 0)
        numbers.in_flight = phase.mean_in_flight;
    return numbers;
}

Numbers least_of(const std::vector<Numbers>& all) {
    return extremes(all, [](double a, double b) { return std::min(a, b); });
}
Numbers most_of(const std::vector<Numbers>& all) {
    return extremes(all, [](double a, double b) { return std::max(a, b); });
}

const Measured& median_of(std::vector<Measured>& repeats) {
    std::stable_sort(repeats.begin(), repeats.end(),
                     [](const Measured& a, const Measured& b) { return total_iops(*a.phase) < total_iops(*b.phase); });
    return repeats[(repeats.size() - 1) / 2];
}

result::Level level_of(const std::vector<result::Verdict>& verdicts, const std::string& job, const std::string& phase,
                       const std::string& operation) {
    result::Level worst = result::Level::pass;
    for (const result::Verdict& verdict : verdicts) {
        if (verdict.level < result::Level::suspect || verdict.job != job) continue;
        if (!verdict.phase.empty() && verdict.phase != phase) continue;
        if (!verdict.operation.empty() && verdict.operation != operation) continue;
        worst = std::max(worst, verdict.level);
    }
    return worst;
}

std::string_view mark_of(result::Level level) {
    if (level == result::Level::invalid) return "!";
    return level == result::Level::suspect ? "?" : "";
}

std::string errors_text(const result::Phase& phase) {
    std::map<std::string, double> counts;
    for (const result::Operation& operation : phase.operations)
        for (const result::ErrorCount& error : operation.error_counts)
            counts[error.what] += static_cast<double>(error.count);
    std::vector<std::pair<std::string, double>> kinds(counts.begin(), counts.end());
    std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [what, count] : kinds)
        text += fmt::format("{}{:.0f} x {}", text.empty() ? "" : ", ", count, printable(what));
    return text;
}

} // namespace assay::report
