#include "core/loader/vet.hpp"

#include "tests/unit/loader/support.hpp"

#include <cerrno>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace assay {
namespace {

using test::TempDir;

std::string refusal(const std::string& path) {
    const auto vetted = vet_file(path);
    return vetted ? "" : vetted.status().message();
}
bool accepted(const std::string& path) { return vet_file(path).ok(); }
void chmod_or_fail(const std::string& path, mode_t mode) { ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path; }

#define EXPECT_REFUSED(path, words)                                                  \
    do {                                                                             \
        const std::string message = refusal(path);                                   \
        EXPECT_NE(message.find(words), std::string::npos) << "it said: " << message; \
        EXPECT_EQ(message.find(path), 0u) << "it said: " << message;                 \
    } while (false)

TEST(Vet, AcceptsAFileThatOnlyItsOwnerCanWrite) {
    const TempDir dir;
    const std::string path = dir.file("x.so", "text", 0644);
    const auto vetted = vet_file(path);
    ASSERT_TRUE(vetted.ok()) << vetted.status().message();
    EXPECT_EQ(vetted->path, path);
    EXPECT_EQ(vetted->identity.size_bytes, 4);
    EXPECT_TRUE(vetted->file.valid());
}

TEST(Vet, RefusesAFileThatEverybodyCanWriteAlsoForOrdinaryUsers) {
    const TempDir dir;
    const std::string path = dir.file("x.so", "text", 0646);
    EXPECT_REFUSED(path, "can be written by everybody, mode 0646");
    EXPECT_REFUSED(path, "chmod go-w");
    if (::geteuid() == 0) {
        EXPECT_TRUE(test::holds_as_nobody([&] { return !accepted(path); }));
    }
}

TEST(Vet, RefusesAGroupWritableFileForRootOnly) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const TempDir dir;
    const std::string path = dir.file("x.so", "text", 0664);
    EXPECT_REFUSED(path, "can be written by its group");
    EXPECT_TRUE(test::holds_as_nobody([&] { return accepted(path); }));
}

TEST(Vet, RefusesAFileInADirectoryThatEverybodyCanWrite) {
    const TempDir dir;
    const std::string open = dir.directory("open", 0757);
    const std::string path = dir.file("open/x.so", "text");
    EXPECT_REFUSED(path, "the directory can be written by everybody, mode 0757");
    chmod_or_fail(open, 0755);
    EXPECT_TRUE(accepted(path));
}

TEST(Vet, RefusesAFileInAGroupWritableDirectoryForRootOnly) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const TempDir dir;
    dir.directory("group", 0775);
    const std::string path = dir.file("group/x.so", "text");
    EXPECT_REFUSED(path, "the directory can be written by its group");
    EXPECT_TRUE(test::holds_as_nobody([&] { return accepted(path); }));
}

TEST(Vet, TakesFromAStickyDirectoryOnlyWhatRootOrTheUserOwns) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const TempDir dir;
    dir.directory("sticky", 01777);
    const std::string path = dir.file("sticky/x.so", "text");
    EXPECT_TRUE(accepted(path)) << refusal(path);
    EXPECT_TRUE(test::holds_as_nobody([&] { return accepted(path); }));
    ASSERT_EQ(::chown(path.c_str(), 1234, 1234), 0);
    EXPECT_REFUSED(path, "belongs to user 1234, who could have changed it");
    EXPECT_TRUE(test::holds_as_nobody([&] { return !accepted(path); }));
    ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(test::holds_as_nobody([&] { return accepted(path); }));
}

TEST(Vet, ResolvesASymbolicLinkAndVetsBothOfItsEnds) {
    const TempDir dir;
    dir.directory("real");
    const std::string target = dir.file("real/x.so", "text");
    const std::string links = dir.directory("links");
    const std::string link = links + "/y.so";
    ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
    const auto vetted = vet_file(link);
    ASSERT_TRUE(vetted.ok()) << vetted.status().message();
    EXPECT_EQ(vetted->path, target);
    chmod_or_fail(links, 0777);
    EXPECT_NE(refusal(link).find(links + ": the directory can be written by everybody"), std::string::npos);
    chmod_or_fail(links, 0755);
    chmod_or_fail(dir / "real", 0777);
    EXPECT_NE(refusal(link).find(dir / "real" + ": the directory can be written"), std::string::npos);
}

TEST(Vet, SaysWhatAThingIsThatIsNoRegularFileWithoutBlockingOnIt) {
    const TempDir dir;
    EXPECT_REFUSED(dir.directory("d.so"), "is a directory");
    ASSERT_EQ(::mkfifo((dir / "f.so").c_str(), 0644), 0);
    EXPECT_REFUSED(dir / "f.so", "is a FIFO");
    sockaddr_un address{AF_UNIX, {}};
    (dir / "s.so").copy(address.sun_path, sizeof address.sun_path - 1);
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_REFUSED(dir / "s.so", "is a socket");
    EXPECT_NE(refusal("/dev/null").find("is a character device"), std::string::npos);
}

TEST(Vet, TellsAMissingFileADanglingLinkAndALoopApart) {
    const TempDir dir;
    EXPECT_REFUSED(dir / "no.so", "there is no such file");
    ASSERT_EQ(::symlink("gone.so", (dir / "dangling.so").c_str()), 0);
    EXPECT_REFUSED(dir / "dangling.so", "points to nothing");
    ASSERT_EQ(::symlink("b.so", (dir / "a.so").c_str()), 0);
    ASSERT_EQ(::symlink("a.so", (dir / "b.so").c_str()), 0);
    EXPECT_REFUSED(dir / "a.so", "form a loop");
}

TEST(Vet, RefusesAnEmptyAndAnEnormousFile) {
    const TempDir dir;
    EXPECT_REFUSED(dir.file("empty.so", ""), "is empty");
    const std::string path = dir.file("big.so", "x");
    ASSERT_EQ(::truncate(path.c_str(), plugin_size_max_bytes + 1), 0);
    EXPECT_REFUSED(path, "is 1073741825 bytes, and a plugin has at most 1073741824");
}

TEST(Vet, SaysWhyAFileCannotBeRead) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const TempDir dir;
    const std::string path = dir.file("x.so", "text", 0600);
    EXPECT_TRUE(test::holds_as_nobody([&] { return refusal(path) == path + ": cannot be read: Permission denied"; }));
    dir.directory("closed", 0700);
    const std::string hidden = dir.file("closed/x.so", "text");
    EXPECT_TRUE(
        test::holds_as_nobody([&] { return refusal(hidden) == hidden + ": cannot be reached: Permission denied"; }));
}

TEST(Vet, NoticesThatAFileWasRewrittenInPlaceWithTheSameSizeAndTime) {
    const TempDir dir;
    const std::string path = dir.file("x.so", "text");
    const auto before = vet_file(path);
    ::usleep(20'000); // more than a tick of the file system's clock
    dir.file("x.so", "TEXT");
    const timespec times[2] = {
        {before->identity.modified_ns / 1'000'000'000, before->identity.modified_ns % 1'000'000'000},
        {before->identity.modified_ns / 1'000'000'000, before->identity.modified_ns % 1'000'000'000}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    const auto after = vet_file(path);
    ASSERT_EQ(after->identity.modified_ns, before->identity.modified_ns);
    EXPECT_TRUE(after->identity.same_file(before->identity));
    EXPECT_FALSE(after->identity == before->identity);
}

} // namespace
} // namespace assay
