// Schema::from_table: well-formed tables, older and newer ones, and malformed ones.
#include "assay/sdk/option.hpp"
#include "core/schema/schema.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr const char* kEngines[] = {"psync", "libaio", "io_uring"};

assay_option_table table_of(const std::vector<assay_option>& options) {
    return {sizeof(assay_option_table), static_cast<std::uint32_t>(options.size()), sizeof(assay_option), 0,
            options.data()};
}

void expect_malformed(const assay_option_table& table, const std::vector<std::string>& parts) {
    const Result<Schema> schema = Schema::from_table("block", table);
    ASSERT_FALSE(schema.ok());
    EXPECT_EQ(schema.status().failure(), Failure::internal);
    const std::string message = schema.status().message();
    EXPECT_NE(message.find("the option table of block is malformed"), std::string::npos) << message;
    for (const std::string& part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
}

void expect_malformed(const assay_option& option, const std::vector<std::string>& parts) {
    const std::vector<assay_option> options = {option};
    expect_malformed(table_of(options), parts);
}

TEST(SchemaTable, IsCopiedWhole) {
    const std::vector<assay_option> options = {
        sdk::size_option("block_size", "Bytes a request moves.").defaults("4KiB").range("512B", "64MiB").group("I/O"),
        sdk::enum_option("engine", "How requests are issued.", kEngines).defaults("io_uring"),
    };
    const Result<Schema> schema = Schema::from_table("block", table_of(options));
    ASSERT_TRUE(schema.ok()) << schema.status().message();
    ASSERT_EQ(schema->options().size(), 2u);
    const OptionSpec& size = schema->options()[0];
    EXPECT_EQ(size.key, "block_size");
    EXPECT_EQ(size.type, ASSAY_TYPE_SIZE);
    EXPECT_EQ(size.help, "Bytes a request moves.");
    EXPECT_EQ(size.default_text, "4KiB");
    EXPECT_EQ(size.min->integer, 512);
    EXPECT_EQ(size.max->integer, 64 << 20);
    EXPECT_EQ(size.group, "I/O");
    EXPECT_EQ(size.unit, "B");
    EXPECT_EQ(schema->options()[1].enum_names, (std::vector<std::string>{"psync", "libaio", "io_uring"}));
    EXPECT_EQ(schema->find("engine"), 1u);
    EXPECT_EQ(schema->find("block-size"), 0u) << "dashes count as underscores";
    EXPECT_EQ(schema->find("Engine"), std::nullopt);
}

TEST(SchemaTable, AnEmptyTableIsFine) {
    const assay_option_table table = {sizeof(assay_option_table), 0, 0, 0, nullptr};
    EXPECT_TRUE(Schema::from_table("null", table).ok());
}

// An older plugin: its options end after `max_text`, so its stride is smaller and the rest must read as absent. The
// bytes behind each shorter option are the next one: reading past struct_size would show.
TEST(SchemaTable, AnOlderPluginsShorterOptionsAreReadByTheirOwnSize) {
    constexpr std::size_t kOldSize = offsetof(assay_option, unit);
    std::vector<char> bytes(2 * kOldSize);
    const char* keys[] = {"first", "second"};
    for (std::size_t i = 0; i < 2; ++i) {
        assay_option option =
            sdk::int_option(keys[i], "help").defaults("3").range("1", "9").unit("requests").example("5");
        option.struct_size = kOldSize;
        std::memcpy(bytes.data() + i * kOldSize, &option, kOldSize);
    }
    const assay_option_table table = {sizeof(assay_option_table), 2, kOldSize, 0,
                                      reinterpret_cast<const assay_option*>(bytes.data())};
    const Result<Schema> schema = Schema::from_table("old", table);
    ASSERT_TRUE(schema.ok()) << schema.status().message();
    for (const OptionSpec& option : schema->options()) {
        EXPECT_EQ(option.default_text, "3");
        EXPECT_EQ(option.max_text, "9");
        EXPECT_EQ(option.unit, "");
        EXPECT_EQ(option.example, "");
    }
    EXPECT_EQ(schema->options()[1].key, "second");
}

TEST(SchemaTable, AFieldCutInTwoIsNotRead) {
    assay_option option = sdk::int_option("depth", "help").defaults("3");
    option.struct_size = offsetof(assay_option, default_text) + 4;
    const assay_option_table table = {sizeof(assay_option_table), 1, sizeof(assay_option), 0, &option};
    const Result<Schema> schema = Schema::from_table("old", table);
    ASSERT_TRUE(schema.ok()) << schema.status().message();
    EXPECT_EQ(schema->options()[0].default_text, std::nullopt);
    EXPECT_EQ(schema->options()[0].help, "help");
}

TEST(SchemaTable, ANewerPluginsLongerOptionsAreReadByTheirStride) {
    struct Newer {
        assay_option known;
        const char* unknown;
    };
    std::vector<Newer> options(2);
    options[0].known = sdk::int_option("first", "help");
    options[1].known = sdk::int_option("second", "help");
    for (Newer& option : options) {
        option.known.struct_size = sizeof(Newer);
        option.known.flags |= 1u << 30; // a flag of the future
    }
    const assay_option_table table = {sizeof(assay_option_table), 2, sizeof(Newer), 0, &options[0].known};
    const Result<Schema> schema = Schema::from_table("new", table);
    ASSERT_TRUE(schema.ok()) << schema.status().message();
    EXPECT_EQ(schema->options()[1].key, "second");
}

TEST(SchemaTable, RefusesSizesThatCannotBe) {
    const std::vector<assay_option> options = {sdk::int_option("depth", "help")};
    assay_option_table table = table_of(options);
    table.struct_size = 16;
    expect_malformed(table, {"16 bytes"});
    table = table_of(options);
    table.count = 513;
    expect_malformed(table, {"513 options", "512"});
    table = table_of(options);
    table.options = nullptr;
    expect_malformed(table, {"no options"});
    table = table_of(options);
    table.stride = 8;
    expect_malformed(table, {"stride of 8"});
    table.stride = 1 << 20;
    expect_malformed(table, {"stride of 1048576"});
    std::vector<assay_option> sized = options;
    sized[0].struct_size = sizeof(assay_option) + 8; // more than the stride: the next option would be read
    expect_malformed(table_of(sized), {"option 0", "104 bytes"});
    sized[0].struct_size = 0;
    expect_malformed(table_of(sized), {"option 0", "0 bytes"});
}

TEST(SchemaTable, RefusesIllFormedKeys) {
    for (const char* key : {"", "Block", "1st", "a-b", "a b", "_a", "\xff"})
        expect_malformed(sdk::int_option(key, "help"), {"key"});
    expect_malformed(sdk::int_option(nullptr, "help"), {"key"});
    const std::string long_key(65, 'a');
    expect_malformed(sdk::int_option(long_key.c_str(), "help"), {"64"});
    const std::vector<assay_option> twice = {sdk::int_option("depth", "a"), sdk::int_option("depth", "b")};
    expect_malformed(table_of(twice), {"depth", "twice"});
}

TEST(SchemaTable, RefusesStringsThatAreTooLongOrNotUtf8) {
    const std::string endless(70'000, 'x');
    expect_malformed(sdk::int_option("depth", endless.c_str()), {"depth", "help", "65536"});
    expect_malformed(sdk::int_option("depth", "caf\xe9"), {"depth", "UTF-8"});
}

TEST(SchemaTable, RefusesDefaultsRangesAndExamplesThatDoNotParse) {
    expect_malformed(sdk::size_option("size", "h").defaults("4K"), {"option size", "default", "\"4K\""});
    expect_malformed(sdk::size_option("size", "h").range("1", "9B"), {"option size", "range", "\"1\""});
    expect_malformed(sdk::int_option("n", "h").defaults("10").range("1", "9"), {"option n", "default", "more than 9"});
    expect_malformed(sdk::int_option("n", "h").range("9", "1"), {"option n", "range"});
    expect_malformed(sdk::int_option("n", "h").example("many"), {"option n", "example", "\"many\""});
    expect_malformed(sdk::string_option("s", "h").range("a", "b"), {"option s", "range"});
    expect_malformed(sdk::enum_option("e", "h", kEngines).defaults("sync"),
                     {"option e", "default", "psync, libaio, io_uring"});
}

TEST(SchemaTable, RefusesEnumsThatCannotBeChosenFrom) {
    assay_option none = sdk::enum_option("e", "h", kEngines);
    none.enum_count = 0;
    expect_malformed(none, {"option e", "1 to 1024 names"});
    none.enum_count = 3;
    none.enum_names = nullptr;
    expect_malformed(none, {"option e"});
    static constexpr const char* kTwice[] = {"a", "b", "a"};
    expect_malformed(sdk::enum_option("e", "h", kTwice), {"\"a\"", "twice"});
    for (const char* name : {"a,b", "a:b", "a b", ""}) {
        const char* names[] = {name};
        assay_option option = sdk::enum_option("e", "h", kEngines);
        option.enum_names = names;
        option.enum_count = 1;
        expect_malformed(option, {"enum name"});
    }
}

TEST(SchemaTable, RefusesTypesAndFlagsThatContradict) {
    expect_malformed(sdk::OptionBuilder(0, "x", "h"), {"option x", "type 0"});
    expect_malformed(sdk::OptionBuilder(12, "x", "h"), {"option x", "type 12"});
    expect_malformed(sdk::int_option("x", "h").defaults("1").flag(ASSAY_OPTION_REQUIRED), {"option x", "required"});
    expect_malformed(sdk::string_option("x", "h").defaults("pw").flag(ASSAY_OPTION_SECRET), {"option x", "secret"});
    expect_malformed(sdk::OptionBuilder(ASSAY_TYPE_ENDPOINT, "x", "h").flag(ASSAY_OPTION_WEIGHTED),
                     {"option x", "weights"});
}

} // namespace
} // namespace assay
