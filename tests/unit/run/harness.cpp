#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <dlfcn.h>

namespace assay::test {

const assay_descriptor* plugin(const std::string& name) {
    static std::map<std::string, const assay_descriptor*> loaded;
    if (const auto known = loaded.find(name); known != loaded.end()) return known->second;
    const std::string path = TEST_PLUGINS "/" + name + ".so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : dlsym(library, ASSAY_ENTRY_SYMBOL);
    if (symbol == nullptr) {
        std::fprintf(stderr, "cannot load %s: %s\n", path.c_str(), dlerror());
        std::abort();
    }
    const auto entry = reinterpret_cast<const assay_entry* (*)()>(symbol);
    return loaded[name] = entry()->descriptor(0);
}

RunJob job_of(const assay_descriptor& descriptor, const Options& options) {
    Result<Schema> schema = Schema::from_table(descriptor.name, descriptor.options);
    EXPECT_TRUE(schema.ok()) << schema.status().message();
    Result<OptionSet> values = OptionSet::defaults(std::make_shared<Schema>(std::move(*schema)));
    EXPECT_TRUE(values.ok()) << values.status().message();
    for (const auto& [key, text] : options) {
        const Status set = values->set(key, text);
        EXPECT_TRUE(set.ok()) << set.message();
    }
    return {descriptor.name, &descriptor, std::move(*values), {}, 1, {}, 0, 0, 0, 1};
}

RunJob job_of(const std::string& plugin_name, const Options& options) { return job_of(*plugin(plugin_name), options); }

Status RecordingHooks::targets_declared(result::Job& job) {
    events.push_back("targets_declared " + job.name);
    return refusal;
}
void RecordingHooks::setup_finished(result::Job& job) { events.push_back("setup_finished " + job.name); }
void RecordingHooks::window_opened(result::Job& job) { events.push_back("window_opened " + job.name); }
void RecordingHooks::window_closed(result::Job& job) { events.push_back("window_closed " + job.name); }
void RecordingHooks::measured_so_far(std::vector<result::Job> jobs) { so_far.push_back(std::move(jobs)); }

void RecordingHooks::progress(const std::vector<JobProgress>& jobs) {
    shown.push_back(jobs);
    if (on_progress) on_progress();
}
void RecordingHooks::log(assay_severity severity, const std::string& job, const std::string& text) {
    const std::lock_guard lock(mutex_);
    log_.push_back({severity, job, text});
}
std::vector<LogLine> RecordingHooks::log_lines() const {
    const std::lock_guard lock(mutex_);
    return log_;
}

RunSettings quick_settings() {
    RunSettings settings;
    settings.interval_ns = 50 * ms;
    settings.drain_timeout_ns = 20'000 * ms;
    settings.epoch_ns = monotonic_ns();
    return settings;
}

Ran run(const std::vector<RunJob>& jobs, RecordingHooks& hooks, const StopFlag& stop, const RunSettings& settings) {
    const std::int64_t start = monotonic_ns();
    Result<PointOutcome> outcome = run_point(jobs, settings, hooks, stop);
    Ran ran;
    ran.took_ns = monotonic_ns() - start;
    ran.status = outcome.status();
    if (!outcome.ok()) return ran;
    ran.jobs = std::move(outcome->jobs);
    ran.hung = outcome->hung;
    return ran;
}

Ran run(const std::vector<RunJob>& jobs, const RunSettings& settings) {
    RecordingHooks hooks;
    const StopFlag stop;
    Ran ran = run(jobs, hooks, stop, settings);
    EXPECT_TRUE(ran.status.ok()) << ran.status.message();
    return ran;
}

Ran run_and_stop(const std::vector<RunJob>& jobs, RecordingHooks& hooks, std::int64_t stop_after_ns,
                 const RunSettings& settings) {
    StopFlag stop;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::nanoseconds(stop_after_ns));
        stop.request(2);
    });
    Ran ran = run(jobs, hooks, stop, settings);
    stopper.join();
    EXPECT_TRUE(ran.status.ok()) << ran.status.message();
    return ran;
}

} // namespace assay::test
