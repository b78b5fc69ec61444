#include "core/loader/places.hpp"

#include "tests/unit/loader/support.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

using test::TempDir;

class Environment {
public:
    explicit Environment(const std::string& value) { ::setenv("ASSAY_PLUGIN_PATH", value.c_str(), 1); }
    ~Environment() { ::unsetenv("ASSAY_PLUGIN_PATH"); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
};

TEST(Places, OptionsComeFirstThenTheEnvironmentThenOurs) {
    const Environment environment("/b:/c");
    Loader::Options options;
    options.plugin_paths = {"/a"};
    options.directories = {"/d"};
    std::vector<std::string> texts;
    for (const Place& place : places_of(options))
        texts.push_back(place_text(place));
    EXPECT_EQ(texts, (std::vector<std::string>{"--plugin /a", "/b from ASSAY_PLUGIN_PATH", "/c from ASSAY_PLUGIN_PATH",
                                               "/d"}));
}

TEST(Places, TheEnvironmentCanBeLeftOut) {
    const Environment environment("/b");
    Loader::Options options;
    options.use_environment = false;
    EXPECT_TRUE(places_of(options).empty());
}

TEST(Places, AnEmptyElementOfTheEnvironmentIsNotTheCurrentDirectory) {
    const Environment environment("::/b::");
    const auto places = places_of({});
    ASSERT_EQ(places.size(), 1u);
    EXPECT_EQ(places[0].path, "/b");
}

TEST(Places, ARelativeElementOfTheEnvironmentIsRefusedAndARelativeOptionIsNot) {
    const Environment environment("plugins");
    const auto places = places_of({});
    ASSERT_EQ(places.size(), 1u);
    EXPECT_NE(look_into(places[0]).reason.message().find("plugins: is relative"), std::string::npos);
    Loader::Options options;
    options.use_environment = false;
    options.plugin_paths = {"plugins"};
    EXPECT_EQ(places_of(options)[0].path, (std::filesystem::current_path() / "plugins").string());
}

TEST(Places, AMissingDirectoryOfOursIsEmptyAndAMissingOneThatWasNamedIsACandidateToComplainAbout) {
    EXPECT_TRUE(look_into({Origin::own, "/proc/no-such-place"}).files.empty());
    EXPECT_TRUE(look_into({Origin::own, "/proc/no-such-place"}).reason.ok());
    EXPECT_EQ(look_into({Origin::environment, "/proc/no-such-place"}).files,
              std::vector<std::string>{"/proc/no-such-place"});
}

TEST(Places, TooManyCandidatesAreRefusedTogether) {
    const TempDir dir;
    for (std::size_t i = 0; i <= candidates_max; ++i)
        dir.file(std::to_string(i) + ".so", "");
    const auto content = look_into({Origin::own, dir.path()});
    EXPECT_TRUE(content.files.empty());
    EXPECT_NE(content.reason.message().find("holds more than 1024 files"), std::string::npos);
    ::unlink((dir / "0.so").c_str());
    EXPECT_EQ(look_into({Origin::own, dir.path()}).files.size(), candidates_max);
}

TEST(Places, ADirectoryThatCannotBeListedSaysWhy) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const TempDir dir;
    const Place place{Origin::own, dir.directory("closed", 0700)};
    EXPECT_TRUE(test::holds_as_nobody(
        [&] { return look_into(place).reason.message() == place.path + ": cannot be listed: Permission denied"; }));
}

// Runs the program under test for real, installed as a user would, or with more rights than its user.
class Installed : public ::testing::Test {
protected:
    std::string install(const std::string& where) const {
        const std::string program = where + "/bin/probe";
        std::filesystem::create_directories(where + "/bin");
        std::filesystem::copy_file(ASSAY_TEST_PROBE, program);
        return program;
    }
    TempDir dir_;
};

TEST_F(Installed, ABuildTreeFindsItsPluginsBesideBin) {
    const std::string program = install(dir_ / "build");
    dir_.plugin("alpha", "build/plugins/alpha.so");
    EXPECT_EQ(test::output_of(program), "secure=0\nplugin " + (dir_ / "build/plugins/alpha.so") + "\n");
}

TEST_F(Installed, AnInstallPrefixFindsItsPluginsBelowEachOfItsLibraryDirectories) {
    for (const char* library_directory : {"lib", "lib64", ASSAY_TEST_LIBRARY_DIRECTORY}) {
        const std::string prefix = dir_ / (std::string("prefix-") + std::to_string(std::rand()));
        const std::string program = install(prefix);
        const std::string plugin =
            dir_.plugin("alpha", prefix.substr(dir_.path().size() + 1) + "/" + library_directory + "/assay/0/alpha.so");
        EXPECT_EQ(test::output_of(program), "secure=0\nplugin " + plugin + "\n");
    }
}

TEST_F(Installed, TheEnvironmentIsUsedByAnOrdinaryProgramAndIgnoredByOneWithMoreRightsThanItsUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const std::string program = install(dir_ / "build");
    const std::string plugin = dir_.plugin("alpha", "elsewhere/alpha.so");
    const std::string as_nobody =
        "ASSAY_PLUGIN_PATH=" + (dir_ / "elsewhere") + " setpriv --reuid 65534 --regid 65534 --clear-groups " + program;
    EXPECT_EQ(test::output_of(as_nobody), "secure=0\nplugin " + plugin + "\n");
    ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
    const std::string said = test::output_of(as_nobody);
    if (said.find("secure=0") == 0) GTEST_SKIP() << "set-user-id is not honoured on this file system";
    EXPECT_EQ(said, "secure=1\n");
}

} // namespace
} // namespace assay
