#include "core/result/io.hpp"
#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <set>

#include <unistd.h>

// The published schema against what is written, by an independent validator.
namespace assay::result {
namespace {

using nlohmann::json;

struct Validation {
    int exit_status = -1;
    std::string output;
};

Validation validate(const std::string& document) {
    const std::string path = testing::TempDir() + "schema_test_" + std::to_string(getpid()) + ".json";
    std::ofstream(path) << document;
    const std::string command =
        std::string("'") + ASSAY_PYTHON + "' '" + ASSAY_SCHEMA_CHECK + "' '" + ASSAY_SCHEMA + "' '" + path + "' 2>&1";
    Validation result;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return result;
    std::array<char, 4096> chunk{};
    while (const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe))
        result.output.append(chunk.data(), got);
    const int status = pclose(pipe);
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    unlink(path.c_str());
    return result;
}

// The schema must refuse the sample with this change, and say where.
void expect_refused(const std::string& pointer, const json& value, const std::string& place) {
    json document = json::parse(to_json(sample_run()));
    document[json::json_pointer(pointer)] = value;
    const Validation validation = validate(document.dump());
    EXPECT_EQ(validation.exit_status, 1) << pointer << ": " << validation.output;
    EXPECT_NE(validation.output.find(place), std::string::npos) << validation.output;
}

TEST(ResultSchema, AcceptsAResultThatUsesEveryMember) {
    const Validation validation = validate(to_json(sample_run()));
    EXPECT_EQ(validation.exit_status, 0) << validation.output;
}

TEST(ResultSchema, AcceptsAnEmptyRunAndRealsThatAreNoNumbers) {
    Validation validation = validate(to_json(result::Run{}));
    EXPECT_EQ(validation.exit_status, 0) << validation.output;
    result::Run run = sample_run();
    run.context.push_back({"odd", std::numeric_limits<double>::infinity(), "", ""});
    validation = validate(to_json(run));
    EXPECT_EQ(validation.exit_status, 0) << validation.output;
}

TEST(ResultSchema, RefusesWhatBreaksTheFormat) {
    const std::string job = "/stages/0/points/0/repeats/0/jobs/0";
    expect_refused("/format_version", 2, "['format_version']");
    expect_refused("/surprise", 1, "surprise");
    expect_refused(job + "/surprise", 1, "['jobs'][0] Additional properties");
    expect_refused(job + "/workers", -1, "['workers']");
    expect_refused(job + "/facts/0/value", nullptr, "['facts'][0]['value']");
    expect_refused(job + "/phases/0/end", "bored", "['end']");
    expect_refused(job + "/phases/0/operations/0/bytes", 1.5, "['bytes']");
    expect_refused(job + "/phases/0/operations/0/histograms/0/buckets/0/0", 2304, "['buckets'][0][0]");
    expect_refused(job + "/phases/0/operations/0/histograms/0/buckets/0/1", 0, "['buckets'][0][1]");
    expect_refused("/stages/0/points/0/repeats/0/verdicts/0/level", "bad", "['level']");
}

TEST(ResultSchema, RefusesAResultWithoutAMemberThatTheReaderNeeds) {
    json document = json::parse(to_json(sample_run()));
    document["stages"][0]["points"][0]["repeats"][0]["jobs"][0]["phases"][0].erase("window_start_ns");
    const Validation validation = validate(document.dump());
    EXPECT_EQ(validation.exit_status, 1);
    EXPECT_NE(validation.output.find("'window_start_ns' is a required property"), std::string::npos)
        << validation.output;
}

// Every object in the schema is closed and says what it requires, so that a member cannot come or go unnoticed.
void expect_closed(const json& schema, const std::string& path) {
    if (schema.is_object() && schema.contains("properties")) {
        EXPECT_EQ(schema.value("additionalProperties", json(true)), json(false)) << path;
        EXPECT_TRUE(schema.contains("required")) << path;
    }
    if (schema.is_structured()) {
        for (const auto& [key, value] : schema.items())
            expect_closed(value, path + "/" + key);
    }
}

TEST(ResultSchema, ClosesEveryObject) {
    std::ifstream file(ASSAY_SCHEMA);
    expect_closed(json::parse(file), "#");
}

} // namespace
} // namespace assay::result
