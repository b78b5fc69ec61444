// Help and JSON, all derived from the table.
#include "core/schema/help.hpp"
#include "assay/sdk/option.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr const char* kEngines[] = {"psync", "io_uring"};
constexpr const char* kEngineHelp[] = {"One call a request.", "Shared rings."};

const assay_option kOptions[] = {
    sdk::size_option("block_size", "Bytes a request moves.").defaults("4KiB").range("512B", "64MiB").group("I/O"),
    sdk::enum_option("engine", "How requests are issued.", kEngines)
        .defaults("io_uring")
        .explain(kEngineHelp)
        .group("I/O"),
    sdk::int_option("queue_depth", "Requests kept in flight.")
        .unit("requests")
        .defaults("1")
        .range("1", "4096")
        .group("I/O"),
    sdk::bool_option("unlink", "Removes the files at the end.").group("Files").flag(ASSAY_OPTION_DESTRUCTIVE),
    sdk::size_option("mix", "Sizes.").flag(ASSAY_OPTION_WEIGHTED).group("I/O"),
    sdk::duration_option("think", "Pause.").flag(ASSAY_OPTION_DEPRECATED).group("I/O"),
    sdk::OptionBuilder(ASSAY_TYPE_RATE, "bandwidth", "Rate.").group("I/O"),
    sdk::OptionBuilder(ASSAY_TYPE_RATE, "pace", "Rate.").unit("op/s").group("I/O"),
    sdk::percentage_option("read_share", "Share.").group("I/O"),
    sdk::OptionBuilder(ASSAY_TYPE_ENDPOINT, "server", "Where.").group("I/O"),
    sdk::string_option("token", "Key.").flag(ASSAY_OPTION_SECRET).group("I/O"),
    sdk::int_option("needed", "Needed.").flag(ASSAY_OPTION_REQUIRED).group("I/O"),
};

const Schema& schema() {
    static const Schema instance = *Schema::from_table("block", sdk::option_table(kOptions));
    return instance;
}

const OptionSpec& option(const std::string& key) { return schema().options()[schema().find(key).value()]; }

TEST(SchemaHelp, TheFormOfAValueNamesTypeUnitRangeAndDefault) {
    EXPECT_EQ(option_form(option("block_size")), "size with its unit, e.g. 4KiB or 4KB; 512B to 64MiB; default 4KiB");
    EXPECT_EQ(option_form(option("engine")), "one of psync, io_uring; default io_uring");
    EXPECT_EQ(option_form(option("queue_depth")), "whole number of requests; 1 to 4096; default 1");
    EXPECT_EQ(option_form(option("unlink")), "yes or no; no default");
    EXPECT_NE(option_form(option("mix")).find("a:70,b:30"), std::string::npos);
    EXPECT_NE(option_form(option("token")).find("env:NAME"), std::string::npos);
    EXPECT_NE(option_form(option("needed")).find("required"), std::string::npos);
}

TEST(SchemaHelp, OptionsStandUnderTheirGroupAndNoLineIsTooLong) {
    const std::string text = schema_help(schema(), 60);
    const auto at = [&](const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
        return text.find(part);
    };
    EXPECT_LT(at("I/O:"), at("  block_size:"));
    EXPECT_LT(at("  needed:"), at("Files:")) << "a group comes once";
    EXPECT_LT(at("Files:"), at("  unlink:"));
    EXPECT_LT(at("engine:"), at("psync: One call a request."));
    at("Data on the target can");
    at("Deprecated.");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 60u) << line;
    for (const OptionSpec& one : schema().options())
        at("  " + one.key + ":");
}

TEST(SchemaHelp, AnAbsurdWidthIsRaisedToAReadableOne) {
    EXPECT_EQ(schema_help(schema(), -5), schema_help(schema(), 40));
}

TEST(SchemaJson, OptionsCarryEverythingTheTableSays) {
    const Json list = Json::parse(schema_options_json(schema()));
    ASSERT_EQ(list.size(), std::size(kOptions));
    EXPECT_EQ(list[0]["key"], "block_size");
    EXPECT_EQ(list[0]["type"], "size");
    EXPECT_EQ(list[0]["default"], "4KiB");
    EXPECT_EQ(list[0]["min"], "512B");
    EXPECT_EQ(list[0]["max"], "64MiB");
    EXPECT_EQ(list[0]["unit"], "B");
    EXPECT_EQ(list[0]["required"], false);
    EXPECT_EQ(list[1]["values"][1]["name"], "io_uring");
    EXPECT_EQ(list[1]["values"][0]["help"], "One call a request.");
    EXPECT_EQ(list[3]["destructive"], true);
    EXPECT_TRUE(list[3]["default"].is_null());
    EXPECT_EQ(list[4]["weighted"], true);
    EXPECT_EQ(list[9]["type"], "endpoint");
    EXPECT_EQ(list[10]["secret"], true);
}

TEST(SchemaJson, TheJsonSchemaRefusesUnknownKeysAndNamesRequiredOnes) {
    const Json root = Json::parse(schema_json_schema(schema()));
    EXPECT_EQ(root["$schema"], "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(root["additionalProperties"], false);
    EXPECT_EQ(root["required"], Json::array({"needed"}));
    EXPECT_EQ(root["properties"].size(), std::size(kOptions));
    EXPECT_EQ(root["properties"]["engine"]["enum"], Json::array({"psync", "io_uring"}));
    const Json& depth = root["properties"]["queue_depth"]["anyOf"];
    EXPECT_EQ(depth[0]["type"], "integer");
    EXPECT_EQ(depth[0]["minimum"], 1);
    EXPECT_EQ(depth[0]["maximum"], 4096);
    EXPECT_EQ(depth[1]["type"], "string");
    const Json& mix = root["properties"]["mix"]["anyOf"];
    EXPECT_EQ(mix[0]["type"], "array");
    EXPECT_EQ(mix[0]["items"]["anyOf"].size(), 2u);
    EXPECT_EQ(root["properties"]["think"]["deprecated"], true);
}

// The patterns are a second statement of the units' grammar: both must agree on what is a quantity.
TEST(SchemaJson, PatternsTakeExactlyTheTextsThatParse) {
    const std::vector<std::string> texts = {
        "4KiB",    "4 KiB",    "4KB",       "4kB",      "4kb",    "4K",     "4",     "1.5GiB", ".5KiB",
        "5.KiB",   "4EB",      "7B",        "4ZiB",     "10s",    "10ms",   "10m",   "10min",  "10us",
        "1d",      "5sec",     "100MB/s",   "10Gbit/s", "10Gb/s", "5000/s", "10k/s", "10K/s",  "5000 IOPS",
        "10kIOPS", "10k IOPS", "10 k IOPS", "70%",      "70 %",   "70%%",   "-4KiB", "+4KiB",  "1e3B",
        "",        "a:1",      "[::1]:80",  "a",        "yes",    "No",     "ON",    "y"};
    const Json root = Json::parse(schema_json_schema(schema()));
    for (const std::string key : {"block_size", "think", "bandwidth", "pace", "read_share", "server"}) {
        const std::regex pattern(root["properties"][key]["pattern"].get<std::string>(), std::regex::ECMAScript);
        for (const std::string& text : texts) {
            if (key == "block_size" && (text == "4EB" || text == "1.5GiB" || text == "7B"))
                continue; // out of its range
            EXPECT_EQ(std::regex_match(text, pattern), schema().parse(schema().find(key).value(), text).ok())
                << key << " " << text;
        }
    }
    const std::regex boolean(root["properties"]["unlink"]["anyOf"][2]["pattern"].get<std::string>());
    for (const std::string& text : texts) {
        EXPECT_EQ(std::regex_match(text, boolean), schema().parse(schema().find("unlink").value(), text).ok()) << text;
    }
}

} // namespace
} // namespace assay
