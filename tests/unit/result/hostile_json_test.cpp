#include "core/result/io.hpp"
#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

// A result may come from anywhere: whatever it holds, reading it ends in a result or in one sentence.
namespace assay::result {
namespace {

using nlohmann::json;

constexpr const char* job_path = "/stages/0/points/0/repeats/0/jobs/0";

std::string refusal(const std::string& text) {
    Result<result::Run> read = from_json(text);
    EXPECT_FALSE(read.ok());
    EXPECT_EQ(read.status().failure(), Failure::usage);
    return read.status().message();
}

// The message for the sample with the value at a JSON pointer replaced.
std::string refusal_of(const std::string& pointer, const json& value) {
    json document = json::parse(to_json(sample_run()));
    document[json::json_pointer(pointer)] = value;
    return refusal(document.dump());
}

TEST(HostileJson, NamesLineAndColumnOfTextThatIsNotJson) {
    const std::string message = refusal("{\n\"format_version\": }");
    EXPECT_NE(message.find("not JSON"), std::string::npos) << message;
    EXPECT_NE(message.find("line 2, column 19"), std::string::npos) << message;
}

TEST(HostileJson, NamesThePathTheValueAndTheRuleOfAWrongType) {
    EXPECT_EQ(refusal_of(std::string(job_path) + "/workers", "two"),
              "not a result that assay wrote: $.stages[0].points[0].repeats[0].jobs[0].workers is \"two\"; a whole "
              "number from 0 to 4294967295 is needed");
    EXPECT_NE(refusal_of("/stages", json::object()).find("$.stages is an object; an array is needed"),
              std::string::npos);
    EXPECT_NE(refusal_of("/stages/0", 5).find("$.stages[0] is 5; an object is needed"), std::string::npos);
    EXPECT_NE(refusal_of("/plan_name", nullptr).find("$.plan_name is null; a string is needed"), std::string::npos);
    EXPECT_NE(refusal_of("/cut_short", 1).find("$.cut_short is 1; true or false is needed"), std::string::npos);
    EXPECT_NE(refusal_of(std::string(job_path) + "/phases/0/mean_in_flight_requests", "1").find("a number is needed"),
              std::string::npos);
}

TEST(HostileJson, RefusesNumbersOutOfRange) {
    const std::string phase = std::string(job_path) + "/phases/0";
    EXPECT_NE(refusal_of(phase + "/operations/0/operations", -1).find(".operations is -1;"), std::string::npos);
    EXPECT_NE(refusal_of(phase + "/operations/0/operations", 1.5).find(".operations is 1.5;"), std::string::npos);
    EXPECT_NE(refusal_of(phase + "/workers/0/cpu", -2).find(".cpu is -2; a whole number from -1 to 2147483647"),
              std::string::npos);
    EXPECT_NE(refusal_of(phase + "/window_end_ns", INT64_MAX).find(".window_end_ns is 9223372036854775807;"),
              std::string::npos);
    EXPECT_NE(refusal_of(phase + "/window_end_ns", UINT64_MAX).find(".window_end_ns is 18446744073709551615;"),
              std::string::npos);
    EXPECT_NE(refusal_of(std::string(job_path) + "/facts/1/value", UINT64_MAX).find(".value is 18446744073709551615;"),
              std::string::npos);
    EXPECT_NE(refusal("{\"format_version\": 1e999}").find("not JSON"), std::string::npos);
}

TEST(HostileJson, RefusesAWordThatIsNoneOfTheNames) {
    EXPECT_NE(refusal_of(std::string(job_path) + "/phases/0/end", "bored")
                  .find(".end is \"bored\"; one of time, work, stopped, failed, hung is needed"),
              std::string::npos);
    EXPECT_NE(refusal_of("/stages/0/points/0/repeats/0/verdicts/0/level", "bad")
                  .find("one of pass, note, unknown, suspect, invalid"),
              std::string::npos);
    EXPECT_NE(refusal_of(std::string(job_path) + "/facts/2/value", json{{"non_finite", "big"}}).find("nan, inf, -inf"),
              std::string::npos);
}

TEST(HostileJson, NamesWhatIsMissing) {
    json document = json::parse(to_json(sample_run()));
    document["stages"][0]["points"][0]["repeats"][0]["jobs"][0].erase("name");
    EXPECT_NE(refusal(document.dump()).find("$.stages[0].points[0].repeats[0].jobs[0] has no \"name\""),
              std::string::npos);
    EXPECT_NE(refusal("{}").find("$ has no \"format_version\""), std::string::npos);
    EXPECT_NE(refusal("[]").find("$ is an array of 0; an object is needed"), std::string::npos);
}

TEST(HostileJson, RefusesAFormatItDoesNotKnowBeforeAnythingElse) {
    const std::string message = refusal("{\"format_version\": 2}");
    EXPECT_NE(message.find("$.format_version is 2; this version of assay reads formats 1 to 1"), std::string::npos);
    EXPECT_NE(refusal("{\"format_version\": 0}").find("from 1"), std::string::npos);
}

TEST(HostileJson, RefusesHistogramsThatCannotBe) {
    const std::string histogram = std::string(job_path) + "/phases/0/operations/0/histograms/0";
    EXPECT_NE(refusal_of(histogram + "/buckets", json::parse("[[2304, 1]]")).find("from 0 to 2303"), std::string::npos);
    EXPECT_NE(refusal_of(histogram + "/buckets", json::parse("[[5, 1], [5, 1]]")).find("indices grow"),
              std::string::npos);
    EXPECT_NE(refusal_of(histogram + "/buckets", json::parse("[[5, 0]]")).find("hold something"), std::string::npos);
    EXPECT_NE(refusal_of(histogram + "/buckets", json::parse("[[5, 18446744073709551615], [6, 1]]"))
                  .find(".buckets[1][1] is 1; a whole number from 0 to 0"),
              std::string::npos);
    EXPECT_NE(refusal_of(histogram + "/buckets", json::parse("[[5]]")).find("a pair"), std::string::npos);
    EXPECT_NE(refusal_of(histogram + "/min_ns", 1'000'001).find("at most max_ns, 1000000"), std::string::npos);
}

TEST(HostileJson, RefusesAnIntervalWithMoreOperationsThanItsPhase) {
    json three = json::parse(to_json(
        sample_run()))["stages"][0]["points"][0]["repeats"][0]["jobs"][0]["phases"][0]["series"][0]["operations"];
    three.push_back(three[0]);
    EXPECT_NE(refusal_of(std::string(job_path) + "/phases/0/series/0/operations", three)
                  .find(".series[0].operations is an array of 3; the phase has 2 operations"),
              std::string::npos);
}

TEST(HostileJson, RefusesDeepNestingWithoutFollowingIt) {
    EXPECT_NE(refusal(std::string(5'000'000, '[')).find("at most 32"), std::string::npos);
    // Brackets inside a string are text.
    EXPECT_EQ(refusal("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"").find("at most 32"),
              std::string::npos);
}

TEST(HostileJson, RefusesMoreValuesThanAreReasonableBeforeParsingThem) {
    EXPECT_NE(refusal("[" + std::string(60'000'001, ',')).find("at most 60000000 are read"), std::string::npos);
}

TEST(HostileJson, ACutResultIsRefusedWhereverItIsCut) {
    const std::string whole = to_json(sample_run());
    const std::size_t end = whole.rfind('}');
    for (std::size_t length = 0; length <= end; length += 7)
        ASSERT_FALSE(from_json(whole.substr(0, length)).ok()) << length;
}

TEST(HostileJson, AByteChangedAnywhereNeverDoesMoreThanFail) {
    const std::string whole = to_json(sample_run());
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); at += 19) {
        for (const char byte : {'9', '-', '"', '[', '}', '\0', '\xff'}) {
            std::string changed = whole;
            changed[at] = byte;
            Result<result::Run> read = from_json(changed);
            if (!read.ok()) ++refused;
            if (read.ok()) static_cast<void>(to_json(*read).size());
        }
    }
    EXPECT_GT(refused, whole.size() / 19); // most changes break something
}

} // namespace
} // namespace assay::result
