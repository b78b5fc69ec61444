#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace assay::block {
namespace {

class LayoutTest : public FileTest {
protected:
    static BenchOutcome run(const std::string& target, OptionTexts options, std::uint32_t workers = 1) {
        return run_block({std::move(options), {target}, workers});
    }
};

TEST_F(LayoutTest, AMissingFileGetsRealDataOfWhichNoTwoBlocksAreAlike) {
    const auto outcome = run(path("a"), {{"size", "9MiB"}, {"pattern", "read"}}, 3);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(outcome.phases, (std::vector<std::string>{"layout", "read"}));
    EXPECT_EQ(outcome.facts.at("layout_bytes"), std::to_string(9 << 20));
    const std::string content = content_of(path("a"));
    ASSERT_EQ(content.size(), 9u << 20);
    std::set<std::string> blocks;
    for (std::size_t at = 0; at < content.size(); at += 4096)
        blocks.insert(content.substr(at, 4096));
    EXPECT_EQ(blocks.size(), content.size() / 4096);
    if (!on_tmpfs()) {
        EXPECT_EQ(written_bytes(path("a")), 9 << 20) << "no hole and no unwritten extent";
    }
}

TEST_F(LayoutTest, AShortFileIsExtendedAndKeepsWhatItHas) {
    filled("a", 5001, 'k');
    const auto outcome = run(path("a"), {{"size", "3000001B"}, {"pattern", "read"}}, 2);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    const std::string content = content_of(path("a"));
    ASSERT_EQ(content.size(), 3000001u) << "exactly as long as asked for, whatever the block size";
    EXPECT_EQ(content.substr(0, 5001), std::string(5001, 'k'));
    EXPECT_EQ(content.find(std::string(64, '\0')), std::string::npos);
    EXPECT_EQ(outcome.facts.at("layout_bytes"), std::to_string(3000001 - 5001));
}

TEST_F(LayoutTest, AFileThatIsLongEnoughIsLeftAlone) {
    filled("a", 1 << 20, 'k');
    const auto outcome = run(path("a"), {{"size", "64KiB"}, {"pattern", "randread"}});
    EXPECT_EQ(outcome.facts.at("layout_bytes"), "0");
    EXPECT_EQ(content_of(path("a")), std::string(1 << 20, 'k'));
}

TEST_F(LayoutTest, AlwaysWritesTheWholeRegionAndNothingElse) {
    filled("a", 1 << 20);
    const auto outcome =
        run(path("a"), {{"offset", "256KiB"}, {"size", "512KiB"}, {"layout", "always"}, {"pattern", "read"}});
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    std::set<std::size_t> region;
    for (std::size_t block = 64; block < 192; ++block)
        region.insert(block);
    EXPECT_EQ(changed_blocks(path("a"), 4096), region);
}

TEST_F(LayoutTest, PatternsThatOnlyWriteGetSpaceWithoutData) {
    const auto outcome = run(path("a"), {{"size", "1MiB"}, {"pattern", "write"}, {"amount", "64KiB"}});
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(size_of(path("a")), 1u << 20);
    std::set<std::size_t> first_blocks;
    for (std::size_t block = 0; block < 16; ++block)
        first_blocks.insert(block);
    EXPECT_EQ(changed_blocks(path("a"), 4096, '\0'), first_blocks);
}

TEST_F(LayoutTest, MoreThanTheDiskHoldsRemovesWhatItCreatedAndCutsBackWhatItExtended) {
    const std::string huge = "1PiB"; // more than any file system under test has; ext4 cannot even address it
    auto outcome = run(path("new"), {{"size", huge}});
    EXPECT_EQ(outcome.status, ASSAY_RESOURCE) << outcome.text;
    EXPECT_NE(outcome.text.find(path("new")), std::string::npos);
    EXPECT_NE(outcome.text.find("is removed again"), std::string::npos) << outcome.text;
    EXPECT_FALSE(exists(path("new")));

    filled("old", 5000, 'k');
    outcome = run(path("old"), {{"size", huge}});
    EXPECT_EQ(outcome.status, ASSAY_RESOURCE) << outcome.text;
    EXPECT_NE(outcome.text.find("is cut back to its 5000B"), std::string::npos) << outcome.text;
    EXPECT_EQ(content_of(path("old")), std::string(5000, 'k'));

    outcome = run(path("new"), {{"size", huge}, {"pattern", "write"}});
    EXPECT_EQ(outcome.status, ASSAY_RESOURCE) << outcome.text;
    EXPECT_FALSE(exists(path("new")));
}

// Whoever writes into a file system without fallocate finds out in the middle.
TEST_F(LayoutTest, AWriteThatFailsInTheMiddleUndoesTheLayoutOfAllWorkers) {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8 << 20, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto outcome = run(path("a"), {{"size", "64MiB"}}, 4);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(outcome.status, ASSAY_RESOURCE) << outcome.text;
    EXPECT_NE(outcome.text.find("File too large"), std::string::npos) << outcome.text;
    EXPECT_FALSE(exists(path("a")));
}

TEST_F(LayoutTest, AStopInTheMiddleUndoesTheLayout) {
    BenchRun run{{{"size", "2GiB"}}, {path("a")}, 2};
    run.stops = [&](const std::string& phase) {
        EXPECT_EQ(phase, "layout");
        while (size_of(path("a")) < 8u << 20)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return true;
    };
    const auto outcome = run_block(run);
    EXPECT_EQ(outcome.status, ASSAY_CANCELLED);
    EXPECT_FALSE(exists(path("a")));
}

TEST_F(LayoutTest, AKillInTheMiddleLeavesAFileThatIsShortAndHasNoHoles) {
    const std::string target = path("a");
    const pid_t child = fork();
    if (child == 0) {
        run(target, {{"size", "2GiB"}});
        _exit(0);
    }
    while (size_of(target) == UINT64_MAX || size_of(target) < 32u << 20)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::uint64_t length = size_of(target);
    EXPECT_LT(length, 2ull << 30) << "the length must not promise data that is not there";
    if (!on_tmpfs()) {
        EXPECT_EQ(written_bytes(target), static_cast<std::int64_t>(length));
    }
    // A later run goes on from there.
    const auto outcome = run(target, {{"size", std::to_string(length + 4096) + "B"}, {"amount", "4KiB"}});
    EXPECT_EQ(outcome.facts.at("layout_bytes"), "4096");
}

TEST_F(LayoutTest, ABlockDeviceIsWrittenOnlyWhenAlwaysSaysSo) {
    ASSAY_NEEDS_DEVICES();
    const lab::LoopDevice loop(4 << 20);
    EXPECT_EQ(run(loop.path(), {{"pattern", "read"}}).facts.at("layout_bytes"), "0");
    EXPECT_EQ(content_of(loop.path()), std::string(4 << 20, '\0'));
    const auto outcome = run(loop.path(), {{"pattern", "read"}, {"layout", "always"}}, 2);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(changed_blocks(loop.path(), 4096, '\0').size(), 1024u);
}

TEST_F(LayoutTest, LaysOutDataOfTheShapeThatIsAskedFor) {
    const auto outcome =
        run(path("a"), {{"size", "9MiB"}, {"pattern", "read"}, {"compressible", "50%"}, {"dedupe", "30%"}}, 2);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    const std::string content = content_of(path("a"));
    std::set<std::string> blocks;
    for (std::size_t at = 0; at < content.size(); at += 4096) {
        ASSERT_EQ(content.substr(at + 2048, 2048), std::string(2048, '\0')) << at;
        blocks.insert(content.substr(at, 4096));
    }
    // Binomial over 2304 blocks: deviation 22.
    EXPECT_NEAR(static_cast<double>(blocks.size()), 0.7 * 2304, 5 * 22);
}

} // namespace
} // namespace assay::block
