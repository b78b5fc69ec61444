#include "core/context/mounts.hpp"

#include "core/context/file_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <sys/sysmacros.h>

namespace assay::context {
namespace {

// The example of proc(5), then the forms that trip parsers.
constexpr std::string_view table =
    "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n"
    "40 36 0:45 / /mnt/a\\040b\\011c\\134d rw shared:2 master:3 propagate_from:4 - nfs4 host:/x\\040y rw,vers=4.2\n"
    "41 36 0:46 / /empty/source rw - tmpfs  rw,size=4k\n"
    "42 36 254:16 / /mnt/a\\012newline rw - ext4 /dev/vdb rw\n";

TEST(Mountinfo, ReadsTheExampleOfTheManual) {
    const std::vector<Mount> mounts = parse_mountinfo(table);
    ASSERT_EQ(mounts.size(), 4U);
    EXPECT_EQ(mounts[0].id, 36U);
    EXPECT_EQ(mounts[0].device, makedev(98, 0));
    EXPECT_EQ(mounts[0].root, "/mnt1");
    EXPECT_EQ(mounts[0].mount_point, "/mnt2");
    EXPECT_EQ(mounts[0].options, "rw,noatime");
    EXPECT_EQ(mounts[0].type, "ext3");
    EXPECT_EQ(mounts[0].source, "/dev/root");
    EXPECT_EQ(mounts[0].super_options, "rw,errors=continue");
}

TEST(Mountinfo, UndoesOctalEscapesAndSkipsAnyNumberOfOptionalFields) {
    const std::vector<Mount> mounts = parse_mountinfo(table);
    ASSERT_EQ(mounts.size(), 4U);
    EXPECT_EQ(mounts[1].mount_point, "/mnt/a b\tc\\d");
    EXPECT_EQ(mounts[1].type, "nfs4");
    EXPECT_EQ(mounts[1].source, "host:/x y");
    EXPECT_EQ(mounts[3].mount_point, "/mnt/a\nnewline");
}

TEST(Mountinfo, KeepsAnEmptySourceInItsPlace) {
    const std::vector<Mount> mounts = parse_mountinfo(table);
    ASSERT_EQ(mounts.size(), 4U);
    EXPECT_EQ(mounts[2].type, "tmpfs");
    EXPECT_EQ(mounts[2].source, "");
    EXPECT_EQ(mounts[2].super_options, "rw,size=4k");
}

TEST(Mountinfo, LeavesOutLinesThatDoNotHaveTheForm) {
    EXPECT_TRUE(parse_mountinfo("").empty());
    EXPECT_TRUE(parse_mountinfo("36 35 98:0 /a /b rw\n").empty());
    EXPECT_TRUE(parse_mountinfo("36 35 98:0 /a /b rw master:1 ext3 /dev/root rw,x y z\n").empty()); // no separator
    EXPECT_TRUE(parse_mountinfo("36 35 98:0 /a /b rw x y - ext3\n").empty());                       // cut off
    EXPECT_TRUE(parse_mountinfo("x 35 98:0 /a /b rw - ext3 /dev/root rw\n").empty());
    EXPECT_TRUE(parse_mountinfo("36 35 98 /a /b rw - ext3 /dev/root rw\n").empty());
    EXPECT_TRUE(parse_mountinfo("36 35 -1:99999999999 /a /b rw - ext3 /dev/root rw\n").empty());
}

TEST(OctalEscapes, AreThreeDigitsOfAByteAndNothingElse) {
    EXPECT_EQ(unescape_octal("\\040"), " ");
    EXPECT_EQ(unescape_octal("\\134040"), "\\040"); // not undone twice
    EXPECT_EQ(unescape_octal("a\\04"), "a\\04");
    EXPECT_EQ(unescape_octal("\\"), "\\");
    EXPECT_EQ(unescape_octal("\\777\\089"), "\\777\\089");
    EXPECT_EQ(unescape_octal("\\377"), "\xff");
}

TEST(FindMount, TakesTheDeepestMountPointOfThatDevice) {
    const std::vector<Mount> mounts = parse_mountinfo(
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 8:2 / /srv rw - ext4 /dev/sda2 rw\n"
        "3 1 8:3 / /srv/data rw - ext4 /dev/sda3 rw\n");
    EXPECT_EQ(find_mount(mounts, "/srv/data/f", makedev(8, 3), {})->id, 3U);
    EXPECT_EQ(find_mount(mounts, "/srv/database", makedev(8, 2), {})->id, 2U); // a name, not a prefix
    EXPECT_EQ(find_mount(mounts, "/etc", makedev(8, 1), {})->id, 1U);
    EXPECT_EQ(find_mount(mounts, "/srv/data", makedev(8, 3), {})->id, 3U);
    EXPECT_EQ(find_mount(mounts, "/srv/data/f", makedev(9, 9), {}), nullptr);
}

TEST(FindMount, TakesTheLaterOfTwoMountsOnOnePoint) {
    const std::vector<Mount> mounts = parse_mountinfo(
        "1 0 0:30 / /srv rw - tmpfs one rw\n"
        "2 1 0:31 / /srv rw - tmpfs two rw\n");
    EXPECT_EQ(find_mount(mounts, "/srv/f", makedev(0, 31), {})->source, "two");
}

TEST(FindMount, BelievesTheMountIdOverThePath) {
    const std::vector<Mount> mounts = parse_mountinfo(
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 8:1 /x /srv rw - ext4 /dev/sda1 rw\n");
    EXPECT_EQ(find_mount(mounts, "/srv/f", makedev(8, 1), 1)->id, 1U);
    EXPECT_EQ(find_mount(mounts, "/srv/f", makedev(8, 1), 77), nullptr);
}

TEST(MountTable, OfThisProcessHasTheFileSystemItIsReadFrom) {
    const std::vector<Mount> mounts = read_mounts();
    EXPECT_TRUE(std::any_of(mounts.begin(), mounts.end(),
                            [](const Mount& mount) { return mount.mount_point == "/proc" && mount.type == "proc"; }));
}

} // namespace
} // namespace assay::context
