#include "core/result/io.hpp"
#include "tests/unit/result/same.hpp"
#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace assay::result {
namespace {

using nlohmann::json;

Fact& real_fact(Run& run) { return run.stages[0].points[0].repeats[0].jobs[0].facts[2]; }

TEST(ResultJson, ReadsBackEveryMemberAsItWasWritten) {
    const result::Run written = sample_run();
    Result<result::Run> read = from_json(to_json(written));
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(written, *read);
}

TEST(ResultJson, AnEmptyRunReadsBack) {
    Result<result::Run> read = from_json(to_json(result::Run{}));
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(result::Run{}, *read);
}

TEST(ResultJson, NumbersAtTheEndsOfTheirRangesReadBack) {
    result::Run written = sample_run();
    Job& job = written.stages[0].points[0].repeats[0].jobs[0];
    job.facts[1].value = std::numeric_limits<std::int64_t>::min();
    job.facts[2].value = std::numeric_limits<double>::denorm_min();
    job.facts[4].value = std::numeric_limits<double>::max();
    job.phases[0].operations[0].bytes = UINT64_MAX;
    job.phases[0].mean_in_flight = 0.1 + 0.2;
    Histogram full;
    full.add_bucket(0, 1);
    full.add_bucket(ASSAY_HISTOGRAM_BUCKETS - 1, UINT64_MAX - 1);
    full.set_extremes(UINT64_MAX, 0, UINT64_MAX, true);
    job.phases[0].operations[0].histograms[0].second = full;
    Result<result::Run> read = from_json(to_json(written));
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(written, *read);
}

TEST(ResultJson, AWholeRealStaysAReal) {
    result::Run written = sample_run();
    real_fact(written).value = 1e15;
    Result<result::Run> read = from_json(to_json(written));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(std::get<double>(real_fact(*read).value), 1e15);
}

TEST(ResultJson, RealsThatJsonHasNoNumberForReadBack) {
    result::Run written = sample_run();
    for (const double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        real_fact(written).value = value;
        Result<result::Run> read = from_json(to_json(written));
        ASSERT_TRUE(read.ok()) << read.status().message();
        EXPECT_EQ(std::get<double>(real_fact(*read).value), value);
    }
    real_fact(written).value = std::numeric_limits<double>::quiet_NaN();
    Result<result::Run> read = from_json(to_json(written));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(std::isnan(std::get<double>(real_fact(*read).value)));
}

TEST(ResultJson, BytesThatAreNotUtf8BecomeReplacementCharacters) {
    result::Run written = sample_run();
    // A lone continuation byte, an overlong slash, a surrogate, a cut sequence; then one valid character of each
    // length.
    written.plan_name = "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82";
    written.cut_reason = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    const json document = json::parse(to_json(written)); // strict about UTF-8
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(document["plan_name"], bad + "|" + bad + bad + "|" + bad + bad + bad + "|" + bad + bad);
    EXPECT_EQ(document["cut_reason"], written.cut_reason);
}

TEST(ResultJson, ControlCharactersReadBack) {
    result::Run written = sample_run();
    written.plan_name = std::string("\x01\x1b[31m\t\r\n\x7f") + '\0' + "end";
    Result<result::Run> read = from_json(to_json(written));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->plan_name, written.plan_name);
}

TEST(ResultJson, GivesReadersRatesAndPercentiles) {
    const json document = json::parse(to_json(sample_run()));
    const json& operation = document["stages"][0]["points"][0]["repeats"][0]["jobs"][0]["phases"][0]["operations"][0];
    // 1000 operations and 4,096,000 bytes in a window of 2 s.
    EXPECT_DOUBLE_EQ(operation["derived"]["iops"], 500);
    EXPECT_DOUBLE_EQ(operation["derived"]["bandwidth_bytes_per_s"], 2'048'000);
    // 990 of 1000 values are 100 ns: ranks 500 and 990 are 100 ns, rank 999 is one of the ten of 1 ms, the maximum.
    const json& latency = operation["histograms"][0]["derived"];
    EXPECT_EQ(latency["count"], 1000);
    EXPECT_DOUBLE_EQ(latency["mean_ns"], 10'099);
    EXPECT_EQ(latency["p50_ns"], 100);
    EXPECT_EQ(latency["p99_ns"], 100);
    EXPECT_EQ(latency["p99_9_ns"], 1'000'000);
    EXPECT_EQ(operation["histograms"][0]["max_ns"], 1'000'000);
}

TEST(ResultJson, DoesNotReadBackWhatIsDerived) {
    json document = json::parse(to_json(sample_run()));
    document["derived"] = "nonsense";
    json& operation = document["stages"][0]["points"][0]["repeats"][0]["jobs"][0]["phases"][0]["operations"][0];
    operation["derived"]["iops"] = "nonsense";
    operation["histograms"][0].erase("derived");
    Result<result::Run> read = from_json(document.dump());
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(sample_run(), *read);
}

TEST(ResultJson, SkipsMembersOfALaterVersion) {
    json document = json::parse(to_json(sample_run()));
    document["colour"] = "blue";
    document["stages"][0]["weather"] = {{"rain", true}};
    Result<result::Run> read = from_json(document.dump());
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(sample_run(), *read);
}

TEST(ResultJson, StoresOnlyTheBucketsThatHoldSomething) {
    const json document = json::parse(to_json(sample_run()));
    const json& operation = document["stages"][0]["points"][0]["repeats"][0]["jobs"][0]["phases"][0]["operations"][0];
    // 1,000,000 ns: top bit 19, 64 buckets of 2^13 ns an octave: 13 * 64 + 1,000,000 / 8192 = 832 + 122.
    EXPECT_EQ(operation["histograms"][0]["buckets"], json::parse("[[100, 990], [954, 10]]"));
}

} // namespace
} // namespace assay::result
