#include "core/sample/sampler.hpp"

#include "core/base/clock.hpp"
#include "core/record/plugin_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::sample {
namespace {

constexpr int lists_a_reading_max = 4;
constexpr std::size_t plugin_name_bytes_max = 64;

bool is_whole(const assay_sampler& functions) {
    return ASSAY_HAS(&functions, assay_sampler, read) && functions.create != nullptr && functions.destroy != nullptr &&
           functions.configure != nullptr && functions.list != nullptr && functions.read != nullptr;
}

bool asks_for_the_impossible(assay_status status) {
    return status == ASSAY_INVALID_OPTION || status == ASSAY_UNSUPPORTED || status == ASSAY_UNAVAILABLE ||
           status == ASSAY_PERMISSION;
}

} // namespace

Result<std::unique_ptr<Sampler>> Sampler::create(const assay_descriptor& descriptor, const OptionSet& options,
                                                 Log log) {
    std::string name = plugin_text(descriptor.name, plugin_name_bytes_max);
    if (descriptor.kind != ASSAY_KIND_SAMPLER)
        return usage_error(fmt::format("plugin '{}' is not a sampler; `assay plugins list` shows which are", name));
    const auto* functions = ASSAY_HAS(&descriptor, assay_descriptor, interface)
                                ? static_cast<const assay_sampler*>(descriptor.interface)
                                : nullptr;
    if (functions == nullptr || !is_whole(*functions))
        return run_error(
            fmt::format("plugin '{}' lacks one of the functions that a sampler must have (create, destroy, "
                        "configure, list, read); this is a defect of the plugin",
                        name));
    std::unique_ptr<Sampler> made(new Sampler(std::move(name), *functions, options, std::move(log)));
    if (const assay_status status = functions->create(made->host_.abi(), &made->instance_); status != ASSAY_OK)
        return made->failed("create", status);
    made->created_ = true;
    const AbiValues& values = made->options_;
    if (const assay_status status =
            functions->configure(made->instance_, values.data(), values.count(), AbiValues::stride());
        status != ASSAY_OK)
        return made->failed("configure", status);
    if (Status bad = made->list(); !bad.ok()) return bad;
    return made;
}

Sampler::Sampler(std::string name, const assay_sampler& functions, const OptionSet& options, Log log)
    : name_(std::move(name)), functions_(functions), options_(options), host_(std::move(log)) {}

Sampler::~Sampler() {
    if (created_) functions_.destroy(instance_);
}

Status Sampler::failed(const char* call, assay_status status) {
    std::string reason = host_.take_error();
    if (reason.empty()) reason = fmt::format("the plugin gave no reason (status {})", status);
    if (asks_for_the_impossible(status)) return usage_error(fmt::format("{}: {}", name_, reason));
    return run_error(fmt::format("{}: {}: {}", name_, call, reason));
}

Status Sampler::list() {
    const assay_series_list* list = nullptr;
    if (const assay_status status = functions_.list(instance_, &list); status != ASSAY_OK)
        return failed("list", status);
    Result<SeriesTable> table = read_series_list(name_, list);
    if (!table) return table.status();
    table_ = std::move(*table);
    const auto twice = std::count_if(table_.series.begin(), table_.series.end(),
                                     [](const SeriesSpec& spec) { return spec.duplicate; });
    if (twice > 0 && lists_ == 0)
        host_.warn(
            fmt::format("sampler '{}' lists {} series under names that others have; they are left out", name_, twice));
    ++lists_;
    return {};
}

Status Sampler::read() {
    for (int tries = 0; tries < lists_a_reading_max; ++tries) {
        if (tries > 0)
            if (Status bad = list(); !bad.ok()) return bad;
        values_.assign(table_.series.size(), {});
        group_ns_.assign(table_.group_count, 0);
        assay_reading reading{};
        reading.struct_size = sizeof(assay_reading);
        reading.value_count = static_cast<std::uint32_t>(values_.size());
        reading.group_count = static_cast<std::uint32_t>(group_ns_.size());
        reading.values = values_.data();
        reading.group_ns = group_ns_.data();
        const assay_status status = functions_.read(instance_, &reading);
        if (status == ASSAY_CANCELLED) continue;
        if (status != ASSAY_OK) return failed("read", status);
        // An instant that has not come yet would make every later one look like a step back in time.
        const std::int64_t now_ns = monotonic_ns();
        for (std::int64_t& instant_ns : group_ns_)
            if (instant_ns < 0 || instant_ns > now_ns) instant_ns = 0;
        return {};
    }
    return run_error(
        fmt::format("sampler '{}' said {} times in one reading that its list changed; this is a defect of "
                    "the plugin",
                    name_, lists_a_reading_max));
}

} // namespace assay::sample
