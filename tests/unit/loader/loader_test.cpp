#include "core/loader/loader.hpp"

#include "tests/unit/loader/support.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

using test::TempDir;

Loader::Options only(std::vector<std::string> directories) {
    Loader::Options options;
    options.use_environment = false;
    options.directories = std::move(directories);
    return options;
}
std::vector<std::string> names_of(const Loader::Listing& listing) {
    std::vector<std::string> names;
    for (const LoadedPlugin* plugin : listing.plugins)
        names.push_back(plugin->name);
    return names;
}
using Names = std::vector<std::string>;

// What is said about one broken file, or "" if it is not among the broken.
std::string said_of(const Loader::Listing& listing, const std::string& path) {
    for (const BrokenPlugin& broken : listing.broken)
        if (broken.path == path) return broken.reason.message();
    return "";
}
std::string error_of(Loader& loader, const std::string& name) {
    const auto found = loader.find(name);
    return found ? "" : found.status().message();
}
std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

#define EXPECT_HAS(text, words) EXPECT_NE((text).find(words), std::string::npos) << "it said: " << (text)

TEST(Loader, ListsWhatLiesInADirectoryByNameAndNothingDeeper) {
    const TempDir dir;
    dir.plugin("pair");
    dir.plugin("alpha");
    dir.plugin("alpha", "deeper/beta.so");
    dir.plugin("alpha", "alpha.so.1");
    dir.plugin("alpha", ".hidden.so");
    dir.file("readme.txt", "not a plugin");
    Loader loader(only({dir.path()}));
    const auto listing = loader.list();
    EXPECT_EQ(names_of(listing), (Names{"alpha", "left", "right"}));
    EXPECT_TRUE(listing.broken.empty()) << listing.broken.front().reason.message();
    EXPECT_EQ(listing.plugins[0]->file.path, dir / "alpha.so");
    EXPECT_STREQ(listing.plugins[1]->descriptor->id, "org.example.left");
    EXPECT_EQ(listing.plugins[0]->schema->options().size(), 1u);
}

TEST(Loader, RecordsPathDigestAndBuildIdAsThePeerToolsSeeThem) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    Loader loader(only({dir.path()}));
    const auto found = loader.find("alpha");
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ((*found)->file.path, path);
    EXPECT_EQ((*found)->file.sha256, first_word(test::output_of("sha256sum " + path)));
    EXPECT_EQ((*found)->file.build_id + "\n", test::output_of("readelf -n " + path + " | sed -n 's/.*Build ID: //p'"));
}

TEST(Loader, EachBrokenFileGetsOneMessageThatNamesItAndTheReason) {
    const TempDir dir;
    dir.directory("directory.so");
    ASSERT_EQ(::mkfifo((dir / "fifo.so").c_str(), 0644), 0);
    ASSERT_EQ(::symlink("loop.so", (dir / "loop.so").c_str()), 0);
    ASSERT_EQ(::symlink("gone", (dir / "dangling.so").c_str()), 0);
    dir.file("text.so", "I am no plugin\n");
    dir.file("empty.so", "");
    dir.file("cut.so", test::read_all(test::test_plugin("alpha")).substr(0, 5000));
    ASSERT_EQ(::chmod(dir.plugin("alpha", "open.so").c_str(), 0777), 0);
    for (const char* which : {"stranger", "variable", "future", "nothing", "needy", "undefined"})
        dir.plugin(which);
    const struct {
        const char* file;
        const char* words;
    } expected[] = {
        {"directory.so", ": is a directory"},
        {"fifo.so", ": is a FIFO"},
        {"loop.so", ": the symbolic links form a loop"},
        {"dangling.so", ": the symbolic link points to nothing"},
        {"text.so", ": is not a shared object"},
        {"empty.so", ": is empty"},
        {"cut.so", ": is cut short"},
        {"open.so", ": can be written by everybody, mode 0777"},
        {"stranger.so", ": is no plugin of this assay: it exports no function assay_entry_draft"},
        {"variable.so", ": is no plugin of this assay: it exports no function assay_entry_draft"},
        {"future.so", ": was built for plugin ABI "},
        {"nothing.so", ": assay_entry_draft() returned a null pointer"},
        {"needy.so", ": cannot be loaded: libassay_test_absent.so: cannot open shared object file"},
        {"undefined.so", ": undefined symbol: assay_test_nowhere"},
    };
    Loader loader(only({dir.path()}));
    const auto listing = loader.list();
    EXPECT_TRUE(listing.plugins.empty());
    EXPECT_EQ(listing.broken.size(), std::size(expected));
    for (const auto& broken : expected) {
        const std::string said = said_of(listing, dir / broken.file);
        EXPECT_HAS(said, broken.words);
        EXPECT_EQ(said.find(dir / broken.file), 0u) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        const std::string name = std::string(broken.file).substr(0, std::string(broken.file).size() - 3);
        EXPECT_HAS(error_of(loader, name), broken.words);
    }
}

TEST(Loader, NothingOfAFileThatIsNoPluginOrNotRefusedForItsRightsIsMapped) {
    const TempDir dir;
    const std::string stranger = dir.plugin("stranger");
    const std::string open = dir.plugin("alpha", "open.so");
    ASSERT_EQ(::chmod(open.c_str(), 0666), 0);
    Loader loader(only({dir.path()}));
    EXPECT_TRUE(loader.list().plugins.empty());
    EXPECT_FALSE(test::is_mapped(stranger));
    EXPECT_FALSE(test::is_mapped(open));
}

TEST(Loader, FindingAPluginLoadsItsFileAlone) {
    const TempDir dir;
    const std::string alpha = dir.plugin("alpha");
    const std::string pair = dir.plugin("pair");
    Loader loader(only({dir.path()}));
    ASSERT_TRUE(loader.find("alpha").ok());
    EXPECT_TRUE(test::is_mapped(alpha));
    EXPECT_FALSE(test::is_mapped(pair));
    ASSERT_TRUE(loader.find("right").ok()) << "a name that no file has: every file is looked at";
    EXPECT_TRUE(test::is_mapped(pair));
}

TEST(Loader, FindsByIdAndByPath) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    dir.plugin("pair");
    Loader loader(only({dir.path()}));
    EXPECT_EQ((*loader.find("org.example.alpha"))->name, "alpha");
    EXPECT_EQ((*loader.find("org.example.right"))->name, "right");
    EXPECT_EQ((*loader.find(path))->file.path, path);
    Loader elsewhere(only({}));
    const auto found = elsewhere.find(path);
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ((*found)->name, "alpha");
    EXPECT_EQ((*found)->file.sha256.size(), 64u);
    EXPECT_EQ(*found, *elsewhere.find(path));
    EXPECT_HAS(error_of(elsewhere, dir / "no.so"), "there is no such file");
}

TEST(Loader, AnUnknownNameIsRefusedWithThePlacesAndTheNearestName) {
    const TempDir dir;
    const std::string first = dir.directory("first");
    const std::string second = dir / "second";
    dir.plugin("alpha", "first/alpha.so");
    dir.file("first/text.so", "text");
    Loader loader(only({first, second}));
    EXPECT_EQ(error_of(loader, "alhpa"), "there is no plugin \"alhpa\"; did you mean alpha?; looked in " + first +
                                             ", " + second +
                                             "; 1 file there cannot be used (`assay plugins list` says why)");
    EXPECT_EQ(loader.find("alhpa").status().failure(), Failure::usage);
    EXPECT_EQ(error_of(loader, "zzz").find("did you mean"), std::string::npos);
    Loader nowhere(only({}));
    EXPECT_EQ(error_of(nowhere, "alpha"), "there is no plugin \"alpha\"; there is no place to look in");
}

TEST(Loader, OfTwoPluginsWithOneNameTheFirstPlaceWinsAndTheOtherSaysSo) {
    const TempDir dir;
    const std::string first = dir.plugin("alpha", "first/zeta.so");
    const std::string second = dir.plugin("alpha", "second/alpha.so");
    const Names places{dir / "first", dir / "second"};
    Loader listing_first(only(places));
    const auto listing = listing_first.list();
    ASSERT_EQ(names_of(listing), Names{"alpha"});
    EXPECT_EQ(listing.plugins[0]->file.path, first);
    EXPECT_EQ(said_of(listing, second), second + ": 'alpha' is already the plugin in " + first);
    Loader finding_first(only(places));
    EXPECT_EQ((*finding_first.find("alpha"))->file.path, first) << "whatever was asked first";
}

TEST(Loader, WithinADirectoryTheFileThatIsCalledLikeThePluginWins) {
    const TempDir dir;
    const std::string other = dir.plugin("alpha", "aaa.so");
    const std::string proper = dir.plugin("alpha");
    Loader loader(only({dir.path()}));
    EXPECT_EQ((*loader.find("alpha"))->file.path, proper);
    const auto listing = loader.list();
    ASSERT_EQ(names_of(listing), Names{"alpha"});
    EXPECT_EQ(listing.plugins[0]->file.path, proper);
    EXPECT_EQ(said_of(listing, other), other + ": 'alpha' is already the plugin in " + proper);
}

TEST(Loader, OneFileReachedTwiceIsOnePlugin) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    ASSERT_EQ(::symlink("alpha.so", (dir / "aaa.so").c_str()), 0);
    Loader::Options options = only({dir.path(), dir.path() + "/"});
    options.plugin_paths = {path};
    Loader loader(options);
    const auto listing = loader.list();
    EXPECT_EQ(names_of(listing), Names{"alpha"});
    EXPECT_TRUE(listing.broken.empty()) << listing.broken.front().reason.message();
}

TEST(Loader, APluginGivenByOptionComesBeforeOurs) {
    const TempDir dir;
    dir.plugin("alpha", "ours/alpha.so");
    const std::string mine = dir.plugin("alpha", "mine/my-alpha.so");
    Loader::Options options = only({dir / "ours"});
    options.plugin_paths = {mine};
    Loader by_file(options);
    EXPECT_EQ((*by_file.find("alpha"))->file.path, mine);
    options.plugin_paths = {dir / "mine"};
    Loader by_directory(options);
    EXPECT_EQ((*by_directory.find("alpha"))->file.path, mine);
}

TEST(Loader, ARefusedPluginIsNeverReplacedByAnotherOfTheSameName) {
    const TempDir dir;
    dir.plugin("alpha", "ours/alpha.so");
    dir.file("mine/../alpha.so", "text");
    dir.directory("mine");
    const std::string bad = dir.file("mine/alpha.so", "text");
    Loader loader(only({dir / "mine", dir / "ours"}));
    EXPECT_EQ(error_of(loader, "alpha").find("plugin 'alpha': " + bad + ": is not a shared object"), 0u)
        << error_of(loader, "alpha");
    dir.directory("open", 0777);
    dir.plugin("alpha", "open/alpha.so");
    Loader open(only({dir / "open", dir / "ours"}));
    EXPECT_HAS(error_of(open, "alpha"), "plugin 'alpha': " + (dir / "open") + ": the directory can be written");
}

TEST(Loader, AnOptionThatPointsToNothingOrToABrokenFileIsAnErrorEvenIfTheNameIsFoundElsewhere) {
    const TempDir dir;
    dir.plugin("alpha", "ours/alpha.so");
    Loader::Options options = only({dir / "ours"});
    options.plugin_paths = {dir / "no.so"};
    Loader missing(options);
    EXPECT_EQ(error_of(missing, "alpha"), "--plugin: " + (dir / "no.so") + ": there is no such file");
    options.plugin_paths = {dir.file("text.so", "text")};
    Loader broken(options);
    EXPECT_HAS(error_of(broken, "alpha"), "--plugin: " + (dir / "text.so") + ": is not a shared object");
}

TEST(Loader, ADirectoryThatOthersCanWriteIsOneMessageAndNoPlugin) {
    const TempDir dir;
    const std::string open = dir.directory("open", 0777);
    dir.plugin("alpha", "open/alpha.so");
    dir.plugin("pair", "open/pair.so");
    Loader loader(only({open}));
    const auto listing = loader.list();
    EXPECT_TRUE(listing.plugins.empty());
    ASSERT_EQ(listing.broken.size(), 1u);
    EXPECT_HAS(said_of(listing, open), "the directory can be written by everybody, mode 0777");
}

TEST(Loader, AListingDoesNotHashAndFindHashesOnlyAFileThatHasNotChangedSince) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    Loader loader(only({dir.path()}));
    const auto listing = loader.list();
    ASSERT_EQ(names_of(listing), Names{"alpha"});
    EXPECT_EQ(listing.plugins[0]->file.sha256, "");
    const auto found = loader.find("alpha");
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, listing.plugins[0]);
    EXPECT_EQ((*found)->file.sha256, first_word(test::output_of("sha256sum " + path)));

    const std::string other = dir.plugin("alpha", "other/alpha.so");
    Loader late(only({dir / "other"}));
    ASSERT_EQ(late.list().plugins.size(), 1u);
    ::usleep(20'000);
    std::ofstream(other, std::ios::app) << "more";
    EXPECT_HAS(error_of(late, "alpha"), other + ": changed after it was loaded");
}

TEST(Loader, AFileThatWasReplacedIsAnotherFile) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    Loader loader(only({dir.path()}));
    ASSERT_EQ(loader.list().plugins.size(), 1u);
    dir.plugin("alpha", "new.so");
    std::filesystem::rename(dir / "new.so", path);
    EXPECT_HAS(error_of(loader, "alpha"), "changed after it was loaded");
}

TEST(Loader, PluginsShareNoSymbolsAndStayLoaded) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    {
        Loader loader(only({dir.path()}));
        ASSERT_TRUE(loader.find("alpha").ok());
    }
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, ASSAY_ENTRY_SYMBOL), nullptr);
    EXPECT_TRUE(test::is_mapped(path));
}

TEST(Loader, InitRunsOnceForAllLoadersAndDeinitAfterTheLast) {
    const TempDir dir;
    const std::string path = dir.plugin("pair");
    std::vector<std::string> lines;
    Loader::Options options = only({dir.path()});
    options.log = [&](assay_severity severity, const std::string& from, const std::string& text) {
        EXPECT_EQ(severity, ASSAY_LOG_INFO);
        EXPECT_EQ(from, path);
        lines.push_back(text);
    };
    {
        Loader first(options);
        ASSERT_TRUE(first.find("left").ok());
        ASSERT_TRUE(first.find("right").ok());
        Loader second(options);
        ASSERT_TRUE(second.find("left").ok());
        EXPECT_EQ(lines, Names{"init"});
    }
    EXPECT_EQ(lines, (Names{"init", "deinit"}));
    const Loader unused(options);
    EXPECT_EQ(lines.size(), 2u);
}

TEST(Loader, APluginWhoseInitFailsIsBrokenWithItsOwnReason) {
    const TempDir dir;
    const std::string path = dir.plugin("pair");
    ::setenv("ASSAY_TEST_INIT_FAILS", "1", 1);
    Loader loader(only({dir.path()}));
    const auto listing = loader.list();
    ::unsetenv("ASSAY_TEST_INIT_FAILS");
    EXPECT_TRUE(listing.plugins.empty());
    EXPECT_EQ(said_of(listing, path), path + ": its init() failed with status 3: the moon is not full: wait");
}

// The dynamic linker expands $LIB in any path, so what it loads need not be the file that was vetted.
TEST(Loader, AFileThatTheDynamicLinkerTookFromElsewhereIsRefused) {
    const TempDir dir;
    const std::string vetted = dir.plugin("alpha", "$LIB/alpha.so");
    dir.plugin("alpha", "lib/x86_64-linux-gnu/alpha.so"); // what $LIB is on Debian
    dir.plugin("alpha", "lib64/alpha.so");                // and elsewhere
    Loader loader(only({dir / "$LIB"}));
    const auto listing = loader.list();
    EXPECT_TRUE(listing.plugins.empty());
    EXPECT_HAS(said_of(listing, vetted),
               vetted + ": is not the file that was loaded: its entry function came from " + dir.path() + "/lib");
}

TEST(Loader, AFileThatWasRewrittenAfterThisProcessLoadedItIsNotTakenForTheLoadedOne) {
    const TempDir dir;
    const std::string path = dir.plugin("alpha");
    Loader first(only({dir.path()}));
    ASSERT_TRUE(first.find("alpha").ok());
    ::usleep(20'000);
    std::ofstream(path, std::ios::app) << "more";
    Loader second(only({dir.path()}));
    EXPECT_HAS(error_of(second, "alpha"), path + ": changed after this process loaded it: start again");
}

} // namespace
} // namespace assay
