#include "core/context/target.hpp"

#include "core/context/block_device.hpp"
#include "core/context/file_system.hpp"
#include "tests/lab/devices.hpp"
#include "tests/unit/context/find_fact.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <linux/blkpg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace assay {
namespace {

using test::find_fact;
using test::integer_of;
using test::text_of;

constexpr std::uint64_t mib = 1024 * 1024;

void add_partition(const lab::LoopDevice& device, int number, std::uint64_t start, std::uint64_t length) {
    blkpg_partition partition{};
    partition.start = static_cast<long long>(start);
    partition.length = static_cast<long long>(length);
    partition.pno = number;
    blkpg_ioctl_arg request{BLKPG_ADD_PARTITION, 0, sizeof(partition), &partition};
    if (::ioctl(device.fd(), BLKPG, &request) != 0) lab::fail("BLKPG_ADD_PARTITION");
}

class Target : public testing::Test {
protected:
    void SetUp() override { ASSAY_NEEDS_DEVICES(); }
    lab::TemporaryDirectory directory_;
};

TEST_F(Target, OfAFileLeadsToItsFileSystemMountAndDevice) {
    const lab::LoopDevice device(64 * mib);
    lab::run("mkfs.ext4 -q " + device.path());
    const lab::Mount mount(device.path(), directory_ / "with blank\\and tab\t", "ext4", "noauto_da_alloc");
    lab::write_text(mount.point() + "/f", std::string(5000, 'x'));
    const TargetContext target = target_context(mount.point() + "/f");
    EXPECT_EQ(target.devices, std::vector<std::string>{device.name()});
    EXPECT_EQ(text_of(target.facts, "file_system"), "ext4");
    EXPECT_EQ(text_of(target.facts, "target_kind"), "regular file");
    EXPECT_EQ(text_of(target.facts, "mount_point"), directory_ / "with blank\\and tab\\x09");
    EXPECT_EQ(text_of(target.facts, "mount_source"), device.path());
    EXPECT_NE(text_of(target.facts, "file_system_options").find("noauto_da_alloc"), std::string::npos);
    EXPECT_EQ(text_of(target.facts, "file_system_magic"), "0xef53");
    EXPECT_EQ(text_of(target.facts, "device"), device.name());
    EXPECT_EQ(integer_of(target.facts, "file_size_bytes"), 5000);
    EXPECT_EQ(integer_of(target.facts, "device_size_bytes"), 64 * 1024 * 1024);
    EXPECT_EQ(integer_of(target.facts, "logical_block_bytes"), 512);
    EXPECT_EQ(find_fact(target.facts, "devices_unknown_why"), nullptr);
}

TEST_F(Target, GivesEveryKeyOnce) {
    const lab::LoopDevice device(8 * mib);
    for (const std::string& path : {device.path(), std::string("/"), std::string("/proc/self/stat")}) {
        std::vector<std::string> keys;
        for (const result::Fact& fact : target_context(path).facts)
            keys.push_back(fact.key);
        std::sort(keys.begin(), keys.end());
        EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << path;
    }
}

TEST_F(Target, ThatIsMissingIsDecidedByItsDirectory) {
    const lab::LoopDevice device(64 * mib);
    lab::run("mkfs.ext4 -q " + device.path());
    const lab::Mount mount(device.path(), directory_ / "mnt", "ext4");
    const TargetContext target = target_context(mount.point() + "/not/yet/there");
    EXPECT_EQ(target.devices, std::vector<std::string>{device.name()});
    EXPECT_EQ(text_of(target.facts, "target_kind"), "missing");
    EXPECT_EQ(text_of(target.facts, "decided_by"), mount.point());
}

TEST_F(Target, ThatIsALinkToNothingIsDecidedByWhereItPoints) {
    const lab::LoopDevice device(64 * mib);
    lab::run("mkfs.ext4 -q " + device.path());
    const lab::Mount mount(device.path(), directory_ / "mnt", "ext4");
    std::filesystem::create_symlink("mnt/later", directory_ / "link");
    EXPECT_EQ(target_context(directory_ / "link").devices, std::vector<std::string>{device.name()});
}

TEST_F(Target, OnAPartitionNamesTheWholeDisk) {
    const lab::LoopDevice device(64 * mib);
    add_partition(device, 1, 1 * mib, 32 * mib);
    const std::string partition = device.path() + "p1";
    const TargetContext target = target_context(partition);
    EXPECT_EQ(target.devices, std::vector<std::string>{device.name()});
    EXPECT_EQ(text_of(target.facts, "target_kind"), "block device");
    EXPECT_EQ(text_of(target.facts, "partition"), device.name() + "p1");
    struct stat whole {};
    ASSERT_EQ(::stat(device.path().c_str(), &whole), 0);
    EXPECT_EQ(text_of(target.facts, "disk_number"),
              std::to_string(major(whole.st_rdev)) + ":" + std::to_string(minor(whole.st_rdev)));
    EXPECT_NE(text_of(target.facts, "device_number"), text_of(target.facts, "disk_number"));
    EXPECT_EQ(integer_of(target.facts, "partition_start_bytes"), 1 * 1024 * 1024);
    EXPECT_EQ(integer_of(target.facts, "partition_size_bytes"), 32 * 1024 * 1024);
    EXPECT_EQ(integer_of(target.facts, "device_size_bytes"), 64 * 1024 * 1024);
}

TEST_F(Target, SaysWhatIsBelowALoopDevice) {
    const std::string backing = directory_ / "image";
    lab::write_text(backing, "");
    std::filesystem::resize_file(backing, 8 * mib);
    const lab::LoopDevice device(backing);
    const TargetContext target = target_context(device.path());
    EXPECT_EQ(target.devices, std::vector<std::string>{device.name()});
    EXPECT_EQ(text_of(target.facts, "device_below").rfind(backing, 0), 0U);
    const lab::LoopDevice upper(device.path());
    EXPECT_NE(text_of(target_context(upper.path()).facts, "device_below").find("(on " + device.name() + " ("),
              std::string::npos);
}

TEST_F(Target, ReadsTheQueueAsTheKernelHasItNow) {
    const lab::LoopDevice device(8 * mib);
    const std::string queue = "/sys/block/" + device.name() + "/queue/";
    std::ofstream(queue + "rotational") << 1 << std::flush;
    std::ofstream(queue + "scheduler") << "none" << std::flush;
    std::ofstream(queue + "read_ahead_kb") << 256 << std::flush; // last: the others set it anew
    const TargetContext target = target_context(device.path());
    EXPECT_EQ(integer_of(target.facts, "queue_read_ahead_bytes"), 256 * 1024);
    EXPECT_EQ(text_of(target.facts, "queue_scheduler"), "none");
    const result::Fact* rotational = find_fact(target.facts, "device_rotational");
    ASSERT_NE(rotational, nullptr);
    EXPECT_TRUE(std::get<bool>(rotational->value));
    std::ofstream(queue + "rotational") << 0 << std::flush;
}

TEST_F(Target, OnADeviceThatDoesNotCountHasNoDeviceAndSaysHowToCount) {
    const lab::LoopDevice device(8 * mib);
    const std::string iostats = "/sys/block/" + device.name() + "/queue/iostats";
    std::ofstream(iostats) << 0 << std::flush;
    const TargetContext target = target_context(device.path());
    std::ofstream(iostats) << 1 << std::flush;
    EXPECT_TRUE(target.devices.empty());
    EXPECT_NE(text_of(target.facts, "devices_unknown_why").find("echo 1 > " + iostats), std::string::npos);
}

TEST_F(Target, OnTmpfsHasNoDeviceAndSaysWhy) {
    const lab::Mount memory("none", directory_ / "mnt", "tmpfs", "size=1m");
    const TargetContext target = target_context(memory.point() + "/f");
    EXPECT_TRUE(target.devices.empty());
    EXPECT_EQ(text_of(target.facts, "file_system"), "tmpfs");
    EXPECT_NE(text_of(target.facts, "devices_unknown_why").find("memory"), std::string::npos);
}

TEST_F(Target, OnOverlayHasNoDeviceAndSaysWhy) {
    const lab::Mount memory("none", directory_ / "mnt", "tmpfs", "size=1m");
    for (const char* name : {"/lower", "/upper", "/work"})
        std::filesystem::create_directory(memory.point() + name);
    const std::string options = "lowerdir=" + memory.point() + "/lower,upperdir=" + memory.point() +
                                "/upper,workdir=" + memory.point() + "/work";
    std::optional<lab::Mount> overlay;
    try {
        overlay.emplace("overlay", directory_ / "overlay", "overlay", options);
    } catch (const std::runtime_error& error) {
        GTEST_SKIP() << "SKIPPED, NOT PASSED: " << error.what();
    }
    const TargetContext target = target_context(overlay->point() + "/f");
    EXPECT_TRUE(target.devices.empty());
    EXPECT_EQ(text_of(target.facts, "file_system"), "overlay");
    EXPECT_NE(text_of(target.facts, "devices_unknown_why").find("other file systems"), std::string::npos);
}

TEST_F(Target, OnBtrfsLeadsToAllOfItsDevices) {
    if (!lab::command_exists("mkfs.btrfs")) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs mkfs.btrfs (btrfs-progs)";
    const lab::LoopDevice one(256 * mib);
    const lab::LoopDevice other(256 * mib);
    lab::run("mkfs.btrfs -q -f >/dev/null " + one.path() + " " + other.path());
    lab::run("btrfs device scan " + one.path() + " " + other.path() + " >/dev/null");
    const lab::Mount mount(one.path(), directory_ / "mnt", "btrfs");
    const TargetContext target = target_context(mount.point() + "/f");
    std::vector<std::string> names = target.devices;
    std::sort(names.begin(), names.end());
    std::vector<std::string> expected{one.name(), other.name()};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(names, expected);
    EXPECT_EQ(text_of(target.facts, "file_system"), "btrfs");
}

TEST_F(Target, OnZramTellsItsCompression) {
    if (!lab::ZramDevice::possible()) GTEST_SKIP() << "SKIPPED, NOT PASSED: no zram here";
    const lab::ZramDevice device(8 * mib);
    const TargetContext target = target_context(device.path());
    EXPECT_EQ(target.devices, std::vector<std::string>{device.name()});
    EXPECT_EQ(integer_of(target.facts, "logical_block_bytes"), 4096);
    EXPECT_EQ(text_of(target.facts, "zram_compression").find('['), std::string::npos);
    EXPECT_NE(find_fact(target.facts, "zram_compression"), nullptr);
}

TEST_F(Target, OfADeviceMapperDeviceIsThatDeviceAndNamesWhatIsBelow) {
    if (std::system("PATH=$PATH:/usr/sbin:/sbin dmsetup version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "SKIPPED, NOT PASSED: needs dmsetup and the device mapper in the kernel";
    const lab::LoopDevice device(8 * mib);
    const std::string name = "assay-test-" + std::to_string(::getpid());
    lab::run("dmsetup create " + name + " --table '0 16384 linear " + device.path() + " 0'");
    const TargetContext target = target_context("/dev/mapper/" + name);
    const Status safe = check_safe_to_write(device.path(), {});
    lab::run("dmsetup remove --retry " + name);
    ASSERT_EQ(target.devices.size(), 1U);
    EXPECT_EQ(target.devices[0].rfind("dm-", 0), 0U);
    EXPECT_EQ(text_of(target.facts, "device_below").rfind(device.name(), 0), 0U);
    EXPECT_NE(safe.message().find("it is in use by " + target.devices[0]), std::string::npos) << safe.message();
}

TEST(TargetReasons, NameTheKindOfFileSystem) {
    EXPECT_NE(context::why_no_device("nfs4").find("another machine"), std::string::npos);
    EXPECT_NE(context::why_no_device("fuse.sshfs").find("program"), std::string::npos);
    EXPECT_NE(context::why_no_device("").find("no mount"), std::string::npos);
}

TEST(TargetPath, OfAnEmptyOrEndlessNameIsAnswered) {
    EXPECT_FALSE(target_context("").facts.empty());
    EXPECT_FALSE(target_context(std::string(100'000, 'x')).facts.empty());
    const lab::TemporaryDirectory directory;
    std::filesystem::create_symlink("loop", directory / "loop");
    EXPECT_FALSE(target_context(directory / "loop").facts.empty());
}

} // namespace
} // namespace assay
