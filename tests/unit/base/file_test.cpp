#include "core/base/file.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "assay-file-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { fs::remove_all(directory_); }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }
    fs::path directory_;
};

TEST_F(File, ReadsExactlyWhatIsThereUpToTheBound) {
    const std::string content = std::string("a\0b\n", 4) + std::string(100'000, 'x');
    std::ofstream(path("f"), std::ios::binary) << content;
    EXPECT_EQ(*read_text_file(path("f"), content.size()), content);
    const auto refused = read_text_file(path("f"), content.size() - 1);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().message().find("100003 bytes"), std::string::npos) << refused.status().message();
}

TEST_F(File, ReadsAFileOfProcWhoseSizeIsNotKnown) {
    const auto stat = read_text_file("/proc/self/stat", 1 << 16);
    ASSERT_TRUE(stat.ok());
    EXPECT_EQ(stat->find(std::to_string(::getpid())), 0u);
}

TEST_F(File, AnEndlessSourceIsCutByTheBound) { EXPECT_FALSE(read_text_file("/dev/zero", 1 << 20).ok()); }

TEST_F(File, AFifoWithoutAWriterDoesNotHang) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    EXPECT_EQ(*read_text_file(path("fifo"), 100), "");
}

TEST_F(File, SaysWhyItCannotRead) {
    const auto missing = read_text_file(path("nothing"), 100);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.status().failure(), Failure::usage);
    EXPECT_NE(missing.status().message().find(path("nothing")), std::string::npos);
    EXPECT_NE(missing.status().message().find("No such file"), std::string::npos);
    const auto directory = read_text_file(directory_.string(), 100);
    ASSERT_FALSE(directory.ok());
    EXPECT_NE(directory.status().message().find("it is a directory"), std::string::npos);
}

TEST_F(File, ReplacesAFileAndLeavesNothingBeside) {
    ASSERT_TRUE(write_file_atomically(path("f"), "one").ok());
    ASSERT_TRUE(write_file_atomically(path("f"), "two").ok());
    EXPECT_EQ(*read_text_file(path("f"), 100), "two");
    EXPECT_EQ(entries(), 1u);
    ASSERT_TRUE(write_file_atomically(path("empty"), "").ok());
    EXPECT_EQ(fs::file_size(path("empty")), 0u);
}

TEST_F(File, AFailedReplacementKeepsTheOldContentAndLeavesNothingBeside) {
    fs::create_directory(path("d"));
    std::ofstream(path("d/inside")) << "x";
    const Status onto_directory = write_file_atomically(path("d"), "new");
    EXPECT_EQ(onto_directory.failure(), Failure::run_failed);
    EXPECT_NE(onto_directory.message().find(path("d")), std::string::npos);
    EXPECT_EQ(entries(), 1u);
    EXPECT_FALSE(write_file_atomically(path("missing/f"), "new").ok());
}

TEST_F(File, AFullDiskIsReportedAndTheOldFileStays) {
    // /dev/full cannot be renamed onto, so a limit on the file size stands in for a full disk.
    ASSERT_TRUE(write_file_atomically(path("f"), "old").ok());
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1024, 1024};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const Status status = write_file_atomically(path("f"), std::string(10'000, 'x'));
        ::_exit(!status.ok() && status.message().find("File too large") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(*read_text_file(path("f"), 100), "old");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(File, ANewFileHasOrdinaryPermissions) {
    const mode_t old = ::umask(022);
    ASSERT_TRUE(write_file_atomically(path("f"), "x").ok());
    ::umask(old);
    struct stat info {};
    ASSERT_EQ(::stat(path("f").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0644u);
}

} // namespace
} // namespace assay
