#include "core/base/text.hpp"
#include "core/loader/loader.hpp"
#include "core/schema/help.hpp"
#include "tools/assay/command.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

const char* kind_name(assay_plugin_kind kind) {
    switch (kind) {
        case ASSAY_KIND_WORKLOAD:
            return "workload";
        case ASSAY_KIND_SAMPLER:
            return "sampler";
        case ASSAY_KIND_CLUSTER:
            return "cluster";
        default:
            return "unknown kind";
    }
}

std::string effects_text(std::uint32_t effects) {
    std::string text;
    const auto add = [&](std::uint32_t effect, const char* word) {
        if ((effects & effect) == 0) return;
        if (!text.empty()) text += ", ";
        text += word;
    };
    add(ASSAY_EFFECT_READS, "reads");
    add(ASSAY_EFFECT_WRITES, "writes");
    add(ASSAY_EFFECT_DESTROYS, "destroys what is there");
    return text.empty() ? "does not touch it" : text;
}

const char* text_or_empty(const char* text) { return text == nullptr ? "" : text; }

template <class T>
std::vector<const T*> table(const T* first, std::uint32_t count, std::uint32_t stride) {
    std::vector<const T*> items;
    for (std::uint32_t i = 0; i < count; ++i)
        items.push_back(reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) + std::size_t{i} * stride));
    return items;
}
std::vector<const assay_operation*> operations_of(const assay_descriptor& d) {
    return table(d.operations, d.operation_count, d.operation_stride);
}
std::vector<const assay_metric*> metrics_of(const assay_descriptor& d) {
    return table(d.metrics, d.metric_count, d.metric_stride);
}

ordered_json summary_json(const LoadedPlugin& plugin) {
    const assay_descriptor& d = *plugin.descriptor;
    return {{"name", d.name},       {"id", d.id},
            {"version", d.version}, {"kind", kind_name(d.kind)},
            {"summary", d.summary}, {"path", plugin.file.path}};
}

ordered_json full_json(const LoadedPlugin& plugin) {
    const assay_descriptor& d = *plugin.descriptor;
    ordered_json json = summary_json(plugin);
    json["sha256"] = plugin.file.sha256;
    json["build_id"] = plugin.file.build_id;
    json["help"] = text_or_empty(d.help);
    json["privileges"] = text_or_empty(d.privileges);
    json["effects_on_target"] = {{"reads", (d.effects & ASSAY_EFFECT_READS) != 0},
                                 {"writes", (d.effects & ASSAY_EFFECT_WRITES) != 0},
                                 {"destroys", (d.effects & ASSAY_EFFECT_DESTROYS) != 0}};
    json["options"] = ordered_json::parse(schema_options_json(*plugin.schema));
    json["options_schema"] = ordered_json::parse(schema_json_schema(*plugin.schema));
    json["operations"] = ordered_json::array();
    for (const assay_operation* operation : operations_of(d)) {
        ordered_json histograms = ordered_json::array();
        for (std::uint32_t i = 0; i < operation->histogram_count; ++i)
            histograms.push_back(operation->histogram_names[i]);
        json["operations"].push_back(
            {{"name", operation->name}, {"help", text_or_empty(operation->help)}, {"histograms_ns", histograms}});
    }
    json["metrics"] = ordered_json::array();
    for (const assay_metric* metric : metrics_of(d)) {
        json["metrics"].push_back({{"key", metric->key},
                                   {"unit", text_or_empty(metric->unit)},
                                   {"kind", metric->kind == ASSAY_METRIC_COUNTER ? "counter" : "gauge"},
                                   {"help", text_or_empty(metric->help)}});
    }
    return json;
}

void show(const LoadedPlugin& plugin) {
    const assay_descriptor& d = *plugin.descriptor;
    std::printf("%s %s (%s, %s)\n%s\n\n%s\n\n", d.name, d.version, kind_name(d.kind), d.id, d.summary,
                text_or_empty(d.help));
    std::printf("Target:     %s\n", effects_text(d.effects).c_str());
    if (*text_or_empty(d.privileges) != '\0') std::printf("Privileges: %s\n", d.privileges);
    std::printf("File:       %s\n", plugin.file.path.c_str());
    const auto operations = operations_of(d);
    if (!operations.empty()) std::printf("\nOperations it counts:\n");
    for (const assay_operation* operation : operations)
        std::printf("  %-24s %s\n", operation->name, text_or_empty(operation->help));
    const auto metrics = metrics_of(d);
    if (!metrics.empty()) std::printf("\nMetrics:\n");
    for (const assay_metric* metric : metrics)
        std::printf("  %-24s %s (%s)\n", metric->key, text_or_empty(metric->help), text_or_empty(metric->unit));
    std::printf("\nOptions (in a plan: key: value; on the command line: --key-with-dashes value):\n%s",
                schema_help(*plugin.schema, 100).c_str());
    if (*text_or_empty(d.example) != '\0') std::printf("\nExample:\n  assay %s\n", d.example);
}

int list(Loader& loader, bool json) {
    const Loader::Listing listing = loader.list();
    if (json) {
        ordered_json out = {{"plugins", ordered_json::array()}, {"broken", ordered_json::array()}};
        for (const LoadedPlugin* plugin : listing.plugins)
            out["plugins"].push_back(summary_json(*plugin));
        for (const BrokenPlugin& broken : listing.broken)
            out["broken"].push_back({{"path", broken.path}, {"reason", broken.reason.message()}});
        std::printf("%s\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
        return 0;
    }
    for (const LoadedPlugin* plugin : listing.plugins)
        std::printf("%-12s %-9s %-9s %s\n", plugin->name.c_str(), plugin->descriptor->version,
                    kind_name(plugin->descriptor->kind), plugin->descriptor->summary);
    if (listing.plugins.empty()) std::printf("No plugins found.\n");
    for (const BrokenPlugin& broken : listing.broken)
        std::fprintf(stderr, "assay: not usable: %s\n", broken.reason.message().c_str());
    return 0;
}

constexpr const char* usage_text =
    "assay plugins list [--json] [--plugin PATH]        what can be run, and what could not be loaded and why\n"
    "assay plugins show NAME [--json] [--plugin PATH]   options, operations and effects of one plugin\n\n"
    "Plugins are looked for in --plugin PATH, then $ASSAY_PLUGIN_PATH (colon-separated), then beside assay.\n\n"
    "Example:\n  assay plugins show block\n";

} // namespace

int plugins_command(const Arguments& arguments) {
    bool json = false;
    std::vector<std::string> words;
    Loader::Options options;
    options.directories = default_plugin_directories();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::fputs(usage_text, stdout);
            return 0;
        }
        if (argument == "--json") {
            json = true;
        } else if (argument == "--plugin" && i + 1 < arguments.size()) {
            options.plugin_paths.push_back(arguments[++i]);
        } else if (argument.starts_with("--plugin=")) {
            options.plugin_paths.push_back(argument.substr(9));
        } else if (argument.starts_with("-")) {
            return fail(
                usage_error("unknown option '" + argument + "' for `assay plugins`; known are --json, --plugin"));
        } else {
            words.push_back(argument);
        }
    }
    Loader loader(std::move(options));
    if (words.size() == 1 && words[0] == "list") return list(loader, json);
    if (words.size() == 2 && words[0] == "show") {
        Result<const LoadedPlugin*> plugin = loader.find(words[1]);
        if (!plugin) return fail(plugin.status());
        if (json)
            std::printf("%s\n",
                        full_json(**plugin).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
        else
            show(**plugin);
        return 0;
    }
    std::fputs(usage_text, stderr);
    return 2;
}

} // namespace assay::cli
