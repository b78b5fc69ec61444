#include "core/schema/schema.hpp"

#include "core/base/text.hpp"
#include "core/schema/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::optional<std::size_t> Schema::find(std::string_view key) const {
    const std::string name = with_underscores(key);
    for (std::size_t i = 0; i < options_.size(); ++i) {
        if (options_[i].key == name) return i;
    }
    return std::nullopt;
}

Status Schema::unknown_option(std::string_view key) const {
    std::vector<std::string> keys;
    for (const OptionSpec& option : options_)
        keys.push_back(option.key);
    return usage_error(fmt::format("{} has no option {}{} (\"assay plugins show {}\" lists its options)", plugin_name_,
                                   in_quotes(key), did_you_mean(key, keys), plugin_name_));
}

Result<OptionValue> Schema::parse(std::size_t index, std::string_view text) const {
    const OptionSpec& option = options_[index];
    Result<OptionValue> value = parse_value(option, text);
    if (!value) return value.status().wrap(fmt::format("option {}", option.key));
    return value;
}

Result<OptionSet> OptionSet::defaults(std::shared_ptr<const Schema> schema) {
    OptionSet set;
    for (std::size_t i = 0; i < schema->options().size(); ++i) {
        OptionValue value;
        const OptionSpec& option = schema->options()[i];
        if (option.default_text) {
            Result<OptionValue> parsed = schema->parse(i, *option.default_text);
            if (!parsed) return parsed.status();
            value = std::move(*parsed);
            value.given = false;
        }
        set.values_.push_back(std::make_shared<const OptionValue>(std::move(value)));
    }
    set.schema_ = std::move(schema);
    return set;
}

Status OptionSet::set(std::string_view key, std::string_view text) {
    const std::optional<std::size_t> index = schema_->find(key);
    if (!index) return schema_->unknown_option(key);
    Result<OptionValue> value = schema_->parse(*index, text);
    if (!value) return value.status();
    assign(*index, std::make_shared<const OptionValue>(std::move(*value)));
    return {};
}

Status OptionSet::check_required() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const OptionSpec& option = schema_->options()[i];
        if (!option.has(ASSAY_OPTION_REQUIRED) || values_[i]->given) continue;
        const std::string example =
            option.example.empty() ? std::string() : fmt::format(", for example {}", option.example);
        return usage_error(
            fmt::format("{} needs the option {}, which has no default{}", schema_->plugin_name(), option.key, example));
    }
    return {};
}

const OptionValue* OptionSet::find(std::string_view key) const {
    const std::optional<std::size_t> index = schema_->find(key);
    return index ? values_[*index].get() : nullptr;
}

std::vector<std::pair<std::string, std::string>> OptionSet::texts() const {
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const OptionSpec& option = schema_->options()[i];
        if (!values_[i]->items.empty()) texts.emplace_back(option.key, canonical_text(option, *values_[i]));
    }
    return texts;
}

} // namespace assay
