#include "plugins/block/target.hpp"
#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <string>

#include <sys/socket.h>
#include <sys/un.h>

namespace assay::block {
namespace {

class TargetTest : public FileTest {
protected:
    static BenchOutcome run(std::vector<std::string> targets, OptionTexts options) {
        options.emplace_back("engine", "psync");
        return run_block({std::move(options), std::move(targets)});
    }
    static void refused(const BenchOutcome& outcome, const std::string& option, const std::string& words,
                        assay_status status = ASSAY_INVALID_OPTION) {
        EXPECT_EQ(outcome.call, "configure") << outcome.text;
        EXPECT_EQ(outcome.status, status);
        EXPECT_EQ(outcome.option, option);
        EXPECT_NE(outcome.text.find(words), std::string::npos) << outcome.text;
    }
};

TEST_F(TargetTest, RefusesToRunWithoutTargets) { refused(run({}, {}), "", "needs a target"); }

TEST_F(TargetTest, RefusesAMissingFileWithoutASize) {
    refused(run({path("a")}, {}), "size", path("a") + ": does not exist, and without size");
    EXPECT_FALSE(exists(path("a")));
}

TEST_F(TargetTest, RefusesAMissingOrShortFileWhereNothingMayBeLaidOut) {
    refused(run({path("a")}, {{"size", "1MiB"}, {"layout", "never"}}), "layout", "does not exist");
    EXPECT_FALSE(exists(path("a")));
    refused(run({filled("b", 4096)}, {{"size", "8KiB"}, {"layout", "never"}}), "layout",
            "has 4KiB, but offset 0B + size 8KiB = 8KiB");
    EXPECT_EQ(size_of(path("b")), 4096u);
}

TEST_F(TargetTest, RefusesWhatIsNeitherFileNorBlockDeviceWithoutWaitingForIt) {
    refused(run({directory_}, {}), "", "is a directory");
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    refused(run({path("fifo")}, {}), "", "is a FIFO");
    refused(run({"/dev/null"}, {}), "", "is a character device");
    const Fd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path("s").copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (path("s").size() < sizeof(address.sun_path) &&
        ::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
        refused(run({path("s")}, {}), "", "is a socket");
    refused(run({""}, {}), "", "empty name");
}

TEST_F(TargetTest, RefusesToCreateAFileWhereADeviceWasMeant) {
    refused(run({"/dev/nosuchdisk7"}, {{"size", "1MiB"}}), "", "there is no such device");
    EXPECT_FALSE(exists("/dev/nosuchdisk7"));
}

TEST_F(TargetTest, RefusesAFileInADirectoryThatIsNotThere) {
    refused(run({path("no/a")}, {{"size", "1MiB"}}), "", "create it first");
}

TEST_F(TargetTest, RefusesASymbolicLinkToNothing) {
    ASSERT_EQ(symlink("nothing", path("link").c_str()), 0);
    refused(run({path("link")}, {{"size", "1MiB"}}), "", "symbolic link to something that does not exist");
}

TEST_F(TargetTest, RefusesTheSameFileTwiceUnderWhateverName) {
    filled("a", 8192);
    ASSERT_EQ(symlink("a", path("link").c_str()), 0);
    ASSERT_EQ(link(path("a").c_str(), path("hard").c_str()), 0);
    refused(run({path("a"), path("a")}, {{"direct", "no"}}), "", "is the same file as");
    refused(run({path("a"), path("link")}, {{"direct", "no"}}), "", "is the same file as");
    refused(run({path("a"), path("hard")}, {{"direct", "no"}}), "", "is the same file as");
    refused(run({path("new"), directory_ + "/./new"}, {{"direct", "no"}, {"size", "1MiB"}}), "", "is the same file as");
}

TEST_F(TargetTest, RefusesATargetWithoutOneWholeBlock) {
    filled("a", 4095);
    refused(run({path("a")}, {{"direct", "no"}}), "", "is too small: it has 4095B");
    filled("b", 8192);
    refused(run({path("b")}, {{"direct", "no"}, {"offset", "5000B"}}), "",
            "from offset 5000B on there is no whole block");
    refused(run({path("b")}, {{"direct", "no"}, {"size", "1KiB"}}), "size",
            "size 1KiB is smaller than block_size 4KiB");
}

TEST_F(TargetTest, RefusesABlockSizeThatDirectIoCannotAddress) {
    if (on_tmpfs()) GTEST_SKIP() << "SKIPPED, NOT PASSED: tmpfs has no direct I/O; set ASSAY_TEST_DIR";
    filled("a", 1 << 20);
    refused(run({path("a")}, {{"block_size", "1000B"}}), "block_size", "block_size 1000B is no multiple of");
    refused(run({path("a")}, {{"offset", "100B"}}), "offset", "offset 100B is no multiple of");
    EXPECT_EQ(run({path("a")}, {{"block_size", "1000B"}, {"direct", "no"}}).status, ASSAY_OK);
}

TEST_F(TargetTest, LeavesAnOddTailOut) {
    // fio 3.33: --size=10000 --bs=4096 moves 8192 bytes; a file of 10000 B without --size too.
    filled("a", 10000);
    for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"size", "10000B"}}}) {
        OptionTexts all = options;
        all.insert(all.end(), {{"direct", "no"}, {"pattern", "read"}});
        const auto outcome = run({path("a")}, all);
        ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        EXPECT_EQ(outcome.bytes(kind_read), 8192u);
        EXPECT_EQ(outcome.targets.at(0).length_bytes, 8192u);
    }
    // fio 3.33: 1 MiB in blocks of 12 KiB is 85 of them; from offset 4096 on it is 255 of 4 KiB.
    filled("b", 1 << 20);
    EXPECT_EQ(run({path("b")}, {{"direct", "no"}, {"block_size", "12KiB"}}).bytes(kind_read), 85u * 12288);
    EXPECT_EQ(run({path("b")}, {{"direct", "no"}, {"offset", "4KiB"}}).bytes(kind_read), 255u * 4096);
}

TEST_F(TargetTest, SaysWhatItDoesToEachTarget) {
    filled("a", 8192);
    const auto flags = [&](const std::string& name, OptionTexts options) {
        options.emplace_back("size", "8KiB");
        return run({path(name)}, std::move(options)).targets.at(0).flags;
    };
    EXPECT_EQ(flags("a", {{"pattern", "read"}, {"direct", "no"}}), unsigned{ASSAY_TARGET_READS});
    EXPECT_EQ(flags("a", {{"pattern", "randrw"}, {"direct", "no"}}),
              unsigned{ASSAY_TARGET_READS | ASSAY_TARGET_WRITES});
    EXPECT_EQ(flags("a", {{"pattern", "read"}, {"layout", "always"}, {"direct", "no"}}),
              unsigned{ASSAY_TARGET_READS | ASSAY_TARGET_WRITES});
    EXPECT_EQ(flags("a", {{"pattern", "read"}}), unsigned{ASSAY_TARGET_READS | ASSAY_TARGET_DIRECT});
    EXPECT_EQ(flags("new", {{"pattern", "read"}, {"direct", "no"}, {"unlink", "yes"}}),
              unsigned{ASSAY_TARGET_READS | ASSAY_TARGET_CREATES | ASSAY_TARGET_REMOVES});
    filled("short", 4096);
    EXPECT_EQ(flags("short", {{"pattern", "read"}, {"direct", "no"}}),
              unsigned{ASSAY_TARGET_READS | ASSAY_TARGET_WRITES});
}

TEST_F(TargetTest, NoticesThatANameLedElsewhereSinceItWasChecked) {
    Target target;
    Config config;
    config.direct = false;
    ASSERT_TRUE(inspect(filled("a", 8192), config, target).ok());
    filled("b", 8192);
    ASSERT_EQ(rename(path("b").c_str(), path("a").c_str()), 0);
    common::UniqueFd fd;
    const auto status = open_target(target, O_RDONLY, fd);
    EXPECT_EQ(status.code(), ASSAY_IO);
    EXPECT_NE(status.text().find("no longer the file that was checked"), std::string::npos);
    EXPECT_FALSE(fd.valid());
}

TEST_F(TargetTest, OpensWithoutBlockingModeSoThatIoUringMayWait) {
    Target target;
    Config config;
    config.direct = false;
    ASSERT_TRUE(inspect(filled("a", 8192), config, target).ok());
    common::UniqueFd fd;
    ASSERT_TRUE(open_target(target, O_RDONLY, fd).ok());
    EXPECT_EQ(fcntl(fd.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(TargetTest, RefusesARegionBeyondTheEndOfADevice) {
    ASSAY_NEEDS_DEVICES();
    const lab::LoopDevice loop(1 << 20);
    refused(run({loop.path()}, {{"size", "2MiB"}}), "size",
            "offset 0B + size 2MiB = 2MiB lies beyond the device's end at 1MiB");
    EXPECT_EQ(run({loop.path()}, {{"size", "1MiB"}}).bytes(kind_read), 1u << 20);
}

TEST_F(TargetTest, ClaimsADeviceThatItWritesForItself) {
    ASSAY_NEEDS_DEVICES();
    const lab::LoopDevice loop(1 << 20);
    const Fd claim(::open(loop.path().c_str(), O_RDWR | O_EXCL | O_CLOEXEC));
    ASSERT_TRUE(claim.valid());
    const auto outcome = run({loop.path()}, {{"pattern", "write"}});
    EXPECT_EQ(outcome.call, "prepare");
    EXPECT_EQ(outcome.status, ASSAY_RESOURCE);
    EXPECT_NE(outcome.text.find("is in use"), std::string::npos);
    EXPECT_EQ(run({loop.path()}, {{"pattern", "read"}}).status, ASSAY_OK) << "reading needs no claim";
}

} // namespace
} // namespace assay::block
