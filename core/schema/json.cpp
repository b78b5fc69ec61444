#include "core/schema/help.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNumber = R"([0-9]+(\.[0-9]+)?)";

std::string_view type_name(assay_option_type type) {
    constexpr std::string_view kNames[] = {"",     "bool",     "int",  "float",      "string", "enum",
                                           "size", "duration", "rate", "percentage", "path",   "endpoint"};
    return kNames[type];
}

// One item as a regular expression without anchors; "" where any text goes.
std::string item_pattern(const OptionSpec& option) {
    switch (option.type) {
        case ASSAY_TYPE_BOOL:
            return "([Yy][Ee][Ss]|[Nn][Oo]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Oo][Nn]|[Oo][Ff][Ff]|1|0)";
        case ASSAY_TYPE_INT:
            return "-?[0-9]+";
        case ASSAY_TYPE_FLOAT:
            return fmt::format("-?{}", kNumber);
        case ASSAY_TYPE_SIZE:
            return fmt::format("{} ?(B|[KMGTPE]iB|[kKMGTPE]B)", kNumber);
        case ASSAY_TYPE_DURATION:
            return fmt::format("{} ?(ns|us|ms|s|min|h|d)", kNumber);
        case ASSAY_TYPE_RATE:
            return option.unit == "op/s" ? fmt::format("{} ?([kMG]?/s|[kMG]? ?IOPS)", kNumber)
                                         : fmt::format("{} ?(B|[KMGTPE]iB|[kKMGTPE]B|[kKMGT]?bit)/s", kNumber);
        case ASSAY_TYPE_PERCENTAGE:
            return fmt::format("{} ?%", kNumber);
        case ASSAY_TYPE_ENDPOINT:
            return R"((\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]+)";
        default:
            return "";
    }
}

Json text_schema(const std::string& pattern) {
    Json schema = {{"type", "string"}};
    if (!pattern.empty()) schema["pattern"] = fmt::format("^{}$", pattern);
    return schema;
}

// One item, in every JSON type that reads as its text.
Json item_schema(const OptionSpec& option) {
    if (option.type == ASSAY_TYPE_ENUM) return {{"enum", option.enum_names}};
    Json text = text_schema(item_pattern(option));
    if (option.type == ASSAY_TYPE_BOOL) return {{"anyOf", {{{"type", "boolean"}}, {{"enum", {0, 1}}}, text}}};
    if (option.type != ASSAY_TYPE_INT && option.type != ASSAY_TYPE_FLOAT) return text;
    Json number = {{"type", option.type == ASSAY_TYPE_INT ? "integer" : "number"}};
    const auto bound = [&](const std::optional<Scalar>& value, const char* name) {
        if (value) number[name] = option.type == ASSAY_TYPE_INT ? Json(value->integer) : Json(value->real);
    };
    bound(option.min, "minimum");
    bound(option.max, "maximum");
    return {{"anyOf", {number, text}}};
}

Json value_schema(const OptionSpec& option) {
    if (option.has(ASSAY_OPTION_SECRET)) return text_schema("(env|file):.+");
    if (!option.is_list()) return item_schema(option);
    const bool weighted = option.has(ASSAY_OPTION_WEIGHTED);
    Json item = weighted ? Json{{"anyOf", {item_schema(option), text_schema(fmt::format("[^,]+:{}", kNumber))}}}
                         : item_schema(option);
    return {{"anyOf", {{{"type", "array"}, {"minItems", 1}, {"items", item}}, {{"type", "string"}}}}};
}

} // namespace

std::string schema_json_schema(const Schema& schema) {
    Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", fmt::format("options of {}", schema.plugin_name())},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"properties", Json::object()}};
    Json required = Json::array();
    for (const OptionSpec& option : schema.options()) {
        Json property = value_schema(option);
        property["description"] = fmt::format("{} ({})", option.help, option_form(option));
        if (option.default_text) property["default"] = *option.default_text;
        if (option.has(ASSAY_OPTION_DEPRECATED)) property["deprecated"] = true;
        if (option.has(ASSAY_OPTION_REQUIRED)) required.push_back(option.key);
        root["properties"][option.key] = std::move(property);
    }
    if (!required.empty()) root["required"] = required;
    return root.dump(2);
}

std::string schema_options_json(const Schema& schema) {
    Json list = Json::array();
    for (const OptionSpec& option : schema.options()) {
        const auto text = [](const std::optional<std::string>& value) { return value ? Json(*value) : Json(nullptr); };
        Json entry = {{"key", option.key},
                      {"type", type_name(option.type)},
                      {"form", option_form(option)},
                      {"help", option.help},
                      {"unit", option.unit},
                      {"group", option.group},
                      {"default", text(option.default_text)},
                      {"min", text(option.min_text)},
                      {"max", text(option.max_text)},
                      {"example", option.example.empty() ? Json(nullptr) : Json(option.example)},
                      {"list", option.is_list()},
                      {"weighted", option.has(ASSAY_OPTION_WEIGHTED)},
                      {"required", option.has(ASSAY_OPTION_REQUIRED)},
                      {"secret", option.has(ASSAY_OPTION_SECRET)},
                      {"destructive", option.has(ASSAY_OPTION_DESTRUCTIVE)},
                      {"deprecated", option.has(ASSAY_OPTION_DEPRECATED)},
                      {"needs_setup", option.has(ASSAY_OPTION_NEEDS_SETUP)}};
        if (option.type == ASSAY_TYPE_ENUM) {
            entry["values"] = Json::array();
            for (std::size_t i = 0; i < option.enum_names.size(); ++i) {
                const std::string help = option.enum_help.empty() ? std::string() : option.enum_help[i];
                entry["values"].push_back({{"name", option.enum_names[i]}, {"help", help}});
            }
        }
        list.push_back(std::move(entry));
    }
    return list.dump(2);
}

} // namespace assay
