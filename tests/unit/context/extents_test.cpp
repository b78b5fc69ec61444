#include "core/context/target.hpp"

#include "tests/lab/devices.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

// An ext4 of 64 MiB with blocks of 4 KiB: known rules, whatever the machine's own disk has.
class Extents : public testing::Test {
protected:
    void SetUp() override {
        ASSAY_NEEDS_DEVICES();
        device_.emplace(64 * mib);
        lab::run("mkfs.ext4 -q -b 4096 " + device_->path());
        mount_.emplace(device_->path(), directory_ / "mnt", "ext4");
        file_ = mount_->point() + "/file";
    }

    Fd open_file(std::uint64_t size) {
        Fd fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (!fd.valid() || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) lab::fail(file_);
        return fd;
    }
    static void write_at(const Fd& fd, std::uint64_t offset, std::uint64_t length) {
        const std::vector<char> data(length, 'x');
        if (::pwrite(fd.get(), data.data(), length, static_cast<off_t>(offset)) != static_cast<ssize_t>(length))
            lab::fail("pwrite");
    }

    lab::TemporaryDirectory directory_;
    std::optional<lab::LoopDevice> device_;
    std::optional<lab::Mount> mount_;
    std::string file_;
};

TEST_F(Extents, TellWrittenUnwrittenAndHoleApart) {
    const Fd fd = open_file(12 * mib);
    write_at(fd, 0, 1 * mib);
    ASSERT_EQ(::posix_fallocate(fd.get(), 4 * mib, 2 * mib), 0);
    const result::Extents extents = read_extents(file_, 0, 12 * mib);
    ASSERT_TRUE(extents.known) << extents.why_unknown;
    EXPECT_EQ(extents.region_bytes, 12 * mib);
    EXPECT_EQ(extents.written_bytes, 1 * mib);
    EXPECT_EQ(extents.unwritten_bytes, 2 * mib);
    EXPECT_EQ(extents.hole_bytes, 9 * mib);
}

TEST_F(Extents, CountDataThatIsStillInThePageCacheAsWritten) {
    const Fd fd = open_file(0);
    write_at(fd, 0, 64 * kib); // no fsync: delayed allocation has given it no block yet
    const result::Extents extents = read_extents(file_, 0, 64 * kib);
    ASSERT_TRUE(extents.known) << extents.why_unknown;
    EXPECT_EQ(extents.written_bytes, 64 * kib);
}

TEST_F(Extents, AreClippedToTheRegion) {
    const Fd fd = open_file(8 * mib);
    write_at(fd, 1 * mib, 4 * mib);
    const result::Extents extents = read_extents(file_, 2 * mib + 512, 5 * mib);
    ASSERT_TRUE(extents.known) << extents.why_unknown;
    EXPECT_EQ(extents.written_bytes, 3 * mib - 512);
    EXPECT_EQ(extents.unwritten_bytes, 0U);
    EXPECT_EQ(extents.hole_bytes, 2 * mib + 512);
}

TEST_F(Extents, PastTheEndOfTheFileAreAHoleEvenWhereBlocksAreAllocated) {
    const Fd fd = open_file(0);
    write_at(fd, 0, 10'000); // ends inside its third block
    ASSERT_EQ(::fallocate(fd.get(), FALLOC_FL_KEEP_SIZE, 0, 1 * mib), 0);
    const result::Extents extents = read_extents(file_, 0, 1 * mib);
    ASSERT_TRUE(extents.known) << extents.why_unknown;
    EXPECT_EQ(extents.written_bytes, 10'000U);
    EXPECT_EQ(extents.unwritten_bytes, 0U);
    EXPECT_EQ(extents.hole_bytes, mib - 10'000);
    EXPECT_EQ(read_extents(file_, 4 * mib, 1 * mib).hole_bytes, mib);
}

TEST_F(Extents, AreReadToTheLastWhereThereAreMoreThanOneCallReturns) {
    constexpr std::uint64_t pieces = 1500; // more than two calls of 512
    const Fd fd = open_file(pieces * 8 * kib);
    for (std::uint64_t piece = 0; piece < pieces; ++piece)
        write_at(fd, piece * 8 * kib, 4 * kib);
    const result::Extents extents = read_extents(file_, 0, pieces * 8 * kib);
    ASSERT_TRUE(extents.known) << extents.why_unknown;
    EXPECT_EQ(extents.written_bytes, pieces * 4 * kib);
    EXPECT_EQ(extents.hole_bytes, pieces * 4 * kib);
}

TEST_F(Extents, OfAnEmptyRegionAreEmpty) {
    const Fd fd = open_file(1 * mib);
    const result::Extents extents = read_extents(file_, 0, 0);
    EXPECT_TRUE(extents.known);
    EXPECT_EQ(extents.written_bytes + extents.unwritten_bytes + extents.hole_bytes, 0U);
}

TEST_F(Extents, OfABlockDeviceAreNotKnown) {
    const result::Extents extents = read_extents(device_->path(), 0, 4096);
    EXPECT_FALSE(extents.known);
    EXPECT_EQ(extents.why_unknown, "not a regular file, so it has no extents");
}

TEST(ExtentsElsewhere, AreNotKnownOnTmpfsAndTheReasonSaysSo) {
    ASSAY_NEEDS_DEVICES();
    const lab::TemporaryDirectory directory;
    const lab::Mount memory("none", directory / "mnt", "tmpfs", "size=1m");
    lab::write_text(memory.point() + "/f", "data");
    const result::Extents extents = read_extents(memory.point() + "/f", 0, 4);
    EXPECT_FALSE(extents.known);
    EXPECT_EQ(extents.why_unknown, "its file system does not tell extents (FIEMAP): Operation not supported");
}

TEST(ExtentsElsewhere, OfAMissingFileSayWhy) {
    const result::Extents extents = read_extents("/nonexistent/file", 0, 4096);
    EXPECT_FALSE(extents.known);
    EXPECT_EQ(extents.why_unknown, "cannot open it: No such file or directory");
}

TEST(ExtentsElsewhere, ARegionPastTheEndOfAllNumbersIsNotKnown) {
    const lab::TemporaryDirectory directory;
    lab::write_text(directory / "f", "data");
    EXPECT_FALSE(read_extents(directory / "f", ~std::uint64_t{0}, 2).known);
}

} // namespace
} // namespace assay
