// A plugin's option table as the core sees it: checked once, then the single source for parsing values, help text,
// JSON schema and completion.
//
// Reads the ABI table through struct_size and stride only; a plugin's table is checked and bounded before it is used.
// A SECRET option is never given by value: its text is a reference, `env:NAME` or `file:PATH`, which parse() follows.
// So plans, command lines, messages and results can hold only the reference. Any thread once made (immutable).
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

// One typed value; which member counts is fixed by the option's type, as in assay_scalar.
struct Scalar {
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    double weight = 1;
};

struct OptionSpec {
    std::string key;
    assay_option_type type = ASSAY_TYPE_STRING;
    std::uint32_t flags = 0;
    std::string help;
    std::optional<std::string> default_text;
    std::optional<std::string> min_text;
    std::optional<std::string> max_text;
    std::optional<Scalar> min; // min_text and max_text, parsed
    std::optional<Scalar> max;
    std::string unit;
    std::string group;
    std::string example;
    std::vector<std::string> enum_names;
    std::vector<std::string> enum_help; // empty or as long as enum_names

    [[nodiscard]] bool is_list() const { return (flags & (ASSAY_OPTION_LIST | ASSAY_OPTION_WEIGHTED)) != 0; }
    [[nodiscard]] bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

// The value of one option: typed items and the text they came from.
struct OptionValue {
    bool given = false;
    std::string text;          // as written; of a SECRET the reference
    std::vector<Scalar> items; // empty: absent
};

// The one text for a value, however it was written: 4096B -> "4KiB", "on" -> "yes". Parses back to the same value.
// Empty if absent; "***" for a SECRET.
std::string canonical_text(const OptionSpec& option, const OptionValue& value);

class Schema {
public:
    // Fails (internal) naming the plugin and option if the table is malformed: duplicate or ill-formed keys, a
    // default, bound or example that does not parse or lies outside its range, an enum without names.
    // Limits: 512 options, 1024 enum names, strings of 64 KiB.
    static Result<Schema> from_table(std::string_view plugin_name, const assay_option_table& table);

    [[nodiscard]] const std::vector<OptionSpec>& options() const { return options_; }
    [[nodiscard]] const std::string& plugin_name() const { return plugin_name_; }
    // Index of the option with this key (dashes count as underscores); nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const;

    // Usage error that names the plugin, the key, and the closest key that exists.
    [[nodiscard]] Status unknown_option(std::string_view key) const;

    // Text -> typed value (given), range checked. Errors name the option, the text, the rule and an example. A list
    // has at most 4096 items.
    [[nodiscard]] Result<OptionValue> parse(std::size_t index, std::string_view text) const;

private:
    std::string plugin_name_;
    std::vector<OptionSpec> options_;
};

// Values for a whole table in its order. Cheap to copy: values are shared and never change once made.
class OptionSet {
public:
    // All defaults.
    static Result<OptionSet> defaults(std::shared_ptr<const Schema> schema);

    [[nodiscard]] const Schema& schema() const { return *schema_; }
    // Parses and stores; unknown key or bad text: usage error.
    Status set(std::string_view key, std::string_view text);
    // Stores a value that schema().parse(index, ...) made.
    void assign(std::size_t index, std::shared_ptr<const OptionValue> value) { values_[index] = std::move(value); }
    // Fails if a REQUIRED option is absent.
    [[nodiscard]] Status check_required() const;
    [[nodiscard]] const OptionValue& at(std::size_t index) const { return *values_[index]; }
    [[nodiscard]] const OptionValue* find(std::string_view key) const;

    // Canonical text of every value that is present, SECRET ones masked as "***".
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> texts() const;

private:
    OptionSet() = default;
    std::shared_ptr<const Schema> schema_;
    std::vector<std::shared_ptr<const OptionValue>> values_; // none is null
};

// An OptionSet in the form the ABI wants. Owns the arrays; keep it until the instance is destroyed.
class AbiValues {
public:
    explicit AbiValues(const OptionSet& set);
    AbiValues(const AbiValues&) = delete; // the values point into this object's arrays
    AbiValues& operator=(const AbiValues&) = delete;
    AbiValues(AbiValues&&) = default; // moving keeps the arrays where they are
    AbiValues& operator=(AbiValues&&) = default;
    ~AbiValues() = default;
    [[nodiscard]] const assay_option_value* data() const { return values_.data(); }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }
    [[nodiscard]] static std::uint32_t stride() { return sizeof(assay_option_value); }

private:
    std::vector<assay_option_value> values_;
    std::vector<std::vector<assay_scalar>> items_;
    OptionSet set_; // keeps the texts alive
};

} // namespace assay
