#include "core/session/sampling.hpp"

#include "core/base/clock.hpp"
#include "core/base/cpu_share.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace assay {
namespace {

constexpr std::chrono::milliseconds edge_wait_max{200};
constexpr std::chrono::seconds end_wait_max{2};
// Of one repeat; past it neighbours are merged, and the resolution halves (timeline.hpp).
constexpr std::size_t points_max = 500'000;
constexpr double span_min_ns = 20e6;

// Points that say the same make one: a counter that stood still, a gauge that did not move. So do two readings shortly
// after each other (the edge of a window near the end of an interval): a rate over less than two of the kernel's clock
// ticks says more about the ticks than about the machine.
void append(result::SampledSeries& series, const sample::Point& point, std::int64_t epoch_ns) {
    if (point.gap != sample::Gap::none) return;
    const result::SampledSeries::Point next{point.start_ns - epoch_ns, point.end_ns - epoch_ns, point.value};
    if (!series.points.empty()) {
        result::SampledSeries::Point& last = series.points.back();
        const auto span = [](const result::SampledSeries::Point& each) {
            return static_cast<double>(each.end_ns - each.start_ns);
        };
        const bool adjoins = last.end_ns == next.start_ns && next.end_ns > last.start_ns;
        const bool same = series.counter ? last.value == 0 && next.value == 0 : last.value == next.value;
        if (adjoins && (same || span(next) < span_min_ns)) {
            if (!same) last.value = (last.value * span(last) + next.value * span(next)) / (span(last) + span(next));
            last.end_ns = next.end_ns;
            return;
        }
    }
    series.points.push_back(next);
}

} // namespace

// Outlives the session if a reading hangs.
struct Sampling::Shared {
    Shared(std::vector<std::unique_ptr<sample::Sampler>> samplers, sample::Collector::Filter filter,
           sample::Log the_log)
        : collector(std::move(samplers), {.points = 0}, std::move(filter)), log(std::move(the_log)) {}

    void run();
    void keep();

    sample::Collector collector; // of the thread
    sample::Log log;
    bool complained = false; // of the thread

    std::mutex mutex;
    std::condition_variable changed;
    bool quit = false;
    bool over = false;
    std::uint64_t asked = 0; // readings asked for, and what the last one that ended had been asked for as
    std::uint64_t done = 0;
    std::int64_t asked_ns = 0; // CLOCK_MONOTONIC
    std::optional<sample::Timeline> kept{sample::Timeline::Limits{.points = points_max}};
    std::map<std::size_t, std::size_t> tracks;               // of the collector's timeline -> of `kept`
    std::vector<std::pair<std::size_t, sample::Point>> last; // of the last reading
};

void Sampling::Shared::run() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return quit || asked != done; });
        if (quit) break;
        const std::uint64_t reading = asked;
        lock.unlock();
        const Status read = collector.tick();
        if (!read.ok() && !std::exchange(complained, true)) log(ASSAY_LOG_WARNING, read.message());
        lock.lock();
        keep();
        done = reading;
        changed.notify_all();
    }
    over = true;
    changed.notify_all();
}

void Sampling::Shared::keep() {
    // Rates over less than two clock ticks are not shown: better the ones before.
    const auto& made_now = collector.new_points();
    const bool long_enough = std::any_of(made_now.begin(), made_now.end(), [](const sample::NewPoint& made) {
        return static_cast<double>(made.point.end_ns - made.point.start_ns) >= span_min_ns;
    });
    if (long_enough) last.clear();
    for (const sample::NewPoint& made : collector.new_points()) {
        auto [track, is_new] = tracks.try_emplace(made.series, 0);
        if (is_new) {
            const auto added = kept->find_or_add(collector.timeline().spec(made.series));
            if (!added) {
                tracks.erase(track);
                continue;
            }
            track->second = *added;
        }
        kept->add(track->second, made.point);
        if (long_enough && made.point.gap == sample::Gap::none) last.emplace_back(track->second, made.point);
    }
}

Result<std::unique_ptr<Sampling>> Sampling::create(const std::vector<SamplerSetup>& setups, sample::Log log) {
    std::vector<std::unique_ptr<sample::Sampler>> samplers;
    std::map<std::string, std::vector<std::string>> selections;
    for (const SamplerSetup& setup : setups) {
        auto sampler = sample::Sampler::create(*setup.descriptor, setup.plan->options, log);
        if (!sampler) return sampler.status().wrap("sampler " + setup.plan->name);
        selections[(*sampler)->name()] = setup.plan->select;
        samplers.push_back(std::move(*sampler));
    }
    const auto filter = [selections = std::move(selections)](const sample::SeriesSpec& spec) {
        const auto selection = selections.find(spec.plugin);
        return selection == selections.end() || selection->second.empty() || spec.matches_any(selection->second);
    };
    auto shared = std::make_shared<Shared>(std::move(samplers), filter, std::move(log));
    if (!shared->collector.admits_any() && !setups.empty())
        return usage_error("samplers: what is selected matches no series; `assay sample` shows which there are");
    return std::unique_ptr<Sampling>(new Sampling(std::move(shared)));
}

Sampling::Sampling(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    thread_ = std::thread([shared = shared_] { shared->run(); });
}

Sampling::~Sampling() {
    std::unique_lock lock(shared_->mutex);
    shared_->quit = true;
    shared_->changed.notify_all();
    const bool over = shared_->changed.wait_for(lock, end_wait_max, [this] { return shared_->over; });
    lock.unlock();
    if (over)
        thread_.join();
    else
        thread_.detach();
}

void Sampling::begin() {
    read_now(); // differences of the first points of the repeat start here
    const std::lock_guard lock(shared_->mutex);
    shared_->kept.emplace(sample::Timeline::Limits{.points = points_max});
    shared_->tracks.clear();
    shared_->last.clear();
}

void Sampling::poke(std::int64_t apart_ns) {
    const std::lock_guard lock(shared_->mutex);
    const std::int64_t now_ns = monotonic_ns();
    if (now_ns - shared_->asked_ns < apart_ns) return;
    shared_->asked_ns = now_ns;
    ++shared_->asked;
    shared_->changed.notify_all();
}

void Sampling::read_now() {
    std::unique_lock lock(shared_->mutex);
    shared_->asked_ns = monotonic_ns();
    const std::uint64_t reading = ++shared_->asked;
    shared_->changed.notify_all();
    shared_->changed.wait_for(lock, edge_wait_max, [&] { return shared_->done >= reading; });
}

std::vector<result::SampledSeries> Sampling::take(std::int64_t epoch_ns, std::int64_t since_ns) {
    const std::lock_guard lock(shared_->mutex);
    std::vector<result::SampledSeries> all;
    const sample::Timeline& kept = *shared_->kept;
    for (std::size_t track = 0; track < kept.size(); ++track) {
        const sample::SeriesSpec& spec = kept.spec(track);
        result::SampledSeries series{spec.plugin,
                                     spec.metric,
                                     spec.labels,
                                     spec.counter ? spec.rate_unit() : spec.unit,
                                     spec.counter,
                                     {},
                                     kept.totals(track).gaps};
        const std::vector<sample::Point>& points = kept.points(track);
        const auto first = std::partition_point(points.begin(), points.end(),
                                                [&](const sample::Point& point) { return point.end_ns <= since_ns; });
        for (const sample::Point& point : std::span(first, points.end()))
            append(series, point, epoch_ns);
        if (!series.points.empty() || series.gaps > 0) all.push_back(std::move(series));
    }
    return all;
}

HostGlance Sampling::glance(const std::vector<std::string>& devices) {
    HostGlance glance;
    std::map<int, CpuStates> cpus;
    std::map<std::string, HostGlance::Device> disks;
    const std::lock_guard lock(shared_->mutex);
    for (const auto& [track, point] : shared_->last) {
        const sample::SeriesSpec& spec = shared_->kept->spec(track);
        const std::string_view metric = spec.metric;
        if (metric.starts_with("cpu.")) {
            const std::string number(spec.label("cpu"));
            if (number.empty() || number.size() > 6) continue;
            CpuStates& cpu = cpus[std::atoi(number.c_str())];
            cpu.add(metric, point.value);
        } else if (metric.starts_with("disk.")) {
            const std::string name(spec.label("device"));
            if (std::find(devices.begin(), devices.end(), name) == devices.end()) continue;
            HostGlance::Device& device = disks[name];
            const std::string_view what = metric.substr(5);
            if (what == "read") device.read_bytes_per_s = point.value;
            if (what == "written") device.written_bytes_per_s = point.value;
            if (what == "busy") device.busy = std::min(point.value, 1.0);
        }
    }
    for (const auto& [number, counted] : cpus) {
        const CpuStates shares = shares_of(counted);
        glance.cpus.push_back({number, std::min(shares.busy(), 1.0), shares.softirq});
    }
    for (auto& [name, disk] : disks) {
        disk.name = name;
        glance.devices.push_back(disk);
    }
    return glance;
}

} // namespace assay
