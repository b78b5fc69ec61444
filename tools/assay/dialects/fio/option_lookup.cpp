#include "core/base/text.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"
#include "tools/assay/dialects/fio/values.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

namespace assay::cli::fio {
namespace {

const std::unordered_map<std::string_view, const OptionRecord*>& by_name() {
    static const auto index = [] {
        std::unordered_map<std::string_view, const OptionRecord*> names;
        for (const OptionRecord& record : option_table()) {
            names.emplace(record.name, &record);
            if (!record.alias.empty()) names.emplace(record.alias, &record);
        }
        return names;
    }();
    return index;
}

std::string_view support_text(Support support) {
    switch (support) {
        case Support::full:
            return "supported";
        case Support::ignored:
            return "ignored";
        case Support::refused:
            break;
    }
    return "refused";
}

void append_rows(std::string& text, Support support) {
    for (const OptionRecord& record : option_table()) {
        if (record.support != support) continue;
        std::string name = fmt::format("`{}`", record.name);
        if (!record.alias.empty()) name += fmt::format(", `{}`", record.alias);
        std::string here(record.here);
        if (support == Support::refused && !record.neutral.empty())
            here = fmt::format("unless {}: {}",
                               join(
                                   [&] {
                                       std::vector<std::string> values;
                                       for (const std::string_view value : split(record.neutral, ' '))
                                           values.emplace_back(value);
                                       return values;
                                   }(),
                                   " or "),
                               here);
        text += fmt::format("| {} | {} |\n", name, here);
    }
}

} // namespace

Result<const OptionRecord*> find_option(std::string_view name) {
    const auto place = by_name().find(name);
    if (place != by_name().end()) return place->second;
    std::vector<std::string> known;
    for (const auto& [one, record] : by_name())
        known.emplace_back(one);
    return usage_error(fmt::format("fio has no option {}{}", in_quotes(name), did_you_mean(name, known)));
}

Status check_type(const OptionRecord& option, std::string_view value) {
    if (value.empty() && option.type != Type::toggle && option.type != Type::text)
        return usage_error("the option needs a value");
    switch (option.type) {
        case Type::text:
            return {};
        case Type::boolean:
        case Type::toggle:
            return parse_switch(value).status();
        case Type::integer:
            return parse_count(value).status();
        case Type::size:
            if (value.ends_with('%')) return parse_share(value).status();
            return parse_bytes(value).status();
        case Type::time:
            return parse_time_us(value, 1).status();
        case Type::floats:
            return parse_floats(value).status();
    }
    return {};
}

std::string option_reference() {
    std::size_t counts[3] = {};
    for (const OptionRecord& record : option_table())
        ++counts[static_cast<std::size_t>(record.support)];
    std::string text = fmt::format(
        "# fio's options in `assay fio`\n\nWritten by `assay fio --list-options`, from the table that the parser uses. "
        "Of "
        "{} job options {} are supported, {} ignored and {} refused. A job becomes a plan on the block workload; what "
        "one "
        "of these does to it is in `assay plugins show block`.\n\n"
        "Numbers must be whole and spelled out: where fio stops reading at a character that it does not know "
        "(`size=1.5g` is one byte to it, `runtime=2sec` two microseconds) there is an error, and so there is for "
        "spaces "
        "beside the `=` in a job file and for `${{NAME}}` that the environment does not have. Files that several jobs "
        "of a group would have to make are laid out in a stage before them.\n",
        option_table().size(), counts[0], counts[1], counts[2]);
    static constexpr std::string_view meanings[] = {
        "These do what they do in fio, within what is said here.",
        "These cannot change the result here. Where one is given, a line on stderr says why it is ignored.",
        "These are errors, with this as the reason, so that no job measures something else than it says.",
    };
    for (const Support support : {Support::full, Support::ignored, Support::refused}) {
        std::string title(support_text(support));
        title.front() = static_cast<char>(title.front() - 'a' + 'A');
        text += fmt::format("\n## {}\n{}\n\n| option | here |\n|---|---|\n", title,
                            meanings[static_cast<std::size_t>(support)]);
        append_rows(text, support);
    }
    return text;
}

} // namespace assay::cli::fio
