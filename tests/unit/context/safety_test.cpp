#include "core/context/target.hpp"

#include "tests/lab/devices.hpp"

#include <gtest/gtest.h>

#include <linux/blkpg.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>

namespace assay {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

std::string bytes_at(std::size_t offset, const std::string& bytes) { return std::string(offset, '\0') + bytes; }

class Safety : public testing::Test {
protected:
    void SetUp() override {
        ASSAY_NEEDS_DEVICES();
        device_.emplace(64 * mib);
    }
    [[nodiscard]] std::string path() const { return device_->path(); }
    void write(std::uint64_t offset, const std::string& bytes) {
        if (::pwrite(device_->fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
            static_cast<ssize_t>(bytes.size()))
            lab::fail("pwrite");
    }
    void add_partition() {
        blkpg_partition partition{};
        partition.start = 1 * mib;
        partition.length = 32 * mib;
        partition.pno = 1;
        blkpg_ioctl_arg request{BLKPG_ADD_PARTITION, 0, sizeof(partition), &partition};
        if (::ioctl(device_->fd(), BLKPG, &request) != 0) lab::fail("BLKPG_ADD_PARTITION");
    }
    // That writing is refused for this reason, and how to insist.
    void expect_refused(const std::string& reason, const std::string& target = "") {
        const std::string name = target.empty() ? path() : target;
        const Status status = check_safe_to_write(name, {});
        EXPECT_EQ(status.failure(), Failure::unsafe);
        EXPECT_NE(status.message().find("will not write to " + name + ": "), std::string::npos) << status.message();
        EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
        EXPECT_NE(status.message().find("name it again: --destroy " + name), std::string::npos) << status.message();
        EXPECT_TRUE(check_safe_to_write(name, {"/dev/null", name}).ok());
    }

    lab::TemporaryDirectory directory_;
    std::optional<lab::LoopDevice> device_;
};

TEST_F(Safety, AnEmptyDeviceMayBeWritten) { EXPECT_TRUE(check_safe_to_write(path(), {}).ok()); }

TEST_F(Safety, DataWithoutASignatureMayBeWritten) {
    write(0, std::string(1 << 20, 'x'));
    const Status status = check_safe_to_write(path(), {});
    EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Safety, AFileSystemIsRefusedWithItsTypeAndLabel) {
    lab::run("mkfs.ext4 -q -L scratch " + path());
    expect_refused("it carries an ext4 file system labelled \"scratch\"");
}

TEST_F(Safety, ALabelCannotForgeTheMessage) {
    lab::run("mkfs.ext4 -q -L \"$(printf 'a\\nb\\033[2J')\" " + path());
    expect_refused("labelled \"a\\x0ab\\x1b[2J\"");
}

TEST_F(Safety, AFileSystemWithADamagedChecksumIsRefusedToo) {
    lab::run("mkfs.ext4 -q -O metadata_csum " + path());
    write(1024 + 0x3fc, "\x01\x02\x03\x04"); // s_checksum, at 0x3fc of the superblock
    expect_refused("it carries an ext4 file system");
}

// The file below a mounted loop device is that file system.
TEST_F(Safety, AFileThatAMountedLoopDeviceLiesOnIsRefused) {
    const std::string file = directory_ / "image";
    const std::string other_name = directory_ / "other-name";
    lab::run("truncate -s 64M " + file + " && ln " + file + " " + other_name);
    const lab::LoopDevice loop(file);
    lab::run("mkfs.ext4 -q " + loop.path());
    EXPECT_TRUE(check_safe_to_write(file, {}).ok()) << "a file that the user names may be overwritten";
    const lab::Mount mount(loop.path(), directory_ / "mount", "ext4");
    const Status status = check_safe_to_write(file, {});
    EXPECT_EQ(status.failure(), Failure::unsafe);
    EXPECT_NE(status.message().find(", a loop device on it, is mounted on " + mount.point()), std::string::npos)
        << status.message();
    EXPECT_FALSE(check_safe_to_write(other_name, {}).ok()) << "another name is the same file";
    EXPECT_TRUE(check_safe_to_write(file, {other_name}).ok());
}

TEST_F(Safety, AFileUsedAsSwapIsRefused) {
    const std::string file = directory_ / "swap";
    lab::run("dd if=/dev/zero of=" + file + " bs=1M count=16 status=none && chmod 600 " + file + " && mkswap -q " +
             file);
    if (::swapon(file.c_str(), 0) != 0) GTEST_SKIP() << "SKIPPED, NOT PASSED: swapon: " << std::strerror(errno);
    const Status status = check_safe_to_write(file, {});
    ::swapoff(file.c_str());
    EXPECT_EQ(status.failure(), Failure::unsafe);
    EXPECT_NE(status.message().find("it is used as swap"), std::string::npos) << status.message();
    EXPECT_TRUE(check_safe_to_write(file, {}).ok());
}

TEST_F(Safety, AMountedDeviceIsRefusedWithItsMountPoint) {
    lab::run("mkfs.ext4 -q " + path());
    const lab::Mount mount(path(), directory_ / "a mount", "ext4");
    expect_refused("it is mounted on " + mount.point());
}

TEST_F(Safety, ADeviceMountedUnderAnAnonymousNumberIsRefused) {
    if (!lab::command_exists("mkfs.btrfs")) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs mkfs.btrfs (btrfs-progs)";
    const lab::LoopDevice device(256 * mib);
    lab::run("mkfs.btrfs -q -f >/dev/null " + device.path());
    const lab::Mount mount(device.path(), directory_ / "mnt", "btrfs");
    expect_refused("it is mounted on " + mount.point(), device.path());
}

TEST_F(Safety, ADeviceInUseAsSwapIsRefused) {
    lab::run("mkswap " + path() + " >/dev/null 2>&1");
    if (::swapon(path().c_str(), 0) != 0) GTEST_SKIP() << "SKIPPED, NOT PASSED: swapon: " << std::strerror(errno);
    expect_refused("it is used as swap");
    EXPECT_EQ(::swapoff(path().c_str()), 0);
}

TEST_F(Safety, ADeviceThatAnotherHoldsExclusivelyIsRefused) {
    const Fd holder(::open(path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
    ASSERT_TRUE(holder.valid());
    expect_refused("it is held open exclusively");
}

TEST_F(Safety, ADeviceThatIsOnlyOpenMayBeWritten) {
    const Fd other(::open(path().c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(check_safe_to_write(path(), {}).ok());
}

TEST_F(Safety, APartitionTableIsRefused) {
    // One entry of type 0x83 from sector 2048, 65536 sectors long, and the signature (the MBR's own layout).
    std::string mbr(512, '\0');
    mbr.replace(446, 16, std::string("\x00\x00\x00\x00\x83\x00\x00\x00\x00\x08\x00\x00\x00\x00\x01\x00", 16));
    mbr.replace(510, 2, "\x55\xaa");
    write(0, mbr);
    expect_refused("it carries an MBR (dos) partition table");
}

TEST_F(Safety, ARaidMemberIsRefused) {
    // Superblock version 1.2, 4 KiB into the device: magic 0xa92b4efc and major version 1, little endian.
    std::string superblock(256, '\0');
    superblock.replace(0, 8, std::string("\xfc\x4e\x2b\xa9\x01\x00\x00\x00", 8));
    superblock[144] = 8; // super_offset: where it lies, in sectors
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < superblock.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, superblock.data() + at, 4);
        sum += word;
    }
    const auto checksum = static_cast<std::uint32_t>((sum & 0xffffffff) + (sum >> 32));
    std::memcpy(superblock.data() + 216, &checksum, 4);
    write(0, bytes_at(4096, superblock));
    expect_refused("it is part of a RAID or volume group (linux_raid_member)");
}

TEST_F(Safety, AnEncryptedDeviceIsRefused) {
    write(0, std::string("LUKS\xba\xbe\x00\x01", 8));
    expect_refused("it is encrypted (crypto_LUKS)");
}

TEST_F(Safety, AMountedPartitionIsNamedWhenTheWholeDeviceIsTheTarget) {
    add_partition();
    lab::run("mkfs.ext4 -q -L inner " + path() + "p1");
    const lab::Mount mount(path() + "p1", directory_ / "mnt", "ext4");
    expect_refused("its partition " + device_->name() + "p1 is mounted on " + mount.point());
}

TEST_F(Safety, AFileSystemOnAPartitionCountsWithoutAnyTable) {
    add_partition();
    lab::run("mkfs.ext4 -q -L inner " + path() + "p1");
    expect_refused("its partition " + device_->name() + "p1 carries an ext4 file system labelled \"inner\"");
}

TEST_F(Safety, AnEmptyPartitionOfADeviceThatIsMountedWholeIsRefused) {
    lab::run("mkfs.ext4 -q " + path());
    add_partition();
    const lab::Mount mount(path(), directory_ / "mnt", "ext4");
    expect_refused("its disk " + device_->name() + " is mounted on " + mount.point(), path() + "p1");
}

TEST_F(Safety, NamingTheDiskDoesNotGiveItsPartitionAway) {
    add_partition();
    lab::run("mkfs.ext4 -q " + path() + "p1");
    EXPECT_FALSE(check_safe_to_write(path() + "p1", {path()}).ok());
    EXPECT_FALSE(check_safe_to_write(path(), {path() + "p1"}).ok());
}

TEST_F(Safety, AnotherNameOfTheSameDeviceIsTheSameDevice) {
    lab::run("mkfs.ext4 -q " + path());
    const std::string link = directory_ / "link";
    std::filesystem::create_symlink(path(), link);
    const std::string node = directory_ / "node";
    struct stat status {};
    ASSERT_EQ(::stat(path().c_str(), &status), 0);
    ASSERT_EQ(::mknod(node.c_str(), S_IFBLK | 0600, status.st_rdev), 0);
    expect_refused("ext4", link);
    expect_refused("ext4", node);
    EXPECT_TRUE(check_safe_to_write(path(), {link}).ok());
    EXPECT_TRUE(check_safe_to_write(link, {node}).ok());
}

TEST_F(Safety, ALoopDeviceOverADeviceInUseIsRefused) {
    lab::run("mkfs.ext4 -q " + path());
    const lab::Mount mount(path(), directory_ / "mnt", "ext4");
    const lab::LoopDevice upper(path());
    expect_refused("the device below it, " + device_->name() + ", is mounted on " + mount.point(), upper.path());
}

TEST_F(Safety, TwoLoopDevicesOverOneFileAreSeenTogether) {
    const std::string image = directory_ / "image";
    lab::write_text(image, "");
    std::filesystem::resize_file(image, 64 * mib);
    const lab::LoopDevice one(image);
    const lab::LoopDevice other(image);
    lab::run("mkfs.ext4 -q " + one.path());
    const lab::Mount mount(one.path(), directory_ / "mnt", "ext4");
    expect_refused(one.name() + ", which has the same backing file, is mounted on " + mount.point(), other.path());
}

TEST_F(Safety, SeveralReasonsAreAllGiven) {
    lab::run("mkfs.ext4 -q -L both " + path());
    const lab::Mount mount(path(), directory_ / "mnt", "ext4");
    expect_refused("it is mounted on " + mount.point() + ", it carries an ext4 file system labelled \"both\"");
}

TEST_F(Safety, CheckingChangesNothing) {
    lab::run("mkfs.ext4 -q " + path());
    std::string before(4 * mib, '\0');
    std::string after(4 * mib, '\0');
    ASSERT_EQ(::pread(device_->fd(), before.data(), before.size(), 0), static_cast<ssize_t>(before.size()));
    EXPECT_FALSE(check_safe_to_write(path(), {}).ok());
    ASSERT_EQ(::pread(device_->fd(), after.data(), after.size(), 0), static_cast<ssize_t>(after.size()));
    EXPECT_EQ(before, after);
}

TEST_F(Safety, ADeviceThatCannotBeOpenedIsNotCalledSafe) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string name = path();
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(3);
        const Status status = check_safe_to_write(name, {});
        const bool right = status.failure() == Failure::run_failed &&
                           status.message().find("Permission denied; run as root") != std::string::npos;
        ::_exit(right ? 0 : 1);
    }
    int outcome = -1;
    ASSERT_EQ(::waitpid(child, &outcome, 0), child);
    EXPECT_EQ(outcome, 0);
}

TEST_F(Safety, AMountIsTheReasonEvenWhereTheDeviceCannotBeOpened) {
    lab::run("mkfs.ext4 -q " + path());
    const lab::Mount mount(path(), directory_ / "mnt", "ext4");
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string name = path();
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(3);
        const Status status = check_safe_to_write(name, {});
        const bool right =
            status.failure() == Failure::unsafe && status.message().find("it is mounted on") != std::string::npos;
        ::_exit(right ? 0 : 1);
    }
    int outcome = -1;
    ASSERT_EQ(::waitpid(child, &outcome, 0), child);
    EXPECT_EQ(outcome, 0);
}

TEST(SafetyElsewhere, WhatIsNoBlockDeviceMayBeWritten) {
    const lab::TemporaryDirectory directory;
    lab::write_text(directory / "file", "content");
    EXPECT_TRUE(check_safe_to_write(directory / "file", {}).ok());
    EXPECT_TRUE(check_safe_to_write(directory / "missing", {}).ok());
    EXPECT_TRUE(check_safe_to_write("/dev/null", {}).ok());
    EXPECT_TRUE(check_safe_to_write(directory.path().string(), {}).ok());
}

} // namespace
} // namespace assay
