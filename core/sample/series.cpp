#include "core/sample/series.hpp"

#include "core/base/text.hpp"
#include "core/record/plugin_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include <fnmatch.h>

namespace assay::sample {
namespace {

constexpr std::size_t metric_bytes_max = 128;
constexpr std::size_t unit_bytes_max = 32;
constexpr std::size_t labels_bytes_max = 1024;
constexpr std::size_t help_bytes_max = 1024;
constexpr std::uint32_t stride_bytes_max = 4096;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == ':';
}

bool is_key(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_word); }

bool are_labels(std::string_view text) {
    if (text.empty()) return true;
    for (const std::string_view piece : split(text, ',')) {
        const std::size_t at = piece.find('=');
        if (at == std::string_view::npos || !is_key(piece.substr(0, at)) ||
            piece.find('=', at + 1) != std::string_view::npos)
            return false;
    }
    return true;
}

// Too long is refused rather than cut: two cut names could become one.
bool copy_text(const char* text, std::size_t bytes_max, std::string& copy) {
    if (text == nullptr || ::strnlen(text, bytes_max + 1) > bytes_max) return false;
    copy = plugin_text(text, bytes_max);
    return copy == text;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

Status check_width(const SeriesSpec& spec) {
    const std::uint32_t width_max = spec.value == ASSAY_VALUE_U128 ? 128 : 64;
    if (spec.rule.width_bits < 1 || spec.rule.width_bits > width_max)
        return run_error(
            fmt::format("has a counter of {} bits; 1 to {} fit its value type", spec.rule.width_bits, width_max));
    if (spec.rule.overflow != ASSAY_OVERFLOW_WRAPS && spec.rule.overflow != ASSAY_OVERFLOW_SATURATES)
        return run_error(fmt::format("has the unknown overflow rule {}", spec.rule.overflow));
    return {};
}

Status read_one(const assay_series& raw, std::uint32_t group_count, SeriesSpec& spec) {
    if (!copy_text(raw.metric, metric_bytes_max, spec.metric) || !is_key(spec.metric))
        return run_error(
            fmt::format("has no usable metric name: up to {} letters, digits and ._:- are", metric_bytes_max));
    if (!copy_text(raw.unit, unit_bytes_max, spec.unit))
        return run_error(fmt::format("has a unit that is missing, over {} bytes or not plain text", unit_bytes_max));
    if (!copy_text(raw.labels, labels_bytes_max, spec.labels) || !are_labels(spec.labels))
        return run_error(fmt::format("has labels that are not key=value,... of up to {} bytes", labels_bytes_max));
    spec.help = plugin_text(raw.help, help_bytes_max);
    if (raw.kind != ASSAY_SERIES_COUNTER && raw.kind != ASSAY_SERIES_GAUGE)
        return run_error(fmt::format("has the unknown kind {}", raw.kind));
    if (raw.value < ASSAY_VALUE_U64 || raw.value > ASSAY_VALUE_U128)
        return run_error(fmt::format("has the unknown value type {}", raw.value));
    if (raw.group >= group_count) return run_error(fmt::format("is in group {} of {}", raw.group, group_count));
    if (!std::isfinite(raw.scale) || raw.scale == 0) return run_error("has a scale that is zero or no finite number");
    spec.counter = raw.kind == ASSAY_SERIES_COUNTER;
    spec.value = raw.value;
    spec.group = raw.group;
    spec.scale = raw.scale;
    if (!spec.counter) return {};
    spec.rule = {raw.width_bits, raw.overflow, 0, 0};
    if (ASSAY_HAS(&raw, assay_series, step_back_max)) spec.rule.step_back_max = raw.step_back_max;
    return check_width(spec);
}

} // namespace

std::string SeriesSpec::name() const { return labels.empty() ? metric : metric + "{" + labels + "}"; }

std::string SeriesSpec::rate_unit() const {
    if (!counter) return unit;
    return unit.empty() ? "1/s" : unit + "/s";
}

std::vector<std::pair<std::string_view, std::string_view>> SeriesSpec::label_pairs() const {
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    if (labels.empty()) return pairs;
    for (const std::string_view piece : split(labels, ',')) {
        const std::size_t at = piece.find('=');
        pairs.emplace_back(piece.substr(0, at), piece.substr(at + 1));
    }
    return pairs;
}

std::string_view SeriesSpec::label(std::string_view key) const {
    for (const auto& [each, value] : label_pairs())
        if (each == key) return value;
    return {};
}

bool SeriesSpec::matches_any(const std::vector<std::string>& globs) const {
    const std::string whole = name();
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
        return fnmatch(glob.c_str(), metric.c_str(), 0) == 0 || fnmatch(glob.c_str(), whole.c_str(), 0) == 0;
    });
}

bool SeriesSpec::same_shape(const SeriesSpec& other) const {
    return counter == other.counter && value == other.value && unit == other.unit && scale == other.scale &&
           rule.width_bits == other.rule.width_bits && rule.overflow == other.rule.overflow;
}

std::string unescaped(std::string_view label_value) {
    std::string text;
    for (std::size_t at = 0; at < label_value.size(); ++at) {
        const int high = label_value[at] == '%' && at + 2 < label_value.size() ? hex_digit(label_value[at + 1]) : -1;
        const int low = high < 0 ? -1 : hex_digit(label_value[at + 2]);
        const int code = high * 16 + low;
        if (high < 0 || low < 0 || code < 0x20 || code >= 0x7f) {
            text += label_value[at];
            continue;
        }
        text += static_cast<char>(code);
        at += 2;
    }
    return text;
}

Result<SeriesTable> read_series_list(std::string_view plugin_name, const assay_series_list* list) {
    const auto defect = [&](const std::string& what) {
        return run_error(fmt::format("sampler '{}' {}; this is a defect of the plugin", plugin_name, what));
    };
    if (list == nullptr || !ASSAY_HAS(list, assay_series_list, series)) return defect("returned no list of series");
    if (list->count > series_max)
        return defect(fmt::format("lists {} series; at most {} are allowed", list->count, series_max));
    if (list->group_count > groups_max)
        return defect(fmt::format("lists {} groups; at most {} are allowed", list->group_count, groups_max));
    constexpr std::size_t needed = offsetof(assay_series, scale) + sizeof(double);
    if (list->count > 0 && (list->series == nullptr || list->stride < needed || list->stride > stride_bytes_max ||
                            list->stride % alignof(assay_series) != 0))
        return defect(fmt::format("lists its series with stride {}, which must be a multiple of {} from {} to {}",
                                  list->stride, alignof(assay_series), needed, stride_bytes_max));
    SeriesTable table;
    table.group_count = list->group_count;
    table.generation = list->generation;
    table.series.resize(list->count);
    std::unordered_set<std::string> names;
    const char* at = reinterpret_cast<const char*>(list->series);
    for (std::uint32_t i = 0; i < list->count; ++i, at += list->stride) {
        const auto& raw = *reinterpret_cast<const assay_series*>(at);
        if (raw.struct_size < needed || raw.struct_size > list->stride)
            return defect(fmt::format("lists series {} with struct_size {}; {} to its stride {} are needed", i,
                                      raw.struct_size, needed, list->stride));
        SeriesSpec& spec = table.series[i];
        spec.plugin = plugin_name;
        if (Status bad = read_one(raw, list->group_count, spec); !bad.ok())
            return defect(fmt::format("lists series {} ({}), which {}", i, in_quotes(spec.metric), bad.message()));
        spec.duplicate = !names.insert(spec.name()).second;
    }
    return table;
}

} // namespace assay::sample
