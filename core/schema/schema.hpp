// A plugin's option table as the core sees it: checked once, then the single source for parsing values, help text,
// JSON schema and completion.
//
// Reads the ABI table through struct_size and stride only. Any thread once made (immutable).
#pragma once

#include "assay/abi/option.h"
#include "core/base/status.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct OptionSpec {
    std::string key;
    assay_option_type type = ASSAY_TYPE_STRING;
    std::uint32_t flags = 0;
    std::string help;
    std::optional<std::string> default_text;
    std::optional<std::string> min_text;
    std::optional<std::string> max_text;
    std::string unit;
    std::string group;
    std::string example;
    std::vector<std::string> enum_names;
    std::vector<std::string> enum_help; // empty or as long as enum_names

    [[nodiscard]] bool is_list() const { return (flags & (ASSAY_OPTION_LIST | ASSAY_OPTION_WEIGHTED)) != 0; }
    [[nodiscard]] bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

struct Scalar {
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    double weight = 1;
};

// The value of one option: typed items and the text they came from (canonical text of a default likewise).
struct OptionValue {
    bool given = false;
    std::string text;
    std::vector<Scalar> items; // empty: absent
};

class Schema {
public:
    // Fails (internal) naming the plugin and option if the table is malformed: duplicate or ill-formed keys, a
    // default or bound that does not parse or lies outside its range, an enum without names.
    static Result<Schema> from_table(std::string_view plugin_name, const assay_option_table& table);

    [[nodiscard]] const std::vector<OptionSpec>& options() const { return options_; }
    [[nodiscard]] const std::string& plugin_name() const { return plugin_name_; }
    // Index of the option with this key (dashes count as underscores); nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const;

    // Usage error that names the plugin, the key, and the closest key that exists.
    [[nodiscard]] Status unknown_option(std::string_view key) const;

    // Text -> typed value, range checked. Errors name the option, the text, the rule and an example.
    [[nodiscard]] Result<OptionValue> parse(std::size_t index, std::string_view text) const;

private:
    std::string plugin_name_;
    std::vector<OptionSpec> options_;
};

// Values for a whole table in its order, and their ABI form.
class OptionSet {
public:
    // All defaults.
    static Result<OptionSet> defaults(std::shared_ptr<const Schema> schema);

    [[nodiscard]] const Schema& schema() const { return *schema_; }
    // Parses and stores; unknown key or bad text: usage error.
    Status set(std::string_view key, std::string_view text);
    // Fails if a REQUIRED option is absent.
    [[nodiscard]] Status check_required() const;
    [[nodiscard]] const OptionValue& at(std::size_t index) const { return values_[index]; }
    [[nodiscard]] const OptionValue* find(std::string_view key) const;

    // Canonical text of every value that is present, SECRET ones masked as "***".
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> texts() const;

private:
    std::shared_ptr<const Schema> schema_;
    std::vector<OptionValue> values_;
};

// An OptionSet in the form the ABI wants. Owns the arrays; keep it until the instance is destroyed.
class AbiValues {
public:
    explicit AbiValues(const OptionSet& set);
    [[nodiscard]] const assay_option_value* data() const { return values_.data(); }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }
    [[nodiscard]] static std::uint32_t stride() { return sizeof(assay_option_value); }

private:
    std::vector<assay_option_value> values_;
    std::vector<std::vector<assay_scalar>> items_;
    OptionSet owned_; // keeps the texts alive
};

} // namespace assay
