#include "core/schema/help.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::size_t kWidthMin = 40;
constexpr std::size_t kIndent = 6;

std::string type_form(const OptionSpec& option) {
    switch (option.type) {
        case ASSAY_TYPE_BOOL:
            return "yes or no";
        case ASSAY_TYPE_INT:
            return "whole number";
        case ASSAY_TYPE_FLOAT:
            return "number";
        case ASSAY_TYPE_ENUM:
            return "one of " + join(option.enum_names, ", ");
        case ASSAY_TYPE_SIZE:
            return "size with its unit, e.g. 4KiB or 4KB";
        case ASSAY_TYPE_DURATION:
            return "duration with its unit, e.g. 10s or 250ms";
        case ASSAY_TYPE_RATE:
            return option.unit == "op/s" ? "operations a second, e.g. 5000/s"
                                         : "rate with its unit, e.g. 100MB/s or 10Gbit/s";
        case ASSAY_TYPE_PERCENTAGE:
            return "percentage, e.g. 70%";
        case ASSAY_TYPE_PATH:
            return "path";
        case ASSAY_TYPE_ENDPOINT:
            return "host:port or [IPv6]:port";
        default:
            return "text";
    }
}

std::string range_text(const OptionSpec& option) {
    if (option.min_text && option.max_text) return fmt::format("; {} to {}", *option.min_text, *option.max_text);
    if (option.min_text) return fmt::format("; at least {}", *option.min_text);
    if (option.max_text) return fmt::format("; at most {}", *option.max_text);
    return {};
}

std::string list_text(const OptionSpec& option) {
    if (option.has(ASSAY_OPTION_WEIGHTED)) return "; a list a,b or with weights a:70,b:30";
    return option.has(ASSAY_OPTION_LIST) ? "; a list a,b,c" : "";
}

std::string notes_text(const OptionSpec& option) {
    std::string text;
    if (option.has(ASSAY_OPTION_DESTRUCTIVE)) text += " Data on the target can be lost.";
    if (option.has(ASSAY_OPTION_DEPRECATED)) text += " Deprecated.";
    if (option.has(ASSAY_OPTION_NEEDS_SETUP)) text += " Another value needs the setup phases again.";
    return text;
}

// Breaks at blanks; lines after the first are set in by two more. A word longer than the line stands alone.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
    std::string result;
    std::string line(indent, ' ');
    bool line_is_empty = true;
    for (std::string_view word : split(text, ' ')) {
        word = trim(word);
        if (word.empty()) continue;
        if (!line_is_empty && line.size() + 1 + word.size() > width) {
            result += line + '\n';
            line.assign(indent + 2, ' ');
            line_is_empty = true;
        }
        if (!line_is_empty) line += ' ';
        line += word;
        line_is_empty = false;
    }
    return line_is_empty ? result : result + line + '\n';
}

std::string option_help(const OptionSpec& option, std::size_t width) {
    std::string text = wrapped(fmt::format("{}: {}", option.key, option_form(option)), 2, width);
    text += wrapped(option.help + notes_text(option), kIndent, width);
    for (std::size_t i = 0; i < option.enum_help.size(); ++i) {
        if (!option.enum_help[i].empty()) {
            text += wrapped(fmt::format("{}: {}", option.enum_names[i], option.enum_help[i]), kIndent + 2, width);
        }
    }
    return text;
}

} // namespace

std::string option_form(const OptionSpec& option) {
    std::string text = type_form(option);
    if (option.type == ASSAY_TYPE_INT || option.type == ASSAY_TYPE_FLOAT) {
        if (!option.unit.empty()) text += " of " + option.unit;
    }
    text += range_text(option) + list_text(option);
    if (option.has(ASSAY_OPTION_SECRET)) text += "; given as env:NAME or file:PATH";
    if (option.has(ASSAY_OPTION_REQUIRED)) return text + "; required";
    return text + (option.default_text
                       ? fmt::format("; default {}", option.default_text->empty() ? "empty" : *option.default_text)
                       : std::string("; no default"));
}

std::string schema_help(const Schema& schema, int width) {
    const std::size_t columns = std::max(static_cast<std::size_t>(std::max(width, 0)), kWidthMin);
    std::vector<std::string> groups; // in the order of their first option
    for (const OptionSpec& option : schema.options()) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
    }
    std::string text;
    for (const std::string& group : groups) {
        if (!text.empty()) text += '\n';
        text += (group.empty() ? "Options" : group) + ":\n";
        for (const OptionSpec& option : schema.options()) {
            if (option.group == group) text += option_help(option, columns);
        }
    }
    return text;
}

} // namespace assay
