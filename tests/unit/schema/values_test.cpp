// Text to typed values of every option type, and the form they reach a plugin in.
#include "assay/sdk/job.hpp"
#include "assay/sdk/option.hpp"
#include "core/schema/schema.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr const char* kEngines[] = {"psync", "libaio", "io_uring"};

const assay_option kOptions[] = {
    sdk::bool_option("direct", "h").defaults("no"),
    sdk::int_option("depth", "h").defaults("1").range("1", "4096"),
    sdk::OptionBuilder(ASSAY_TYPE_FLOAT, "skew", "h").range("0", "2"),
    sdk::string_option("title", "h"),
    sdk::enum_option("engine", "h", kEngines).defaults("io_uring"),
    sdk::size_option("size", "h").range("512B", "1TiB"),
    sdk::duration_option("think", "h"),
    sdk::OptionBuilder(ASSAY_TYPE_RATE, "bandwidth", "h").unit("B/s"),
    sdk::OptionBuilder(ASSAY_TYPE_RATE, "pace", "h").unit("op/s"),
    sdk::percentage_option("read_share", "h").range("10%", "90%"),
    sdk::OptionBuilder(ASSAY_TYPE_PATH, "file", "h"),
    sdk::OptionBuilder(ASSAY_TYPE_ENDPOINT, "server", "h"),
    sdk::size_option("sizes", "h").flag(ASSAY_OPTION_LIST).range("1B", "1MiB"),
    sdk::size_option("mix", "h").flag(ASSAY_OPTION_WEIGHTED),
    sdk::int_option("needed", "h").flag(ASSAY_OPTION_REQUIRED).example("7"),
    sdk::string_option("password", "h").flag(ASSAY_OPTION_SECRET),
};

std::shared_ptr<const Schema> schema() {
    static const auto instance =
        std::make_shared<const Schema>(*Schema::from_table("block", sdk::option_table(kOptions)));
    return instance;
}

Result<OptionValue> parse(const std::string& key, const std::string& text) {
    return schema()->parse(schema()->find(key).value(), text);
}

void expect_refused(const std::string& key, const std::string& text, const std::vector<std::string>& parts) {
    const Result<OptionValue> value = parse(key, text);
    ASSERT_FALSE(value.ok()) << key << "=" << text;
    EXPECT_EQ(value.status().failure(), Failure::usage);
    const std::string message = value.status().message();
    EXPECT_NE(message.find("option " + key), std::string::npos) << message;
    for (const std::string& part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
}

TEST(SchemaValues, EveryTypeGetsItsForm) {
    EXPECT_EQ(parse("direct", "yes")->items[0].integer, 1);
    EXPECT_EQ(parse("depth", "128")->items[0].integer, 128);
    EXPECT_EQ(parse("skew", "1.25")->items[0].real, 1.25);
    EXPECT_EQ(parse("title", " as it is ")->items[0].text, " as it is ");
    EXPECT_EQ(parse("engine", "libaio")->items[0].integer, 1);
    EXPECT_EQ(parse("size", "4KiB")->items[0].integer, 4096);
    EXPECT_EQ(parse("think", "250ms")->items[0].integer, 250'000'000);
    EXPECT_EQ(parse("bandwidth", "100MB/s")->items[0].integer, 100'000'000);
    EXPECT_EQ(parse("pace", "10k/s")->items[0].integer, 10'000);
    EXPECT_EQ(parse("read_share", "70%")->items[0].real, 70.0);
    EXPECT_EQ(parse("file", "/a b")->items[0].text, "/a b");
    EXPECT_EQ(parse("server", "storage-1.lab:9000")->items[0].text, "storage-1.lab:9000");
    EXPECT_TRUE(parse("depth", "128")->given);
    EXPECT_EQ(parse("depth", "128")->text, "128");
    EXPECT_EQ(parse("depth", "128")->items[0].weight, 1.0);
}

TEST(SchemaValues, AWrongUnitNamesOptionTextRuleAndExample) {
    expect_refused("size", "10", {"\"10\"", "no unit", "4KiB"});
    expect_refused("size", "4KB/s", {"\"4KB/s\"", "not a size", "rate", "4KiB"});
    expect_refused("think", "10", {"\"10\"", "no unit", "250ms"});
    expect_refused("depth", "16KiB", {"\"16KiB\"", "whole number"});
    expect_refused("pace", "100MB/s", {"\"100MB/s\"", "5000/s"});
    expect_refused("bandwidth", "5000/s", {"\"5000/s\"", "100MB/s"});
    expect_refused("read_share", "70", {"\"70\"", "no unit", "70%"});
    expect_refused("direct", "maybe", {"\"maybe\"", "yes"});
}

TEST(SchemaValues, AValueOutOfRangeNamesTheRange) {
    expect_refused("depth", "0", {"\"0\"", "less than 1", "1 to 4096"});
    expect_refused("depth", "4097", {"\"4097\"", "more than 4096"});
    expect_refused("size", "511B", {"\"511B\"", "less than 512B", "1TiB"});
    expect_refused("read_share", "9.9%", {"less than 10%"});
    expect_refused("skew", "2.1", {"more than 2"});
    expect_refused("sizes", "4KiB,2MiB", {"\"2MiB\"", "more than 1MiB"});
    EXPECT_TRUE(parse("depth", "4096").ok()) << "bounds are inclusive";
    EXPECT_TRUE(parse("size", "512B").ok());
}

TEST(SchemaValues, AnUnknownEnumNameListsTheNamesAndTheNearest) {
    expect_refused("engine", "iouring", {"\"iouring\"", "psync, libaio, io_uring", "did you mean io_uring?"});
    expect_refused("engine", "IO_URING", {"did you mean io_uring?"});
    expect_refused("engine", "", {"psync"});
}

TEST(SchemaValues, AnUnknownOptionNamesTheNearestAndWhereToLook) {
    const Status status = schema()->unknown_option("titel");
    EXPECT_EQ(status.failure(), Failure::usage);
    for (const std::string part : {"block", "\"titel\"", "did you mean title?", "assay plugins show block"}) {
        EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    }
}

TEST(SchemaValues, EndpointsAreHostAndPort) {
    for (const std::string good : {"a:1", "10.0.0.1:65535", "[::1]:80", "[fd00::1]:9000", " a:1 "}) {
        EXPECT_TRUE(parse("server", good).ok()) << good;
    }
    for (const std::string bad : {"", "a", "a:", ":80", "a:0", "a:65536", "a:-1", "a:b", "::1:80", "[::1]", "[zz]:80",
                                  "[1.2.3.4]:80", "http://a:80", "a b:80", "a:80/x"}) {
        expect_refused("server", bad, {"not an endpoint", "host:port"});
    }
}

TEST(SchemaValues, TextsMustBeUtf8AndPathsFitTheKernel) {
    expect_refused("title", "\xff\xfe", {"UTF-8"});
    expect_refused("title", std::string("a\0b", 3), {"NUL"});
    expect_refused("title", std::string(65'537, 'x'), {"65537 bytes", "65536"});
    expect_refused("file", "", {"not a path"});
    expect_refused("file", std::string(4096, 'x'), {"4095"});
    EXPECT_TRUE(parse("title", "").ok());
}

TEST(SchemaValues, ListsAreSeparatedByCommas) {
    const Result<OptionValue> value = parse("sizes", "4KiB, 1MiB,512B");
    ASSERT_TRUE(value.ok());
    ASSERT_EQ(value->items.size(), 3u);
    EXPECT_EQ(value->items[1].integer, 1 << 20);
    for (const std::string bad : {"", "4KiB,", ",4KiB", "4KiB,,4KiB"})
        expect_refused("sizes", bad, {"empty item"});
    expect_refused("sizes", "4KiB,10", {"\"10\"", "no unit"});
    expect_refused("sizes", "4KiB:70", {"sizes"});
    std::string many = "1B";
    for (int i = 0; i < 4096; ++i)
        many += ",1B";
    expect_refused("sizes", many, {"4097 items", "4096"});
    expect_refused("depth", "1,2", {"\"1,2\""});
}

TEST(SchemaValues, WeightsAreGivenToEachItemOrToNone) {
    const Result<OptionValue> value = parse("mix", "4KiB:70, 64KiB:30");
    ASSERT_TRUE(value.ok());
    ASSERT_EQ(value->items.size(), 2u);
    EXPECT_EQ(value->items[0].weight, 70.0);
    EXPECT_EQ(value->items[1].integer, 65536);
    EXPECT_EQ(parse("mix", "4KiB,8KiB")->items[1].weight, 1.0);
    expect_refused("mix", "4KiB:70,64KiB", {"weight", "each or to none"});
    for (const std::string bad : {"4KiB:0", "4KiB:-1", "4KiB:", "4KiB:x", "4KiB:nan"})
        expect_refused("mix", bad, {"weight", "4KiB:70"});
    expect_refused("mix", ":70", {"empty"});
}

TEST(SchemaValues, ASecretIsReadWhereItsReferencePoints) {
    ::setenv("ASSAY_TEST_SECRET", "hunter2", 1);
    EXPECT_EQ(parse("password", "env:ASSAY_TEST_SECRET")->items[0].text, "hunter2");
    EXPECT_EQ(parse("password", "env:ASSAY_TEST_SECRET")->text, "env:ASSAY_TEST_SECRET");
    ::unsetenv("ASSAY_TEST_SECRET");
    expect_refused("password", "env:ASSAY_TEST_SECRET", {"ASSAY_TEST_SECRET", "not set"});
    const std::string path = testing::TempDir() + "assay-secret";
    std::ofstream(path) << "sesame\n";
    EXPECT_EQ(parse("password", "file:" + path)->items[0].text, "sesame");
    std::filesystem::remove(path);
    expect_refused("password", "file:" + path, {path});
}

TEST(SchemaValues, ASecretGivenByValueIsRefusedAndNotRepeated) {
    const Result<OptionValue> value = parse("password", "hunter2");
    ASSERT_FALSE(value.ok());
    EXPECT_NE(value.status().message().find("env:NAME"), std::string::npos);
    EXPECT_EQ(value.status().message().find("hunter2"), std::string::npos);
}

TEST(SchemaValues, CanonicalTextIsOneForAllSpellingsAndParsesBack) {
    const std::vector<std::vector<std::string>> cases = {
        {"direct", "ON", "yes"},
        {"depth", "007", "7"},
        {"skew", "1.500", "1.5"},
        {"size", "4096B", "4KiB"},
        {"think", "1.5s", "1500ms"},
        {"bandwidth", "10Gbit/s", "1250000000B/s"},
        {"pace", "10k IOPS", "10000/s"},
        {"read_share", "12.50%", "12.5%"},
        {"sizes", "1024B, 2KiB", "1KiB,2KiB"},
        {"mix", "1024B:1.5,2KiB:2", "1KiB:1.5,2KiB:2"},
        {"mix", "1KiB,2KiB", "1KiB,2KiB"},
        {"engine", "psync", "psync"},
        {"title", "a,b: c", "a,b: c"},
    };
    for (const auto& row : cases) {
        const OptionSpec& option = schema()->options()[schema()->find(row[0]).value()];
        const Result<OptionValue> value = parse(row[0], row[1]);
        ASSERT_TRUE(value.ok()) << value.status().message();
        EXPECT_EQ(canonical_text(option, *value), row[2]);
        const Result<OptionValue> again = parse(row[0], row[2]);
        ASSERT_TRUE(again.ok()) << again.status().message();
        ASSERT_EQ(again->items.size(), value->items.size());
        for (std::size_t i = 0; i < value->items.size(); ++i) {
            EXPECT_EQ(again->items[i].integer, value->items[i].integer) << row[0];
            EXPECT_EQ(again->items[i].real, value->items[i].real) << row[0];
            EXPECT_EQ(again->items[i].weight, value->items[i].weight) << row[0];
        }
    }
}

TEST(OptionSet, StartsWithTheDefaultsAndKnowsWhatWasGiven) {
    OptionSet set = *OptionSet::defaults(schema());
    EXPECT_EQ(set.find("engine")->items[0].integer, 2);
    EXPECT_FALSE(set.find("engine")->given);
    EXPECT_TRUE(set.find("title")->items.empty()) << "no default: absent";
    EXPECT_EQ(set.find("nothing"), nullptr);
    ASSERT_TRUE(set.set("engine", "psync").ok());
    EXPECT_TRUE(set.find("engine")->given);
    EXPECT_EQ(set.find("engine")->items[0].integer, 0);
    EXPECT_FALSE(set.set("engin", "psync").ok());
    const OptionSet copy = set;
    ASSERT_TRUE(set.set("engine", "libaio").ok());
    EXPECT_EQ(copy.find("engine")->items[0].integer, 0) << "a copy does not follow";
}

TEST(OptionSet, ARequiredOptionMustBeGiven) {
    OptionSet set = *OptionSet::defaults(schema());
    const Status missing = set.check_required();
    EXPECT_EQ(missing.failure(), Failure::usage);
    for (const std::string part : {"block", "needed", "for example 7"}) {
        EXPECT_NE(missing.message().find(part), std::string::npos) << missing.message();
    }
    ASSERT_TRUE(set.set("needed", "7").ok());
    EXPECT_TRUE(set.check_required().ok());
}

TEST(OptionSet, TextsListWhatIsPresentAndMaskSecrets) {
    OptionSet set = *OptionSet::defaults(schema());
    ::setenv("ASSAY_TEST_SECRET", "hunter2", 1);
    ASSERT_TRUE(set.set("password", "env:ASSAY_TEST_SECRET").ok());
    ASSERT_TRUE(set.set("size", "4096B").ok());
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"direct", "no"}, {"depth", "1"}, {"engine", "io_uring"}, {"size", "4KiB"}, {"password", "***"}};
    EXPECT_EQ(set.texts(), expected);
    ::unsetenv("ASSAY_TEST_SECRET");
}

// What the plugin reads, through the SDK's own view.
TEST(AbiValues, GiveAPluginItsTypedValuesInTheTablesOrder) {
    OptionSet set = *OptionSet::defaults(schema());
    ASSERT_TRUE(set.set("depth", "32").ok());
    ASSERT_TRUE(set.set("title", "run 1").ok());
    ASSERT_TRUE(set.set("read_share", "70%").ok());
    ASSERT_TRUE(set.set("mix", "4KiB:70,64KiB:30").ok());
    AbiValues original(set);
    ASSERT_TRUE(set.set("title", "something else").ok());
    const AbiValues values = std::move(original);

    assay_job raw{};
    raw.struct_size = sizeof raw;
    raw.values = values.data();
    raw.value_count = values.count();
    raw.value_stride = AbiValues::stride();
    const sdk::Job job(raw);
    const auto at = [](const char* key) { return schema()->find(key).value(); };
    EXPECT_EQ(values.count(), std::size(kOptions));
    EXPECT_EQ(job.integer(at("depth")), 32);
    EXPECT_TRUE(job.given(at("depth")));
    EXPECT_FALSE(job.given(at("engine")));
    EXPECT_TRUE(job.present(at("engine")));
    EXPECT_EQ(job.integer(at("engine")), 2);
    EXPECT_FALSE(job.present(at("file")));
    EXPECT_EQ(job.text(at("title")), "run 1");
    EXPECT_EQ(job.real(at("read_share")), 70.0);
    ASSERT_EQ(job.items(at("mix")).size(), 2u);
    EXPECT_EQ(job.items(at("mix"))[1].as.integer, 65536);
    EXPECT_EQ(job.items(at("mix"))[1].weight, 30.0);
    EXPECT_EQ(values.data()[0].struct_size, sizeof(assay_option_value));
}

} // namespace
} // namespace assay
