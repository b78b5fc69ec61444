#include "tools/assay/dialects/fio/option_table.hpp"

#include "tests/unit/fio/support.hpp"

#include <cstdio>
#include <memory>
#include <set>
#include <sstream>

namespace assay::cli::fio {
namespace {

TEST(FioOptionTable, NamesAreUniqueAndEveryOptionSaysWhatItDoesHere) {
    std::set<std::string_view> names;
    for (const OptionRecord& record : option_table()) {
        EXPECT_TRUE(names.insert(record.name).second) << record.name;
        if (!record.alias.empty()) {
            EXPECT_TRUE(names.insert(record.alias).second) << record.alias;
        }
        EXPECT_FALSE(record.here.empty()) << record.name;
        if (record.support != Support::refused) {
            EXPECT_TRUE(record.neutral.empty()) << record.name;
        }
    }
}

TEST(FioOptionTable, AliasesLeadToTheOption) {
    EXPECT_EQ((*find_option("timeout"))->name, "runtime");
    EXPECT_EQ((*find_option("wait_for_previous"))->name, "stonewall");
    EXPECT_FALSE(find_option("").ok());
}

TEST(FioOptionTable, TheReferencePageIsWhatTheTableSays) {
    std::ifstream file(ASSAY_SOURCE_DIR "/docs/reference/fio.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), option_reference() + command_reference())
        << "assay fio --list-options > docs/reference/fio.md";
}

TEST(FioOptionTable, HasEveryOptionOfTheInstalledFio) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> list(popen("fio --cmdhelp=all 2>/dev/null", "r"), pclose);
    ASSERT_TRUE(list);
    char line[512];
    int count = 0;
    while (std::fgets(line, sizeof line, list.get()) != nullptr) {
        std::string name(line);
        name.resize(std::min(name.size(), name.find(':')));
        name.erase(0, name.find_first_not_of(' '));
        name.resize(name.find_last_not_of(' ') + 1);
        if (name.empty()) continue;
        ++count;
        EXPECT_TRUE(find_option(name).ok()) << name;
    }
    if (count == 0) GTEST_SKIP() << "fio is not installed, so its options are not compared";
    EXPECT_GT(count, 200);
}

} // namespace
} // namespace assay::cli::fio
