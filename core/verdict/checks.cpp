#include "core/verdict/checks.hpp"

#include "core/base/units.hpp"

#include <fmt/format.h>

#include <utility>

namespace assay::verdict {

result::Verdict make_verdict(const Check& check, const JobView& view, const result::Phase* phase) {
    result::Verdict verdict;
    verdict.check = check.id;
    verdict.version = check.version;
    verdict.scope = view.scope;
    verdict.job = view.job.name;
    if (phase != nullptr) {
        verdict.phase = phase->name;
        verdict.scope += ", " + phase->name;
    }
    return verdict;
}

void add_evidence(result::Verdict& verdict, std::string_view name, result::Value value, std::string_view unit,
                  std::string_view source) {
    verdict.evidence.push_back({std::string(name), std::move(value), std::string(unit), std::string(source)});
}

std::vector<const result::Phase*> measured_phases(const result::Job& job) {
    std::vector<const result::Phase*> phases;
    for (const result::Phase& phase : job.phases) {
        if (phase.kind == result::PhaseKind::measured && phase.window_end_ns > phase.window_start_ns)
            phases.push_back(&phase);
    }
    return phases;
}

std::optional<std::int64_t> integer_fact(const result::Job& job, const char* key) {
    const result::Fact* fact = job.fact(key);
    const auto* value = fact == nullptr ? nullptr : std::get_if<std::int64_t>(&fact->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> real_fact(const result::Job& job, const char* key) {
    const result::Fact* fact = job.fact(key);
    const auto* value = fact == nullptr ? nullptr : std::get_if<double>(&fact->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<bool> bool_fact(const result::Job& job, const char* key) {
    const result::Fact* fact = job.fact(key);
    const auto* value = fact == nullptr ? nullptr : std::get_if<bool>(&fact->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

bool is_path(const result::Target& target) { return target.kind == "file" || target.kind == "block device"; }

std::string workers_text(double workers) {
    return fmt::format("{} worker{}", count_text(workers), workers == 1 ? "" : "s");
}

std::string percent_text(double share) {
    const double percent = share * 100;
    if (percent > 0 && percent < 0.05) return "less than 0.1 %";
    if (percent < 100 && percent > 99.95) return "more than 99.9 %";
    if (percent == 0 || percent == 100) return fmt::format("{:.0f} %", percent);
    return fmt::format("{:.1f} %", percent);
}

} // namespace assay::verdict
