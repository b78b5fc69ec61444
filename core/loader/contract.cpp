#include "core/loader/contract.hpp"

#include "assay/abi/sampler.h"
#include "assay/abi/workload.h"
#include "core/loader/text_rules.hpp"

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::size_t option_text_max_bytes = 16384;

Status broken(std::string text) { return usage_error(std::move(text)); }

// `size` must reach to the end of the last field that every version of a struct has.
Status check_size(std::string_view what, std::uint32_t size, std::size_t needed) {
    if (size >= needed && size <= stride_max_bytes) return {};
    return broken(fmt::format("{} has struct_size {}, and this ABI needs {} to {}", what, size, needed,
                              std::uint32_t{stride_max_bytes}));
}
#define ASSAY_END_OF(type, field) (offsetof(type, field) + sizeof(type::field))

// A table of structs: bounds of the count, the stride and the pointer, then each struct_size.
struct TableRule {
    std::string_view what;
    std::uint32_t count_max;
    std::size_t needed;
};
Status check_table(const TableRule& rule, const void* items, std::uint32_t count, std::uint32_t stride) {
    if (count > rule.count_max)
        return broken(fmt::format("{} {}s are declared, and at most {} are allowed", count, rule.what, rule.count_max));
    if (count == 0) return {};
    if (items == nullptr) return broken(fmt::format("{} {}s are declared at a null pointer", count, rule.what));
    if (stride < rule.needed || stride > stride_max_bytes || stride % alignof(void*) != 0)
        return broken(fmt::format("the {} table has stride {}, which must be a multiple of {} from {} to {}", rule.what,
                                  stride, alignof(void*), rule.needed, std::uint32_t{stride_max_bytes}));
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto size =
            *reinterpret_cast<const std::uint32_t*>(static_cast<const char*>(items) + std::size_t{i} * stride);
        if (size < rule.needed || size > stride)
            return broken(fmt::format("{} {} has struct_size {}, which must be from {} to the table's stride {}",
                                      rule.what, i, size, rule.needed, stride));
    }
    return {};
}
template <class T>
const T& item(const T* items, std::uint32_t index, std::uint32_t stride) {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(items) + std::size_t{index} * stride);
}

Status check_texts(const assay_descriptor& d) {
    if (Status bad = check_name("the name", d.name); !bad.ok()) return bad;
    if (Status bad = check_id("the id", d.id); !bad.ok()) return bad;
    const struct {
        std::string_view what;
        const char* text;
        TextRule rule;
    } texts[] = {
        {"the version", d.version, {64, true, false}},    {"the summary", d.summary, {200, true, false}},
        {"the help", d.help, {16384, false, true}},       {"the privileges text", d.privileges, {4096, false, true}},
        {"the example", d.example, {1024, false, false}},
    };
    for (const auto& text : texts)
        if (Status bad = check_text(text.what, text.text, text.rule); !bad.ok()) return bad;
    return {};
}

Status check_operations(const assay_descriptor& d) {
    const TableRule rule{"operation", operations_max, ASSAY_END_OF(assay_operation, histogram_names)};
    if (Status bad = check_table(rule, d.operations, d.operation_count, d.operation_stride); !bad.ok()) return bad;
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < d.operation_count; ++i) {
        const assay_operation& operation = item(d.operations, i, d.operation_stride);
        const std::string what = fmt::format("operation {}", i);
        if (Status bad = check_name(what + "'s name", operation.name); !bad.ok()) return bad;
        if (!names.insert(operation.name).second)
            return broken(fmt::format("two operations are named '{}'", operation.name));
        if (Status bad = check_text(what + "'s help", operation.help, {1024, false, false}); !bad.ok()) return bad;
        if (operation.kind < ASSAY_OP_READ || operation.kind > ASSAY_OP_OTHER)
            return broken(fmt::format("operation '{}' has the unknown kind {}", operation.name, operation.kind));
        if (operation.histogram_count == 0 || operation.histogram_count > histograms_max)
            return broken(fmt::format("operation '{}' has {} histograms, and 1 to {} are allowed", operation.name,
                                      operation.histogram_count, histograms_max));
        if (operation.histogram_names == nullptr)
            return broken(fmt::format("operation '{}' names no histograms", operation.name));
        std::set<std::string> histograms;
        for (std::uint32_t h = 0; h < operation.histogram_count; ++h) {
            const char* name = operation.histogram_names[h];
            if (Status bad = check_name(fmt::format("histogram {} of operation '{}'", h, operation.name), name);
                !bad.ok())
                return bad;
            if (!histograms.insert(name).second)
                return broken(fmt::format("operation '{}' has two histograms named '{}'", operation.name, name));
        }
    }
    return {};
}

Status check_metrics(const assay_descriptor& d) {
    const TableRule rule{"metric", metrics_max, ASSAY_END_OF(assay_metric, help)};
    if (Status bad = check_table(rule, d.metrics, d.metric_count, d.metric_stride); !bad.ok()) return bad;
    std::set<std::string> keys;
    for (std::uint32_t i = 0; i < d.metric_count; ++i) {
        const assay_metric& metric = item(d.metrics, i, d.metric_stride);
        if (Status bad = check_name(fmt::format("metric {}'s key", i), metric.key); !bad.ok()) return bad;
        if (!keys.insert(metric.key).second) return broken(fmt::format("two metrics have the key '{}'", metric.key));
        if (Status bad =
                check_text(fmt::format("the unit of metric '{}'", metric.key), metric.unit, {32, false, false});
            !bad.ok())
            return bad;
        if (Status bad =
                check_text(fmt::format("the help of metric '{}'", metric.key), metric.help, {1024, false, false});
            !bad.ok())
            return bad;
        if (metric.kind != ASSAY_METRIC_COUNTER && metric.kind != ASSAY_METRIC_GAUGE)
            return broken(fmt::format("metric '{}' has the unknown kind {}", metric.key, metric.kind));
    }
    return {};
}

// The table itself is the schema's to check; this is what will be printed of it.
Status check_option_texts(const Schema& schema) {
    for (const OptionSpec& option : schema.options()) {
        std::vector<std::string_view> texts{option.help, option.unit, option.group, option.example};
        for (const auto* text : {&option.default_text, &option.min_text, &option.max_text})
            if (*text) texts.push_back(**text);
        texts.insert(texts.end(), option.enum_names.begin(), option.enum_names.end());
        texts.insert(texts.end(), option.enum_help.begin(), option.enum_help.end());
        for (const std::string_view text : texts)
            if (Status bad = check_text(fmt::format("a text of option '{}'", option.key), std::string(text).c_str(),
                                        {option_text_max_bytes, false, true});
                !bad.ok())
                return bad;
    }
    return {};
}

// One function that an interface must have.
struct Required {
    const char* name;
    bool present;
};
Status check_functions(std::string_view kind, std::initializer_list<Required> functions) {
    for (const Required& function : functions)
        if (!function.present)
            return broken(fmt::format("the {} interface has no {}(), which every {} needs", kind, function.name, kind));
    return {};
}

Status check_interface(const assay_descriptor& d) {
    if (d.kind != ASSAY_KIND_WORKLOAD && d.kind != ASSAY_KIND_SAMPLER)
        return broken(fmt::format("plugin '{}' is of kind {}, and this assay knows {} (workload) and {} (sampler)",
                                  d.name, d.kind, std::int32_t{ASSAY_KIND_WORKLOAD}, std::int32_t{ASSAY_KIND_SAMPLER}));
    if (d.interface == nullptr) return broken(fmt::format("plugin '{}' has no interface", d.name));
    if (d.kind == ASSAY_KIND_SAMPLER) {
        const auto& sampler = *static_cast<const assay_sampler*>(d.interface);
        if (Status bad = check_size("the sampler interface", sampler.struct_size, ASSAY_END_OF(assay_sampler, read));
            !bad.ok())
            return bad;
        return check_functions("sampler", {{"create", sampler.create != nullptr},
                                           {"destroy", sampler.destroy != nullptr},
                                           {"configure", sampler.configure != nullptr},
                                           {"list", sampler.list != nullptr},
                                           {"read", sampler.read != nullptr}});
    }
    const auto& workload = *static_cast<const assay_workload*>(d.interface);
    if (Status bad = check_size("the workload interface", workload.struct_size, ASSAY_END_OF(assay_workload, finish));
        !bad.ok())
        return bad;
    return check_functions("workload", {{"create", workload.create != nullptr},
                                        {"destroy", workload.destroy != nullptr},
                                        {"configure", workload.configure != nullptr},
                                        {"phases", workload.phases != nullptr},
                                        {"prepare", workload.prepare != nullptr},
                                        {"run", workload.run != nullptr},
                                        {"finish", workload.finish != nullptr}});
}

} // namespace

Status check_entry(const assay_entry* entry) {
    if (entry == nullptr) return broken(fmt::format("{}() returned a null pointer", ASSAY_ENTRY_SYMBOL));
    // The version first: it says whether the rest can be understood.
    if (Status bad = check_size("the entry", entry->struct_size, ASSAY_END_OF(assay_entry, abi_minor)); !bad.ok())
        return bad;
    if (entry->abi_major != ASSAY_ABI_MAJOR || entry->abi_minor != ASSAY_ABI_MINOR)
        return broken(fmt::format(
            "was built for plugin ABI {}.{}, and this assay has {}.{} (a draft: both numbers must be equal); "
            "rebuild the plugin with this version's headers",
            entry->abi_major, entry->abi_minor, ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR));
    if (Status bad = check_size("the entry", entry->struct_size, ASSAY_END_OF(assay_entry, descriptor)); !bad.ok())
        return bad;
    if (entry->descriptor_count == 0 || entry->descriptor_count > descriptors_max)
        return broken(
            fmt::format("declares {} plugins, and a file holds 1 to {}", entry->descriptor_count, descriptors_max));
    if (entry->descriptor == nullptr) return broken("the entry has no descriptor() function");
    return {};
}

Result<CheckedDescriptor> check_descriptor(const assay_descriptor* descriptor) {
    if (descriptor == nullptr) return broken("descriptor() returned a null pointer");
    const assay_descriptor& d = *descriptor;
    if (Status bad = check_size("the descriptor", d.struct_size, ASSAY_END_OF(assay_descriptor, interface)); !bad.ok())
        return bad;
    if (Status bad = check_texts(d); !bad.ok()) return bad;
    if (Status bad = check_interface(d); !bad.ok()) return bad;
    if (Status bad = check_operations(d); !bad.ok()) return bad;
    if (Status bad = check_metrics(d); !bad.ok()) return bad;
    auto schema = Schema::from_table(d.name, d.options);
    if (!schema) return broken(schema.status().message());
    if (Status bad = check_option_texts(*schema); !bad.ok()) return bad;
    return CheckedDescriptor{descriptor, d.name, d.id, std::make_shared<const Schema>(std::move(*schema))};
}

} // namespace assay
