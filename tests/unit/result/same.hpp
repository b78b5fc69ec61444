// Member-by-member comparison of two results; a difference is reported with the member's name.
#pragma once

#include "core/result/model.hpp"

#include <gtest/gtest.h>

namespace assay::result {

#define ASSAY_SAME(member) EXPECT_EQ(a.member, b.member)

template <class T>
void expect_same_list(const std::vector<T>& a, const std::vector<T>& b, void (*same)(const T&, const T&)) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t at = 0; at < a.size(); ++at)
        same(a[at], b[at]);
}

inline void same_histogram(const std::pair<std::string, Histogram>& a, const std::pair<std::string, Histogram>& b) {
    ASSAY_SAME(first);
    ASSAY_SAME(second.sparse());
    ASSAY_SAME(second.count());
    ASSAY_SAME(second.sum_ns());
    ASSAY_SAME(second.min_ns());
    ASSAY_SAME(second.max_ns());
    ASSAY_SAME(second.extremes_exact());
}
inline void same_error(const ErrorCount& a, const ErrorCount& b) {
    ASSAY_SAME(what);
    ASSAY_SAME(domain);
    ASSAY_SAME(code);
    ASSAY_SAME(count);
}
inline void same_operation(const Operation& a, const Operation& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(kind);
    ASSAY_SAME(operations);
    ASSAY_SAME(bytes);
    ASSAY_SAME(errors);
    expect_same_list(a.error_counts, b.error_counts, same_error);
    expect_same_list(a.histograms, b.histograms, same_histogram);
}
inline void same_metric(const Metric& a, const Metric& b) {
    ASSAY_SAME(key);
    ASSAY_SAME(unit);
    ASSAY_SAME(counter);
    ASSAY_SAME(value);
}
inline void same_worker(const Worker& a, const Worker& b) {
    ASSAY_SAME(index);
    ASSAY_SAME(cpu);
    ASSAY_SAME(operations);
    ASSAY_SAME(bytes);
    ASSAY_SAME(started_ns);
    ASSAY_SAME(ended_ns);
    ASSAY_SAME(cpu_user_ns);
    ASSAY_SAME(cpu_system_ns);
    ASSAY_SAME(run_wait_ns);
    expect_same_list(a.each_operation, b.each_operation, same_operation);
    ASSAY_SAME(mean_in_flight);
}
inline void same_per_operation(const SeriesPoint::PerOperation& a, const SeriesPoint::PerOperation& b) {
    ASSAY_SAME(operations);
    ASSAY_SAME(bytes);
    ASSAY_SAME(errors);
    ASSAY_SAME(mean_ns);
    ASSAY_SAME(p50_ns);
    ASSAY_SAME(p99_ns);
    ASSAY_SAME(max_ns);
    ASSERT_EQ(a.response.has_value(), b.response.has_value());
    if (a.response) {
        ASSAY_SAME(response->p50_ns);
        ASSAY_SAME(response->p99_ns);
        ASSAY_SAME(response->max_ns);
    }
}
inline void same_interval(const SeriesPoint& a, const SeriesPoint& b) {
    ASSAY_SAME(start_ns);
    ASSAY_SAME(end_ns);
    ASSAY_SAME(in_flight);
    ASSAY_SAME(warmup);
    expect_same_list(a.operations, b.operations, same_per_operation);
}
inline void same_phase(const Phase& a, const Phase& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(kind);
    ASSAY_SAME(end);
    ASSAY_SAME(warmup_ns);
    ASSAY_SAME(window_start_ns);
    ASSAY_SAME(window_end_ns);
    ASSAY_SAME(mean_in_flight);
    ASSAY_SAME(generator_ns_per_operation);
    ASSAY_SAME(process_cpu_ns);
    ASSERT_EQ(a.arrival.has_value(), b.arrival.has_value());
    if (a.arrival) {
        ASSAY_SAME(arrival->process);
        ASSAY_SAME(arrival->offered_per_s);
        ASSAY_SAME(arrival->late_starts);
        ASSAY_SAME(arrival->missed_starts);
    }
    expect_same_list(a.operations, b.operations, same_operation);
    expect_same_list(a.metrics, b.metrics, same_metric);
    expect_same_list(a.workers, b.workers, same_worker);
    expect_same_list(a.series, b.series, same_interval);
}
inline void same_fact(const Fact& a, const Fact& b) {
    ASSAY_SAME(key);
    ASSAY_SAME(value); // the variant's type too
    ASSAY_SAME(unit);
    ASSAY_SAME(source);
}
inline void same_target(const Target& a, const Target& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(kind);
    ASSAY_SAME(reads);
    ASSAY_SAME(writes);
    ASSAY_SAME(direct);
    ASSAY_SAME(offset_bytes);
    ASSAY_SAME(length_bytes);
    ASSAY_SAME(unique_bytes);
    ASSAY_SAME(devices);
    expect_same_list(a.context, b.context, same_fact);
    ASSERT_EQ(a.extents.has_value(), b.extents.has_value());
    if (!a.extents) return;
    ASSAY_SAME(extents->known);
    ASSAY_SAME(extents->why_unknown);
    ASSAY_SAME(extents->region_bytes);
    ASSAY_SAME(extents->written_bytes);
    ASSAY_SAME(extents->unwritten_bytes);
    ASSAY_SAME(extents->hole_bytes);
}
inline void same_device(const DeviceDelta& a, const DeviceDelta& b) {
    ASSAY_SAME(device);
    ASSAY_SAME(read_bytes);
    ASSAY_SAME(written_bytes);
    ASSAY_SAME(read_operations);
    ASSAY_SAME(write_operations);
    ASSAY_SAME(valid);
    ASSAY_SAME(source);
    ASSAY_SAME(window_ns);
}
inline void same_job(const Job& a, const Job& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(workload);
    ASSAY_SAME(options);
    ASSAY_SAME(given_options);
    ASSAY_SAME(workers);
    ASSAY_SAME(failure);
    ASSAY_SAME(cut_short);
    expect_same_list(a.targets, b.targets, same_target);
    expect_same_list(a.facts, b.facts, same_fact);
    expect_same_list(a.phases, b.phases, same_phase);
    expect_same_list(a.devices, b.devices, same_device);
}
inline void same_evidence(const Evidence& a, const Evidence& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(value);
    ASSAY_SAME(unit);
    ASSAY_SAME(source);
}
inline void same_verdict(const Verdict& a, const Verdict& b) {
    ASSAY_SAME(check);
    ASSAY_SAME(version);
    ASSAY_SAME(level);
    ASSAY_SAME(scope);
    ASSAY_SAME(job);
    ASSAY_SAME(phase);
    ASSAY_SAME(operation);
    ASSAY_SAME(message);
    ASSAY_SAME(arithmetic);
    ASSAY_SAME(threshold);
    ASSAY_SAME(remedy);
    expect_same_list(a.evidence, b.evidence, same_evidence);
}
inline void same_sampled_point(const SampledSeries::Point& a, const SampledSeries::Point& b) {
    ASSAY_SAME(start_ns);
    ASSAY_SAME(end_ns);
    ASSAY_SAME(value);
}
inline void same_sampled(const SampledSeries& a, const SampledSeries& b) {
    ASSAY_SAME(sampler);
    ASSAY_SAME(metric);
    ASSAY_SAME(labels);
    ASSAY_SAME(unit);
    ASSAY_SAME(counter);
    ASSAY_SAME(gaps);
    expect_same_list(a.points, b.points, same_sampled_point);
}
inline void same_repeat(const Repeat& a, const Repeat& b) {
    expect_same_list(a.jobs, b.jobs, same_job);
    expect_same_list(a.samples, b.samples, same_sampled);
    expect_same_list(a.verdicts, b.verdicts, same_verdict);
}
inline void same_point(const Point& a, const Point& b) {
    ASSAY_SAME(parameters);
    expect_same_list(a.repeats, b.repeats, same_repeat);
}
inline void same_stage(const Stage& a, const Stage& b) {
    ASSAY_SAME(name);
    expect_same_list(a.points, b.points, same_point);
}
inline void same_plugin(const Plugin& a, const Plugin& b) {
    ASSAY_SAME(name);
    ASSAY_SAME(id);
    ASSAY_SAME(version);
    ASSAY_SAME(path);
    ASSAY_SAME(sha256);
    ASSAY_SAME(build_id);
}
inline void same_run(const Run& a, const Run& b) {
    ASSAY_SAME(format);
    ASSAY_SAME(tool_version);
    ASSAY_SAME(started);
    ASSAY_SAME(duration_ns);
    ASSAY_SAME(command_line);
    ASSAY_SAME(plan_name);
    ASSAY_SAME(plan_yaml);
    ASSAY_SAME(cut_short);
    ASSAY_SAME(cut_reason);
    expect_same_list(a.context, b.context, same_fact);
    expect_same_list(a.plugins, b.plugins, same_plugin);
    expect_same_list(a.stages, b.stages, same_stage);
}

#undef ASSAY_SAME

} // namespace assay::result
