#include "tools/assay/dialects/fio/sections.hpp"

#include "core/base/text.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli::fio {

Status Sections::begin(std::string name, std::string origin) {
    if (sections_.size() == sections_max)
        return usage_error(fmt::format("more than {} jobs: use numjobs for equal ones", sections_max));
    if (name.empty()) return usage_error("a job needs a name");
    for (const auto& [key, value] : global_)
        inherited_bytes_ += key.size() + value.size();
    if (inherited_bytes_ > inherited_bytes_max)
        return usage_error(fmt::format("global options are too long for so many jobs: more than {} MiB with all copies",
                                       inherited_bytes_max >> 20));
    sections_.push_back({std::move(name), global_, {}, std::move(origin)});
    in_global_ = false;
    return {};
}

Status Sections::set(std::string_view name, std::string_view value) {
    const Result<const OptionRecord*> option = find_option(name);
    if (!option) return option.status();
    const OptionRecord& record = **option;
    if (Status status = check_type(record, value); !status.ok()) return status.wrap(record.name);
    Pairs& pairs = in_global_ ? global_ : sections_.back().own;
    const auto place =
        std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == record.name; });
    if (place != pairs.end())
        place->second = value;
    else
        pairs.emplace_back(record.name, value);
    return {};
}

Status Sections::select(const std::vector<std::string>& names) {
    if (names.empty()) return {};
    for (const std::string& name : names) {
        std::vector<std::string> known;
        for (const Section& section : sections_)
            known.push_back(section.name);
        if (std::find(known.begin(), known.end(), name) == known.end())
            return usage_error(
                fmt::format("--section: no job is called {}{}", in_quotes(name), did_you_mean(name, known)));
    }
    std::erase_if(sections_, [&](const Section& section) {
        return std::find(names.begin(), names.end(), section.name) == names.end();
    });
    return {};
}

} // namespace assay::cli::fio
