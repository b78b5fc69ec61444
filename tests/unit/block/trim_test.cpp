#include "core/base/fd.hpp"
#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/statvfs.h>

namespace assay::block {
namespace {

// Bytes that a file takes up on its file system.
std::uint64_t held_bytes(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : UINT64_MAX;
}

std::string with_engine(const testing::TestParamInfo<const char*>& info) { return info.param; }

class Trim : public FileTest, public testing::WithParamInterface<const char*> {
protected:
    static BenchOutcome run(const std::string& target, OptionTexts options, std::uint32_t workers = 1) {
        options.emplace_back("engine", GetParam());
        return run_block({std::move(options), {target}, workers});
    }
};
INSTANTIATE_TEST_SUITE_P(Block, Trim, testing::Values("psync", "libaio", "io_uring"), with_engine);

TEST_P(Trim, PunchesHolesIntoAFileAndKeepsItsLength) {
    for (const char* pattern : {"trim", "randtrim"}) {
        filled("a", 4 << 20);
        const auto outcome = run(path("a"), {{"pattern", pattern}, {"size", "1MiB"}, {"offset", "1MiB"}});
        ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        EXPECT_EQ(outcome.operations(kind_trim), 256u);
        EXPECT_EQ(outcome.bytes(kind_trim), 1u << 20);
        EXPECT_EQ(outcome.operations(kind_read) + outcome.operations(kind_write), 0u);
        EXPECT_EQ(outcome.measured.operations[kind_trim].histograms[0].count(), 256u);
        const std::string content = content_of(path("a"));
        ASSERT_EQ(content.size(), 4u << 20);
        EXPECT_EQ(content.substr(1 << 20, 1 << 20), std::string(1 << 20, '\0'));
        EXPECT_EQ(changed_blocks(path("a"), 4096).size(), 256u) << "and nothing else";
        if (!on_tmpfs()) {
            EXPECT_LE(held_bytes(path("a")), (3u << 20) + 65536);
        }
    }
}

TEST_P(Trim, RunsOneAtATimeWhateverTheEngineAndSaysSo) {
    filled("a", 1 << 20);
    const auto outcome = run(path("a"), {{"pattern", "trim"}, {"queue_depth", "32"}});
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(outcome.facts.at(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH), "1");
    EXPECT_EQ(outcome.facts.at(ASSAY_FACT_REQUESTED_QUEUE_DEPTH), "32");
    EXPECT_EQ(outcome.facts.at(ASSAY_FACT_SYNCHRONOUS_ENGINE), "1");
    EXPECT_LE(outcome.mean_in_flight(), 1.0);
}

TEST_P(Trim, RefusesLessThanTheFileSystemGivesBack) {
    filled("a", 1 << 20);
    struct statvfs info {};
    ASSERT_EQ(statvfs(path("a").c_str(), &info), 0);
    if (info.f_frsize != 4096) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs a file system with blocks of 4 KiB";
    const auto small = run(path("a"), {{"pattern", "trim"}, {"block_size", "512B"}, {"direct", "no"}});
    EXPECT_EQ(small.call, "prepare");
    EXPECT_EQ(small.option, "block_size");
    EXPECT_NE(small.text.find("block_size 512B is no multiple of 4KiB, its file system's block"), std::string::npos)
        << small.text;
    const auto shifted = run(path("a"), {{"pattern", "trim"}, {"offset", "512B"}, {"direct", "no"}});
    EXPECT_EQ(shifted.option, "offset");
    EXPECT_EQ(content_of(path("a")), std::string(1 << 20, 'x'));
}

TEST_P(Trim, CountsAsWritingToItsTarget) {
    filled("a", 64 << 10);
    const auto outcome = run(path("a"), {{"pattern", "trim"}, {"direct", "no"}});
    EXPECT_EQ(outcome.targets.at(0).flags, unsigned{ASSAY_TARGET_WRITES});
}

TEST_P(Trim, GivesALoopDevicesBlocksBackToItsFile) {
    ASSAY_NEEDS_DEVICES();
    if (on_tmpfs()) GTEST_SKIP() << "SKIPPED, NOT PASSED: needs a disk file system; set ASSAY_TEST_DIR";
    const std::string image = filled("image", 8 << 20);
    const lab::LoopDevice loop(image);
    ::sync();
    ASSERT_GE(held_bytes(image), 8u << 20);
    const auto outcome = run(loop.path(), {{"pattern", "randtrim"}, {"block_size", "64KiB"}, {"size", "4MiB"}}, 2);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(outcome.operations(kind_trim), 64u);
    EXPECT_LE(held_bytes(image), (4u << 20) + 65536);
    EXPECT_EQ(content_of(image).substr(4 << 20), std::string(4 << 20, 'x'));
}

TEST_P(Trim, FollowsAScheduleToo) {
    filled("a", 1 << 20);
    BenchRun paced{{{"pattern", "trim"}, {"engine", GetParam()}}, {path("a")}};
    paced.rate_per_s = 1000;
    const auto outcome = run_block(paced);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(outcome.measured.operations[kind_trim].histograms.at(1).count(), 256u);
    EXPECT_GE(outcome.measured_s, 0.255);
}

// ramfs knows no holes, and so a loop device over a file in it knows no discards.
class Holeless : public Trim {
protected:
    void mount() {
        mount_ = std::make_unique<lab::Mount>("none", path("mount"), "ramfs");
        file_ = mount_->point() + "/a";
        std::ofstream(file_, std::ios::binary) << std::string(65536, 'x');
    }
    void TearDown() override { mount_.reset(); }
    std::string file_;
    std::unique_ptr<lab::Mount> mount_;
};
INSTANTIATE_TEST_SUITE_P(Block, Holeless, testing::Values("psync", "libaio", "io_uring"), with_engine);

TEST_P(Holeless, ADeviceThatCannotDiscardIsRefusedBeforeAnythingRuns) {
    ASSAY_NEEDS_DEVICES();
    mount();
    const lab::LoopDevice loop(file_);
    const auto outcome = run(loop.path(), {{"pattern", "trim"}});
    EXPECT_EQ(outcome.call, "prepare");
    EXPECT_EQ(outcome.status, ASSAY_UNSUPPORTED);
    EXPECT_EQ(outcome.option, "pattern");
    EXPECT_NE(outcome.text.find(loop.path() + ": this device cannot discard blocks"), std::string::npos)
        << outcome.text;
}

TEST_P(Holeless, AFileSystemWithoutHolesIsRefusedBeforeAnythingRuns) {
    ASSAY_NEEDS_DEVICES();
    mount();
    const auto outcome = run(file_, {{"pattern", "trim"}, {"direct", "no"}});
    EXPECT_EQ(outcome.call, "prepare");
    EXPECT_EQ(outcome.status, ASSAY_UNSUPPORTED);
    EXPECT_NE(outcome.text.find("punches no holes"), std::string::npos) << outcome.text;
    EXPECT_EQ(content_of(file_), std::string(65536, 'x'));
}

TEST_P(Trim, ADevicesLogicalBlockIsTheLeastItDiscards) {
    ASSAY_NEEDS_DEVICES();
    const lab::LoopDevice loop(std::uint64_t{1} << 20);
    const int size = 4096;
    if (::ioctl(loop.fd(), LOOP_SET_BLOCK_SIZE, size) != 0) GTEST_SKIP() << "SKIPPED, NOT PASSED: LOOP_SET_BLOCK_SIZE";
    const auto outcome = run(loop.path(), {{"pattern", "trim"}, {"block_size", "512B"}, {"direct", "no"}});
    EXPECT_EQ(outcome.call, "prepare");
    EXPECT_EQ(outcome.option, "block_size");
    EXPECT_NE(outcome.text.find("512B is no multiple of 4KiB"), std::string::npos) << outcome.text;
}

} // namespace
} // namespace assay::block
