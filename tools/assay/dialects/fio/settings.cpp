#include "tools/assay/dialects/fio/settings.hpp"

#include "core/base/text.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli::fio {
namespace {

std::optional<std::string> find(const Pairs& pairs, std::string_view name) {
    for (const auto& [key, value] : pairs)
        if (key == name) return value;
    return std::nullopt;
}

bool is_neutral(const OptionRecord& option, std::string_view value) {
    if (option.neutral.empty()) return false;
    const auto values = split(option.neutral, ' ');
    return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

Settings::Settings(const Section& section, std::vector<std::string>& notes) : section_(section), notes_(notes) {
    const std::uint64_t base = count("kb_base", 1024, 1000, 1024);
    if (base != 1024 && base != 1000) fail("kb_base", fmt::format("{} is neither 1024 nor 1000", base));
    kb_base_ = base == 1000 ? 1000 : 1024;
    refuse_and_note();
}

void Settings::refuse_and_note() {
    for (const Pairs* pairs : {&section_.inherited, &section_.own}) {
        for (const auto& [name, value] : *pairs) {
            const Result<const OptionRecord*> option = find_option(name);
            if (!option) continue; // Sections knows no others
            if (pairs == &section_.inherited && find(section_.own, name)) continue;
            const OptionRecord& record = **option;
            const bool off = value == "0" && (record.type == Type::boolean || record.type == Type::toggle);
            if (record.support == Support::ignored && !off)
                note(fmt::format("{} is ignored: {}", name, record.here));
            else if (record.support == Support::refused && !is_neutral(record, value))
                fail(name, fmt::format("is not supported: {}", record.here));
            if (kb_base_ == 1024 && is_inverted_unit(value) && record.type != Type::text)
                note(fmt::format("{}={}: fio reads KiB, MiB .. as powers of 1000; write k, m .. for powers of 1024",
                                 name, value));
        }
    }
}

std::optional<std::string> Settings::text(std::string_view name) const {
    if (auto own = find(section_.own, name)) return own;
    return find(section_.inherited, name);
}

bool Settings::on(std::string_view name, bool fallback) {
    const auto value = text(name);
    return value ? take(name, parse_switch(*value), fallback) : fallback;
}

std::uint64_t Settings::count(std::string_view name, std::uint64_t fallback, std::uint64_t low, std::uint64_t high) {
    const auto value = text(name);
    if (!value) return fallback;
    const std::uint64_t number = take(name, parse_count(*value), fallback);
    if (number >= low && number <= high) return number;
    fail(name, fmt::format("{} lies outside {} to {}", number, low, high));
    return fallback;
}

std::optional<std::uint64_t> Settings::bytes(std::string_view name) {
    const auto value = text(name);
    if (!value || value->ends_with('%')) return std::nullopt;
    const std::uint64_t bytes = take(name, parse_bytes(*value, kb_base_));
    if (bytes <= region_bytes_max) return bytes;
    fail(name, fmt::format("{} is more than 1 EiB", in_quotes(*value)));
    return std::nullopt;
}

std::optional<unsigned> Settings::share(std::string_view name) {
    const auto value = text(name);
    return value ? take(name, parse_share(*value)) : std::nullopt;
}

std::int64_t Settings::time_us(std::string_view name, std::int64_t bare_us) {
    const auto value = text(name);
    return value ? take(name, parse_time_us(*value, bare_us)) : 0;
}

void Settings::fail(std::string_view name, const std::string& why) {
    if (status_.ok()) status_ = usage_error(fmt::format("job {}: {} {}", in_quotes(section_.name), name, why));
}

void Settings::note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

} // namespace assay::cli::fio
