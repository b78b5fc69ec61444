#include "core/run/instance.hpp"

#include "core/record/plugin_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace assay {
namespace {

constexpr std::uint32_t phases_max = 64;
constexpr std::size_t phase_name_bytes_max = 64;
constexpr std::size_t plugin_name_bytes_max = 64;

bool is_whole(const assay_workload& workload) {
    return ASSAY_HAS(&workload, assay_workload, run) && workload.create != nullptr && workload.destroy != nullptr &&
           workload.configure != nullptr && workload.phases != nullptr && workload.prepare != nullptr &&
           workload.run != nullptr;
}

// Nothing went wrong with a run: what was asked for cannot be done with this target, user or kernel.
bool asks_for_the_impossible(assay_status status) {
    return status == ASSAY_INVALID_OPTION || status == ASSAY_UNSUPPORTED || status == ASSAY_UNAVAILABLE ||
           status == ASSAY_PERMISSION;
}

} // namespace

std::string status_text(assay_status status) {
    static constexpr std::array<std::string_view, 11> names{
        "ASSAY_OK",         "ASSAY_INVALID_OPTION", "ASSAY_UNSUPPORTED", "ASSAY_UNAVAILABLE",
        "ASSAY_PERMISSION", "ASSAY_RESOURCE",       "ASSAY_IO",          "ASSAY_TIMEOUT",
        "ASSAY_CANCELLED",  "ASSAY_DATA_MISMATCH",  "ASSAY_INTERNAL"};
    if (status >= 0 && static_cast<std::size_t>(status) < names.size())
        return std::string(names[static_cast<std::size_t>(status)]);
    return fmt::format("unknown status {}", status);
}

std::string reason_text(assay_status status, const CallError& error) {
    const std::string text =
        error.text.empty() ? fmt::format("the plugin gave no reason ({})", status_text(status)) : error.text;
    return error.option.empty() ? text : fmt::format("option {}: {}", error.option, text);
}

Result<std::unique_ptr<Instance>> Instance::create(const RunJob& job, HostServices& services) {
    const assay_descriptor* descriptor = job.descriptor;
    const std::string name = plugin_text(descriptor->name, plugin_name_bytes_max);
    if (descriptor->kind != ASSAY_KIND_WORKLOAD)
        return usage_error(fmt::format("plugin '{}' is not a workload and cannot run as a job", name));
    const auto* workload = ASSAY_HAS(descriptor, assay_descriptor, interface)
                               ? static_cast<const assay_workload*>(descriptor->interface)
                               : nullptr;
    if (workload == nullptr || !is_whole(*workload))
        return run_error(
            fmt::format("plugin '{}' lacks one of the functions that a workload must have (create, "
                        "destroy, configure, phases, prepare, run); this is a defect of the plugin",
                        name));
    std::unique_ptr<Instance> made(new Instance(job, services, *workload));
    HostServices::Call call(services);
    const assay_status status = workload->create(services.abi(), &made->instance_);
    if (status != ASSAY_OK) return made->failed("create", status, call.take_error());
    made->created_ = true;
    return made;
}

Instance::Instance(const RunJob& job, HostServices& services, const assay_workload& workload)
    : services_(services),
      workload_(workload),
      plugin_name_(plugin_text(job.descriptor->name, plugin_name_bytes_max)),
      values_(job.options),
      targets_(job.targets) {
    for (const std::string& target : targets_)
        target_pointers_.push_back(target.c_str());
    abi_job_.struct_size = sizeof(assay_job);
    abi_job_.value_count = values_.count();
    abi_job_.value_stride = AbiValues::stride();
    abi_job_.values = values_.data();
    abi_job_.target_count = static_cast<std::uint32_t>(target_pointers_.size());
    abi_job_.targets = target_pointers_.data();
    abi_job_.local_workers = job.workers;
    abi_job_.global_workers = job.workers;
    abi_job_.first_global_worker = 0;
    abi_job_.bounded_by_time = job.measure_ns > 0 ? 1 : 0;
    abi_job_.seed = job.seed;
}

Instance::~Instance() {
    if (!created_) return;
    const HostServices::Call call(services_);
    workload_.destroy(instance_);
}

Status Instance::failed(const char* call, assay_status status, const CallError& error) const {
    const std::string reason = reason_text(status, error);
    if (asks_for_the_impossible(status)) return usage_error(reason);
    return run_error(fmt::format("{}: {}: {}", plugin_name_, call, reason));
}

Status Instance::defect(const std::string& what) const {
    return run_error(fmt::format("plugin '{}' {}; this is a defect of the plugin", plugin_name_, what));
}

Status Instance::configure() {
    services_.accept_targets(true);
    HostServices::Call call(services_);
    const assay_status status = workload_.configure(instance_, &abi_job_);
    services_.accept_targets(false);
    return status == ASSAY_OK ? Status() : failed("configure", status, call.take_error());
}

Status Instance::read_phases() {
    HostServices::Call call(services_);
    const assay_phase_list* list = nullptr;
    const assay_status status = workload_.phases(instance_, &list);
    if (status != ASSAY_OK) return failed("phases", status, call.take_error());
    if (list == nullptr || !ASSAY_HAS(list, assay_phase_list, phases)) return defect("returned no phase list");
    return check_phases(*list);
}

Status Instance::check_phases(const assay_phase_list& list) {
    if (list.count == 0 || list.count > phases_max)
        return defect(fmt::format("declares {} phases; 1 to {} are allowed", list.count, phases_max));
    if (list.phases == nullptr) return defect("declares phases but has no table of them");
    const char* base = reinterpret_cast<const char*>(list.phases);
    for (std::uint32_t index = 0; index < list.count; ++index) {
        const auto& declared =
            *reinterpret_cast<const assay_phase*>(base + static_cast<std::size_t>(index) * list.stride);
        if (!ASSAY_HAS(&declared, assay_phase, name) || list.stride < declared.struct_size)
            return defect(
                fmt::format("declares phase {} with struct_size {} and stride {}; a whole phase and a stride "
                            "that holds it are needed",
                            index, declared.struct_size, list.stride));
        DeclaredPhase phase;
        phase.name = plugin_text(declared.name, phase_name_bytes_max);
        if (phase.name.empty()) return defect(fmt::format("declares phase {} without a name", index));
        if (ASSAY_HAS(&declared, assay_phase, total_bytes)) phase.total_bytes = declared.total_bytes;
        switch (declared.kind) {
            case ASSAY_PHASE_SETUP:
                phase.kind = result::PhaseKind::setup;
                break;
            case ASSAY_PHASE_MEASURED:
                phase.kind = result::PhaseKind::measured;
                break;
            case ASSAY_PHASE_TEARDOWN:
                phase.kind = result::PhaseKind::teardown;
                break;
            default:
                return defect(fmt::format("declares phase '{}' of unknown kind {}", phase.name, declared.kind));
        }
        if (!phases_.empty() && phase.kind < phases_.back().kind)
            return defect(
                fmt::format("declares phase '{}' ({}) after '{}' ({}); setup comes before measured and "
                            "measured before teardown",
                            phase.name, result::phase_kind_name(phase.kind), phases_.back().name,
                            result::phase_kind_name(phases_.back().kind)));
        phases_.push_back(std::move(phase));
    }
    if (std::none_of(phases_.begin(), phases_.end(),
                     [](const DeclaredPhase& phase) { return phase.kind == result::PhaseKind::measured; }))
        return defect("declares no measured phase");
    lanes_per_worker_ = list.lanes_per_worker; // its limits are the recorder's (recorder_shape)
    return {};
}

Status Instance::prepare() {
    HostServices::Call call(services_);
    const assay_status status = workload_.prepare(instance_);
    return status == ASSAY_OK ? Status() : failed("prepare", status, call.take_error());
}

Status Instance::finish() {
    if (!ASSAY_HAS(&workload_, assay_workload, finish) || workload_.finish == nullptr) return {};
    HostServices::Call call(services_);
    const assay_status status = workload_.finish(instance_);
    return status == ASSAY_OK ? Status() : failed("finish", status, call.take_error());
}

void Instance::interrupt() {
    if (ASSAY_HAS(&workload_, assay_workload, interrupt) && workload_.interrupt != nullptr)
        workload_.interrupt(instance_);
}

Instance::RunOutcome Instance::run(assay_worker& worker, std::uint32_t phase) {
    HostServices::Call call(services_);
    RunOutcome outcome;
    outcome.status = workload_.run(instance_, &worker, phase);
    if (outcome.status != ASSAY_OK) outcome.error = call.take_error();
    return outcome;
}

} // namespace assay
