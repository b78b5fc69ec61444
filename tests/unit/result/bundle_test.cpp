#include "core/base/file.hpp"
#include "core/result/io.hpp"
#include "tests/unit/result/same.hpp"
#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/mount.h>
#include <unistd.h>

namespace assay::result {
namespace {

namespace fs = std::filesystem;

class Bundle : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::path(testing::TempDir()) / "bundle-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root_ = name;
    }
    void TearDown() override { fs::remove_all(root_); }
    [[nodiscard]] std::string at(const std::string& name) const { return (root_ / name).string(); }
    void make_file(const std::string& name) const { std::ofstream(at(name)) << "x"; }
    [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(root_ / directory))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }

    fs::path root_;
};

void expect_usage(const Status& status, const std::string& text) {
    EXPECT_EQ(status.failure(), Failure::usage);
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

TEST_F(Bundle, MakesTheDirectoryAndItsParentsAndWritesBothFiles) {
    const std::string directory = at("a/b");
    ASSERT_TRUE(prepare_bundle(directory, false).ok());
    EXPECT_TRUE(names_in("a/b").empty());
    const Status written = write_bundle(sample_run(), directory);
    ASSERT_TRUE(written.ok()) << written.message();
    EXPECT_EQ(names_in("a/b"), (std::vector<std::string>{"result.json", "series.csv"}));
    Result<result::Run> read = from_json(*read_text_file(directory + "/result.json", 1U << 24U));
    ASSERT_TRUE(read.ok()) << read.status().message();
    same_run(sample_run(), *read);
    EXPECT_EQ(*read_text_file(directory + "/series.csv", 1U << 24U), to_series_csv(sample_run()));
}

TEST_F(Bundle, RefusesADirectoryWithAnEarlierResultUnlessToldToReplaceIt) {
    const std::string directory = at("old");
    fs::create_directory(directory);
    ASSERT_TRUE(write_bundle(sample_run(), directory).ok());
    fs::remove(directory + "/series.csv");
    make_file("old/report.html");
    expect_usage(prepare_bundle(directory, false).status(), "--replace");
    ASSERT_TRUE(prepare_bundle(directory, true).ok());
    EXPECT_EQ(names_in("old").size(), 2U) << "nothing of the old result goes before there is a new one";
    ASSERT_TRUE(write_bundle(sample_run(), directory).ok());
    EXPECT_EQ(names_in("old"), (std::vector<std::string>{"result.json", "series.csv"}));
}

TEST_F(Bundle, ReplacesNoResultOfAnotherProgram) {
    fs::create_directory(at("theirs"));
    make_file("theirs/result.json");
    expect_usage(prepare_bundle(at("theirs"), true).status(), "is not a result of assay");
}

TEST_F(Bundle, IsClaimedByOneAtATime) {
    const std::string directory = at("claimed");
    {
        Result<BundleClaim> first = prepare_bundle(directory, false);
        ASSERT_TRUE(first.ok());
        expect_usage(prepare_bundle(directory, false).status(), "another assay is writing");
        first->abandon();
    }
    EXPECT_FALSE(fs::exists(directory)) << "an unused claim leaves nothing behind";
    EXPECT_TRUE(prepare_bundle(directory, false).ok());
}

TEST_F(Bundle, NeverTouchesADirectoryWithForeignFiles) {
    const std::string directory = at("home");
    fs::create_directory(directory);
    make_file("home/result.json");
    make_file("home/thesis.tex");
    for (const bool replace : {false, true})
        expect_usage(prepare_bundle(directory, replace).status(), "\"thesis.tex\", which is no part of a result");
    EXPECT_EQ(names_in("home"), (std::vector<std::string>{"result.json", "thesis.tex"}));
}

TEST_F(Bundle, RefusesAFileInPlaceOfTheDirectory) {
    make_file("plain");
    expect_usage(prepare_bundle(at("plain"), true).status(), "it is not a directory");
    expect_usage(prepare_bundle(at("plain/below"), true).status(), "Not a directory");
}

TEST_F(Bundle, NamesAMissingPermissionBeforeTheRun) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become someone who may not write here";
    fs::create_directory(at("closed"));
    fs::permissions(root_, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
    ASSERT_EQ(seteuid(65534), 0);
    const Status into = prepare_bundle(at("closed"), false).status();
    const Status below = prepare_bundle(at("closed/new"), false).status();
    ASSERT_EQ(seteuid(0), 0);
    expect_usage(into, "Permission denied; name a directory you can write to");
    expect_usage(below, "Permission denied; name a directory you can write to");
}

TEST_F(Bundle, AFullDiskLeavesTheEarlierResultWhole) {
    fs::create_directory(at("small"));
    if (mount("tmpfs", at("small").c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "needs the right to mount";
    const std::string directory = at("small/bundle");
    EXPECT_TRUE(prepare_bundle(directory, false).ok());
    EXPECT_TRUE(write_bundle(sample_run(), directory).ok());
    result::Run large = sample_run();
    large.plan_yaml = std::string(512 * 1024, 'x');
    const Status written = write_bundle(large, directory);
    Result<std::string> kept = read_text_file(directory + "/result.json", 1U << 24U);
    const std::vector<std::string> names = names_in("small/bundle");
    umount2(at("small").c_str(), MNT_DETACH);

    EXPECT_EQ(written.failure(), Failure::run_failed);
    EXPECT_NE(written.message().find("No space left on device"), std::string::npos) << written.message();
    EXPECT_NE(written.message().find("bytes are needed there"), std::string::npos) << written.message();
    ASSERT_TRUE(kept.ok()) << kept.status().message();
    EXPECT_EQ(*kept, to_json(sample_run()));
    EXPECT_EQ(names, (std::vector<std::string>{"result.json", "series.csv"}));
}

TEST_F(Bundle, AReaderNeverSeesHalfAResult) {
    const std::string directory = root_.string();
    ASSERT_TRUE(write_bundle(sample_run(), directory).ok());
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (int round = 0; round < 50; ++round)
            EXPECT_TRUE(write_bundle(sample_run(), directory).ok());
        done = true;
    });
    int reads = 0;
    while (!done) {
        Result<std::string> text = read_text_file(directory + "/result.json", 1U << 24U);
        EXPECT_TRUE(text.ok() && from_json(*text).ok());
        ++reads;
    }
    writer.join();
    EXPECT_GT(reads, 0);
}

} // namespace
} // namespace assay::result
