#include "core/run/job_run.hpp"

#include "core/record/plugin_text.hpp"
#include "core/run/measures.hpp"
#include "core/run/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t workload_name_bytes_max = 64;

std::vector<std::string> given_options(const OptionSet& options) {
    std::vector<std::string> keys;
    for (std::size_t index = 0; index < options.schema().options().size(); ++index) {
        if (options.at(index).given) keys.push_back(options.schema().options()[index].key);
    }
    return keys;
}

} // namespace

JobRun::JobRun(const RunJob& plan, const RunSettings& settings, RunHooks& hooks, std::shared_ptr<Board> board,
               result::Job& result)
    : plan_(plan), settings_(settings), hooks_(hooks), board_(std::move(board)), result_(result) {
    result_.name = plan.name;
    result_.workload = plugin_text(plan.descriptor->name, workload_name_bytes_max);
    result_.options = plan.options.texts();
    result_.given_options = given_options(plan.options);
    result_.workers = plan.workers;
    progress.name = plan.name;
}

JobRun::~JobRun() = default;

Status JobRun::configure() {
    if (plan_.workers == 0) return usage_error("workers: 0 is too few, at least 1 is needed");
    if (Status checked = check_cpus(plan_.cpus); !checked.ok()) return checked;
    live_ = std::make_unique<Live>();
    live_->services = std::make_unique<HostServices>(plan_.name, hooks_);
    Result<std::unique_ptr<Instance>> made = Instance::create(plan_, *live_->services);
    if (!made) return made.status();
    live_->instance = std::move(*made);
    if (Status configured = live_->instance->configure(); !configured.ok()) return configured;
    result_.targets = live_->services->targets();
    result_.facts = live_->services->facts();
    if (Status accepted = hooks_.targets_declared(result_); !accepted.ok()) return accepted;
    if (Status read = live_->instance->read_phases(); !read.ok()) return read;
    Result<RecorderShape> shape = recorder_shape(*plan_.descriptor, live_->instance->lanes_per_worker());
    if (!shape) return shape.status();
    if (plan_.rate_per_s && !can_be_paced(*shape))
        return usage_error(fmt::format("workload {} cannot start requests by a schedule: leave out rate and arrival",
                                       live_->instance->plugin_name()));
    Result<Region> region = Region::create(*shape, plan_.workers);
    if (!region) return region.status();
    live_->region.emplace(std::move(*region));
    live_->pool = std::make_unique<WorkerPool>(*live_->instance, *live_->region, board_, plan_.cpus, plan_.seed);
    const std::vector<std::uint32_t> measured = phases_of(result::PhaseKind::measured);
    progress.phase = live_->instance->phases()[measured.front()].name;
    progress.kind = result::PhaseKind::measured;
    return {};
}

Status JobRun::prepare() {
    if (Status started = live_->pool->start(); !started.ok()) return started;
    if (Status prepared = live_->instance->prepare(); !prepared.ok()) return prepared;
    prepared_ = true;
    return {};
}

void JobRun::fail(const std::string& sentence) {
    if (result_.failure.empty()) result_.failure = sentence;
}

void JobRun::measured_to_the_end() {
    measured_ = true;
    progress.finished = true;
}

void JobRun::give_up_hung(const std::string& sentence) {
    hung_ = true;
    fail(sentence);
}

std::vector<std::uint32_t> JobRun::phases_of(result::PhaseKind kind) const {
    std::vector<std::uint32_t> indices;
    const std::vector<DeclaredPhase>& phases = live_->instance->phases();
    for (std::uint32_t index = 0; index < phases.size(); ++index) {
        if (phases[index].kind == kind) indices.push_back(index);
    }
    return indices;
}

std::vector<result::Fact> JobRun::facts() const {
    std::vector<result::Fact> facts = live_->services->facts();
    const bool measured = std::any_of(result_.phases.begin(), result_.phases.end(), [](const result::Phase& phase) {
        return phase.kind == result::PhaseKind::measured;
    });
    if (measured) facts.push_back({"longest_pause_ns", longest_pause_ns_, "ns", "control thread"});
    return facts;
}

void JobRun::finish() {
    result_.cut_short = !measured_ && result_.failure.empty();
    progress.finished = true;
    if (hung_) {
        result_.facts = facts();
        live_->services->detach();
        // Kept reachable on purpose: a thread of the plugin's may go on using it until the process ends.
        static auto* const abandoned = new std::vector<std::unique_ptr<Live>>();
        abandoned->push_back(std::move(live_));
        return;
    }
    if (usable()) {
        if (Status finished = live_->instance->finish(); !finished.ok()) fail(finished.message());
    }
    live_->pool.reset();
    live_->instance.reset();
    result_.facts = facts();
    live_->services->detach();
    live_.reset();
}

} // namespace assay
