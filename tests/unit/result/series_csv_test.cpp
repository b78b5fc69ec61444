#include "core/result/io.hpp"
#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace assay::result {
namespace {

constexpr const char* header =
    "stage,stage_name,point,parameters,repeat,job,phase,phase_kind,operation,warmup,start_ns,end_ns,operations,bytes,"
    "errors,operations_per_s,bytes_per_s,mean_ns,p50_ns,p99_ns,max_ns,response_p50_ns,response_p99_ns,response_max_ns,"
    "job_in_flight_requests,sampler,metric,labels,"
    "unit,value\r\n";

TEST(SeriesCsv, HasARowForEveryOperationOfEveryInterval) {
    // One interval of 1 s with two operations: 501 reads of 4096 bytes, and no fsync.
    result::Run run = sample_run();
    run.stages[0].points[0].repeats[0].samples.clear();
    EXPECT_EQ(
        to_series_csv(run),
        std::string(header) +
            "1,first,1,queue_depth=16 block_size=4KiB,1,oltp,randread,measured,read,1,1500000000,2500000000,501,"
            "2052096,1,501,2052096,101,100,1003519,1000000,21,22,23,15.5,,,,,\r\n"
            "1,first,1,queue_depth=16 block_size=4KiB,1,oltp,randread,measured,fsync,1,1500000000,2500000000,0,0,0,"
            "0,0,,,,,,,,15.5,,,,,\r\n");
}

TEST(SeriesCsv, WhatASamplerSawIsInTheSameTable) {
    result::Run run = sample_run();
    run.stages[0].points[0].repeats[0].jobs.clear();
    EXPECT_EQ(to_series_csv(run),
              std::string(header) +
                  "1,first,1,queue_depth=16 block_size=4KiB,1,,,,,,1000000000,1999999999,,,,,,,,,,,,,,"
                  "host,cpu.softirq,\"cpu=1,kind=x%2Cy\",s/s,0.125\r\n"
                  "1,first,1,queue_depth=16 block_size=4KiB,1,,,,,,1999999999,3000000001,,,,,,,,,,,,,,"
                  "host,cpu.softirq,\"cpu=1,kind=x%2Cy\",s/s,0.5\r\n");
}

TEST(SeriesCsv, EveryRowHasEveryColumn) {
    result::Run run = sample_run();
    run.stages[0].points[0].parameters.clear();
    run.stages[0].points[0].repeats[0].samples[0].labels = "cpu=1";
    const std::string csv = to_series_csv(run);
    for (std::size_t at = 0; at < csv.size(); at = csv.find("\r\n", at) + 2)
        EXPECT_EQ(std::count(csv.begin() + static_cast<std::ptrdiff_t>(at),
                             csv.begin() + static_cast<std::ptrdiff_t>(csv.find("\r\n", at)), ','),
                  29);
}

TEST(SeriesCsv, NumbersStagesPointsAndRepeatsFromOne) {
    result::Run run = sample_run();
    Point& point = run.stages[0].points[0];
    point.repeats[0].samples.clear();
    point.repeats.push_back(point.repeats[0]);
    run.stages[1].points = {point, point};
    const std::string csv = to_series_csv(run);
    // Stage 1: two repeats; stage 2: two points of two repeats; two operations each.
    std::vector<std::string> starts;
    for (std::size_t at = csv.find("\r\n") + 2; at < csv.size(); at = csv.find("\r\n", at) + 2)
        starts.push_back(csv.substr(at, csv.find(",oltp", at) - at));
    ASSERT_EQ(starts.size(), 12U);
    EXPECT_EQ(starts[0], "1,first,1,queue_depth=16 block_size=4KiB,1");
    EXPECT_EQ(starts[2], "1,first,1,queue_depth=16 block_size=4KiB,2");
    EXPECT_EQ(starts[11], "2,second,2,queue_depth=16 block_size=4KiB,2");
}

TEST(SeriesCsv, QuotesFieldsAsRfc4180Asks) {
    result::Run run = sample_run();
    run.stages[0].name = "a \"b\", c\nd";
    EXPECT_NE(to_series_csv(run).find("\r\n1,\"a \"\"b\"\", c\nd\",1,"), std::string::npos);
}

TEST(SeriesCsv, AnIntervalOfNoLengthHasNoRate) {
    result::Run run = sample_run();
    SeriesPoint& interval = run.stages[0].points[0].repeats[0].jobs[0].phases[0].series[0];
    interval.end_ns = interval.start_ns;
    EXPECT_NE(to_series_csv(run).find(",501,2052096,1,,,101,"), std::string::npos);
}

TEST(SeriesCsv, OfARunWithoutSeriesIsTheHeader) { EXPECT_EQ(to_series_csv(result::Run{}), header); }

} // namespace
} // namespace assay::result
