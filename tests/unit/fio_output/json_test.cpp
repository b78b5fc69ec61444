// fio's JSON: the units, by arithmetic from the counts of the fixture.
#include "tests/unit/fio_output/fixture.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace assay::cli::fio {
namespace {

using nlohmann::json;
using test::asked;

json rendered(const Invocation& invocation, const result::Run& run, bool plus = false) {
    return json::parse(to_json(invocation, run, plus));
}
json only_entry(bool plus = false) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    return rendered(invocation, test::run_of({test::job("a")}), plus).at("jobs").at(0);
}

TEST(fio_json, bandwidth_is_kib_and_bytes_a_second_and_runtime_milliseconds) {
    const json read = only_entry().at("read"); // 200 x 4096 B in 2 s
    EXPECT_EQ(read.at("io_bytes"), 819'200);
    EXPECT_EQ(read.at("io_kbytes"), 800);
    EXPECT_EQ(read.at("bw_bytes"), 409'600);
    EXPECT_EQ(read.at("bw"), 400);
    EXPECT_EQ(read.at("iops"), 100.0);
    EXPECT_EQ(read.at("runtime"), 2000);
    EXPECT_EQ(read.at("total_ios"), 200);
    const json trim = only_entry().at("trim");
    EXPECT_EQ(trim.at("runtime"), 0);
    EXPECT_EQ(trim.at("iops"), 0.0);
}

TEST(fio_json, latencies_are_nanoseconds_and_only_clat_has_percentiles) {
    const json read = only_entry().at("read");
    const json clat = read.at("clat_ns");
    EXPECT_EQ(clat.at("N"), 200);
    EXPECT_EQ(clat.at("min"), 100);
    EXPECT_EQ(clat.at("max"), 3'000'000);
    EXPECT_DOUBLE_EQ(clat.at("mean"), (0.9 * 100) + (0.1 * 3'000'000));
    // Of two values with shares of 0.9 and 0.1 it is their distance x sqrt(0.09).
    EXPECT_NEAR(clat.at("stddev").get<double>(), 2'999'900 * 0.3, 2'999'900 * 0.3 * 0.008);
    EXPECT_EQ(clat.at("percentile").size(), 17U);
    EXPECT_EQ(clat.at("percentile").at("50.000000"), 100);
    EXPECT_EQ(clat.at("percentile").at("90.000000"), 100);
    EXPECT_NEAR(clat.at("percentile").at("99.000000").get<double>(), 3e6, 3e6 * 0.008);
    EXPECT_FALSE(clat.contains("bins"));
    EXPECT_EQ(read.at("lat_ns").at("max"), 3'000'000);
    EXPECT_FALSE(read.at("lat_ns").contains("percentile"));
    EXPECT_EQ(read.at("slat_ns").at("N"), 0);
    EXPECT_FALSE(only_entry().at("trim").at("clat_ns").contains("percentile")) << "nothing was counted";
}

TEST(fio_json, percentiles_go_past_17_seconds_and_the_last_is_the_maximum) {
    Histogram slow;
    slow.add_bucket(assay_histogram_index(40 * test::s), 10);
    slow.set_extremes(10 * 40 * test::s, 40 * test::s, 40 * test::s + 7, true);
    result::Job job = test::job("a");
    job.phases.back().operations[0].histograms[0].second = slow;
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].reporting.percentiles = {50, 99.9999, 100};
    const json clat = rendered(invocation, test::run_of({job})).at("jobs").at(0).at("read").at("clat_ns");
    EXPECT_EQ(clat.at("percentile").size(), 3U);
    EXPECT_NEAR(clat.at("percentile").at("50.000000").get<double>(), 40e9, 40e9 * 0.008);
    EXPECT_LE(clat.at("percentile").at("99.999900"), clat.at("max"));
    EXPECT_EQ(clat.at("percentile").at("100.000000"), 40 * test::s + 7);
}

TEST(fio_json, json_plus_has_the_counts_of_the_histogram) {
    const json bins = only_entry(true).at("write").at("clat_ns").at("bins");
    EXPECT_EQ(bins.size(), 2U);
    EXPECT_EQ(bins.at("100"), 90);
    std::uint64_t sum = 0;
    for (const json& count : bins)
        sum += count.get<std::uint64_t>();
    EXPECT_EQ(sum, 100U);
    EXPECT_FALSE(only_entry(true).at("trim").at("clat_ns").contains("bins"));
}

TEST(fio_json, the_samples_are_the_intervals_of_the_window) {
    const json read = only_entry().at("read"); // 50 and 150 reads of 4 KiB in a second each
    EXPECT_EQ(read.at("bw_min"), 200);
    EXPECT_EQ(read.at("bw_max"), 600);
    EXPECT_EQ(read.at("bw_mean"), 400.0);
    EXPECT_DOUBLE_EQ(read.at("bw_dev"), std::sqrt(2.0 * 200 * 200)); // over n - 1 = 1
    EXPECT_EQ(read.at("bw_samples"), 2);
    EXPECT_EQ(read.at("bw_agg"), 100.0);
    EXPECT_EQ(read.at("iops_min"), 50);
    EXPECT_EQ(read.at("iops_max"), 150);
    EXPECT_EQ(read.at("iops_mean"), 100.0);
    EXPECT_DOUBLE_EQ(read.at("iops_stddev"), std::sqrt(2.0 * 50 * 50));
    EXPECT_EQ(only_entry().at("trim").at("bw_samples"), 0);
}

TEST(fio_json, shares_of_latency_depth_and_cpu_are_percent) {
    const json entry = only_entry(); // 300 operations: 270 of 100 ns, which is not below 100, and 30 of 3 ms
    EXPECT_EQ(entry.at("latency_ns").at("100"), 0.0);
    EXPECT_EQ(entry.at("latency_ns").at("250"), 90.0);
    EXPECT_EQ(entry.at("latency_ms").at("4"), 10.0);
    EXPECT_EQ(entry.at("latency_us").size(), 10U);
    EXPECT_EQ(entry.at("latency_ms").at(">=2000"), 0.0);
    EXPECT_EQ(entry.at("iodepth_level").at("16"), 100.0);
    EXPECT_EQ(entry.at("iodepth_level").at("1"), 0.0);
    EXPECT_EQ(entry.at("iodepth_submit").at("4"), 100.0);
    EXPECT_EQ(entry.at("latency_depth"), 16);
    EXPECT_NEAR(entry.at("usr_cpu").get<double>(), 20.0, 1e-9);
    EXPECT_NEAR(entry.at("sys_cpu").get<double>(), 40.0, 1e-9);
    EXPECT_EQ(entry.at("job_runtime"), 2000);
    EXPECT_EQ(entry.at("elapsed"), 3);
}

TEST(fio_json, the_top_says_when_and_what_was_asked) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].description = "why";
    const json without = rendered(invocation, test::run_of({test::job("a")}));
    EXPECT_EQ(without.at("timestamp_ms"), 1'796'071'123'250);
    EXPECT_EQ(without.at("timestamp"), 1'796'071'123);
    EXPECT_EQ(without.at("fio version").get<std::string>().rfind("fio-3.33", 0), 0U);
    EXPECT_FALSE(without.contains("global options"));
    EXPECT_EQ(without.at("jobs").at(0).at("job options").at("bs"), "4k");
    EXPECT_EQ(without.at("jobs").at(0).at("desc"), "why");
    invocation.global_options = {{"direct", "1"}};
    EXPECT_EQ(rendered(invocation, test::run_of({test::job("a")})).at("global options").at("direct"), "1");
}

TEST(fio_json, gtod_reduce_says_nothing_of_latency) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].reporting.latency = false;
    const json entry = rendered(invocation, test::run_of({test::job("a")}), true).at("jobs").at(0);
    EXPECT_EQ(entry.at("read").at("clat_ns").at("N"), 0);
    EXPECT_FALSE(entry.at("read").at("clat_ns").contains("percentile"));
    EXPECT_EQ(entry.at("latency_ns").at("250"), 0.0);
    EXPECT_EQ(entry.at("read").at("total_ios"), 200);
}

TEST(fio_json, a_text_that_is_no_utf8_does_not_end_the_stream) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].options.emplace_back("filename", "\xff\xfe");
    EXPECT_FALSE(json::parse(to_json(invocation, test::run_of({test::job("a")}), false)).is_null());
}

} // namespace
} // namespace assay::cli::fio
