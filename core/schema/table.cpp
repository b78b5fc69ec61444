// Schema::from_table: a plugin's option table, checked and copied. What comes from the plugin is hostile until then.
#include "core/base/text.hpp"
#include "core/schema/schema.hpp"
#include "core/schema/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace assay {
namespace {

constexpr std::uint32_t kOptionsMax = 512;
constexpr std::uint32_t kStrideMax = 4096;
constexpr std::uint32_t kEnumNamesMax = 1024;
constexpr std::size_t kStringBytesMax = 64 * 1024;
constexpr std::size_t kKeyBytesMax = 64;
constexpr std::uint32_t kOptionBytesMin = offsetof(assay_option, key) + sizeof(const char*);

// The option as this host knows it. Fields outside the plugin's struct read as null, also one that is cut in two.
assay_option read_option(const char* at, std::uint32_t size) {
    assay_option option{};
    std::memcpy(&option, at, std::min<std::size_t>(size, sizeof option));
    if (!ASSAY_HAS(&option, assay_option, help)) option.help = nullptr;
    if (!ASSAY_HAS(&option, assay_option, default_text)) option.default_text = nullptr;
    if (!ASSAY_HAS(&option, assay_option, min_text)) option.min_text = nullptr;
    if (!ASSAY_HAS(&option, assay_option, max_text)) option.max_text = nullptr;
    if (!ASSAY_HAS(&option, assay_option, unit)) option.unit = nullptr;
    if (!ASSAY_HAS(&option, assay_option, group)) option.group = nullptr;
    if (!ASSAY_HAS(&option, assay_option, example)) option.example = nullptr;
    if (!ASSAY_HAS(&option, assay_option, enum_names)) option.enum_names = nullptr;
    if (!ASSAY_HAS(&option, assay_option, enum_help)) option.enum_help = nullptr;
    return option;
}

Status malformed(std::string text) { return internal_error(std::move(text)); }

// Copies a plugin's string; null gives "".
Status copy_text(const char* from, std::string_view what, std::string& to) {
    if (from == nullptr) return {};
    const std::size_t length = ::strnlen(from, kStringBytesMax + 1);
    if (length > kStringBytesMax)
        return malformed(fmt::format("its {} is longer than {} bytes", what, kStringBytesMax));
    to.assign(from, length);
    if (!is_utf8(to)) return malformed(fmt::format("its {} {} is not UTF-8", what, in_quotes(to)));
    return {};
}

Status copy_text(const char* from, std::string_view what, std::optional<std::string>& to) {
    return from == nullptr ? Status() : copy_text(from, what, to.emplace());
}

bool is_key(std::string_view key) {
    const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !key.empty() && key.size() <= kKeyBytesMax && key[0] >= 'a' && key[0] <= 'z' &&
           std::all_of(key.begin(), key.end(), word);
}

// Neither a comma (lists) nor a colon (weights) nor blanks can be in a name.
bool is_enum_name(std::string_view name) {
    const auto graphic = [](char c) { return c > ' ' && c < '\x7f' && c != ',' && c != ':'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), graphic);
}

Status copy_enum(const assay_option& from, OptionSpec& to) {
    if (from.enum_count == 0 || from.enum_count > kEnumNamesMax || from.enum_names == nullptr) {
        return malformed(fmt::format("an enum has 1 to {} names, this one has {}", kEnumNamesMax, from.enum_count));
    }
    for (std::uint32_t i = 0; i < from.enum_count; ++i) {
        std::string name;
        if (const Status status = copy_text(from.enum_names[i], "enum name", name); !status.ok()) return status;
        if (!is_enum_name(name)) {
            return malformed(fmt::format("its enum name {} is empty or has a blank, comma or colon", in_quotes(name)));
        }
        if (std::find(to.enum_names.begin(), to.enum_names.end(), name) != to.enum_names.end()) {
            return malformed(fmt::format("its enum name {} occurs twice", in_quotes(name)));
        }
        to.enum_names.push_back(std::move(name));
    }
    for (std::uint32_t i = 0; from.enum_help != nullptr && i < from.enum_count; ++i) {
        if (const Status status = copy_text(from.enum_help[i], "enum help", to.enum_help.emplace_back());
            !status.ok()) {
            return status;
        }
    }
    return {};
}

Status copy_texts(const assay_option& from, OptionSpec& to) {
    for (const Status& status :
         {copy_text(from.help, "help", to.help), copy_text(from.default_text, "default", to.default_text),
          copy_text(from.min_text, "minimum", to.min_text), copy_text(from.max_text, "maximum", to.max_text),
          copy_text(from.unit, "unit", to.unit), copy_text(from.group, "group", to.group),
          copy_text(from.example, "example", to.example)}) {
        if (!status.ok()) return status;
    }
    return {};
}

bool has_order(const OptionSpec& option) {
    switch (option.type) {
        case ASSAY_TYPE_INT:
        case ASSAY_TYPE_FLOAT:
        case ASSAY_TYPE_SIZE:
        case ASSAY_TYPE_DURATION:
        case ASSAY_TYPE_RATE:
        case ASSAY_TYPE_PERCENTAGE:
            return true;
        default:
            return false;
    }
}

Status parse_bounds(OptionSpec& option) {
    if ((option.min_text || option.max_text) && !has_order(option))
        return malformed("a range does not go with its type");
    for (const auto& [text, bound] :
         {std::pair(&option.min_text, &option.min), std::pair(&option.max_text, &option.max)}) {
        if (!*text) continue;
        Result<Scalar> value = parse_scalar(option, **text); // with the minimum in place, also checks that max >= min
        if (!value) return malformed(value.status().wrap("its range").message());
        *bound = std::move(*value);
    }
    return {};
}

Status check_option(const OptionSpec& option) {
    const bool text =
        option.type == ASSAY_TYPE_STRING || option.type == ASSAY_TYPE_PATH || option.type == ASSAY_TYPE_ENDPOINT;
    if (option.has(ASSAY_OPTION_WEIGHTED) && text)
        return malformed("weights do not go with texts, which may hold colons");
    if (option.has(ASSAY_OPTION_SECRET)) {
        if (option.default_text || !text) return malformed("a secret is a text without a default");
        return {};
    }
    if (option.default_text && option.has(ASSAY_OPTION_REQUIRED)) return malformed("a required option has no default");
    if (option.default_text) {
        const Result<OptionValue> value = parse_value(option, *option.default_text);
        if (!value) return malformed(value.status().wrap("its default").message());
    }
    if (!option.example.empty()) {
        const Result<OptionValue> value = parse_value(option, option.example);
        if (!value) return malformed(value.status().wrap("its example").message());
    }
    return {};
}

Status copy_option(const assay_option& from, OptionSpec& to) {
    to.type = from.type;
    to.flags = from.flags;
    if (to.type < ASSAY_TYPE_BOOL || to.type > ASSAY_TYPE_ENDPOINT) {
        return malformed(fmt::format("its type {} is not one this host knows ({} to {})", to.type,
                                     static_cast<int>(ASSAY_TYPE_BOOL), static_cast<int>(ASSAY_TYPE_ENDPOINT)));
    }
    if (const Status status = copy_texts(from, to); !status.ok()) return status;
    if (to.type == ASSAY_TYPE_ENUM) {
        if (const Status status = copy_enum(from, to); !status.ok()) return status;
    }
    if (const Status status = parse_bounds(to); !status.ok()) return status;
    return check_option(to);
}

Status check_table(const assay_option_table& table) {
    if (!ASSAY_HAS(&table, assay_option_table, options)) {
        return malformed(fmt::format("the table is {} bytes, at least {} are needed", table.struct_size,
                                     offsetof(assay_option_table, options) + sizeof(table.options)));
    }
    if (table.count > kOptionsMax)
        return malformed(fmt::format("{} options are more than {}", table.count, kOptionsMax));
    if (table.count == 0) return {};
    if (table.options == nullptr) return malformed("the table has no options");
    if (table.stride < kOptionBytesMin || table.stride > kStrideMax) {
        return malformed(
            fmt::format("a stride of {} bytes lies outside {} to {}", table.stride, kOptionBytesMin, kStrideMax));
    }
    return {};
}

} // namespace

Result<Schema> Schema::from_table(std::string_view plugin_name, const assay_option_table& table) {
    const std::string context = fmt::format("the option table of {} is malformed", plugin_name);
    if (const Status status = check_table(table); !status.ok()) return status.wrap(context);
    Schema schema;
    schema.plugin_name_ = plugin_name;
    for (std::uint32_t i = 0; i < table.count; ++i) {
        const char* at = reinterpret_cast<const char*>(table.options) + std::size_t{i} * table.stride;
        std::uint32_t size = 0;
        std::memcpy(&size, at, sizeof size);
        if (size < kOptionBytesMin || size > table.stride) {
            return malformed(fmt::format("{}: option {} is {} bytes, outside {} to the stride of {}", context, i, size,
                                         kOptionBytesMin, table.stride));
        }
        const assay_option from = read_option(at, size);
        OptionSpec option;
        if (const Status status = copy_text(from.key, "key", option.key); !status.ok()) {
            return status.wrap(fmt::format("{}: option {}", context, i));
        }
        if (!is_key(option.key)) {
            return malformed(fmt::format("{}: the key {} of option {} is not lower snake case of 1 to {} characters",
                                         context, in_quotes(option.key), i, kKeyBytesMax));
        }
        if (schema.find(option.key)) return malformed(fmt::format("{}: the key {} occurs twice", context, option.key));
        if (const Status status = copy_option(from, option); !status.ok()) {
            return status.wrap(fmt::format("{}: option {}", context, option.key));
        }
        schema.options_.push_back(std::move(option));
    }
    return schema;
}

} // namespace assay
