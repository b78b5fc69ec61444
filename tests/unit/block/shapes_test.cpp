// Sizes, data, think time and durability, on real files and with every engine.
#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/chi_square.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace assay::block {
namespace {

std::string with_engine(const testing::TestParamInfo<const char*>& info) { return info.param; }

class Shapes : public FileTest, public testing::WithParamInterface<const char*> {
protected:
    BenchOutcome run(OptionTexts options, std::uint32_t workers = 1) const {
        options.emplace_back("engine", GetParam());
        const auto outcome = run_block({std::move(options), {path("a")}, workers});
        EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        return outcome;
    }
};
INSTANTIATE_TEST_SUITE_P(Block, Shapes, testing::Values("psync", "libaio", "io_uring"), with_engine);

TEST_P(Shapes, AMixOfSizesMovesTheAmountAndNothingBeyondTheRegion) {
    filled("a", 2 << 20);
    for (const char* pattern : {"write", "randwrite"}) {
        const auto outcome = run({{"pattern", pattern},
                                  {"block_size_mix", "4KiB:60,64KiB:40"},
                                  {"offset", "512KiB"},
                                  {"size", "1MiB"},
                                  {"amount", "8MiB"},
                                  {"queue_depth", "8"}});
        EXPECT_GE(outcome.bytes(kind_write), 8u << 20);
        EXPECT_LT(outcome.bytes(kind_write), (8u << 20) + 65536);
        EXPECT_EQ(outcome.measured.operations[kind_write].errors, 0u);
        // Mean size 4 KiB * 0.6 + 64 KiB * 0.4 = 28 KiB: 292 requests; the sizes deviate by 29 KiB.
        EXPECT_NEAR(static_cast<double>(outcome.operations(kind_write)), 292, 5 * 29.0 / 28 * 17.1);
        EXPECT_EQ(std::stod(outcome.facts.at("mean_block_bytes")), 28 * 1024);
    }
    const std::string content = content_of(path("a"));
    EXPECT_EQ(content.substr(0, 512 << 10), std::string(512 << 10, 'x'));
    EXPECT_EQ(content.substr(1536 << 10), std::string(512 << 10, 'x'));
}

TEST_P(Shapes, CompressibleDataEndsEveryBlockInZeros) {
    filled("a", 1 << 20);
    run({{"pattern", "write"}, {"block_size", "16KiB"}, {"compressible", "75%"}, {"queue_depth", "4"}});
    const std::string content = content_of(path("a"));
    std::set<std::string> distinct;
    for (std::size_t at = 0; at < content.size(); at += 4096) {
        EXPECT_EQ(content.substr(at + 1024, 3072), std::string(3072, '\0')) << at;
        distinct.insert(content.substr(at, 1024));
    }
    EXPECT_EQ(distinct.size(), 256u);
}

TEST_P(Shapes, DedupeWritesThatShareOfCopies) {
    filled("a", 8 << 20);
    run({{"pattern", "write"}, {"block_size", "16KiB"}, {"dedupe", "40%"}, {"queue_depth", "4"}});
    const std::string content = content_of(path("a"));
    std::set<std::string> distinct;
    for (std::size_t at = 0; at < content.size(); at += 4096)
        distinct.insert(content.substr(at, 4096));
    // 2048 blocks: binomial with deviation 22.
    EXPECT_NEAR(static_cast<double>(distinct.size()), 0.6 * 2048, 5 * 22.2);
}

TEST_P(Shapes, AHotBlockOfZipfIsWrittenMostAndManyNever) {
    filled("a", 4 << 20);
    run({{"pattern", "randwrite"}, {"distribution", "zipf"}, {"zipf_theta", "1.5"}, {"queue_depth", "4"}});
    // Of 1024 draws the expected number of distinct blocks is the sum over the ranks of 1 - (1 - p_k)^1024.
    double expected = 0;
    double sum = 0;
    for (int k = 1; k <= 1024; ++k)
        sum += std::pow(k, -1.5);
    for (int k = 1; k <= 1024; ++k)
        expected += 1 - std::pow(1 - std::pow(k, -1.5) / sum, 1024);
    const auto distinct = static_cast<double>(changed_blocks(path("a"), 4096).size());
    EXPECT_NEAR(distinct, expected, 5 * std::sqrt(expected));
    EXPECT_LT(distinct, 200);
}

TEST_P(Shapes, ADistributionSaysWhetherItCoversTheRegionOrASlice) {
    filled("a", 1 << 20);
    const auto scope = [&](const char* share, std::uint32_t workers) {
        BenchRun run{{{"engine", GetParam()}, {"distribution", "normal"}, {"share", share}}, {path("a")}, workers};
        const auto outcome = run_block(run);
        EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        return outcome.facts.at("distribution_scope");
    };
    EXPECT_EQ(scope("split", 1), "whole region");
    EXPECT_EQ(scope("split", 2), "each worker's slice");
    EXPECT_EQ(scope("shared", 2), "whole region");
}

TEST_P(Shapes, ZonesGetTheirShareOfTheRequests) {
    filled("a", 1 << 20);
    run({{"pattern", "randwrite"},
         {"distribution", "zoned"},
         {"zones", "50%:1,25%:0.0000001,25%:1"},
         {"amount", "4MiB"},
         {"queue_depth", "4"}});
    for (const std::size_t changed : changed_blocks(path("a"), 4096))
        EXPECT_TRUE(changed < 128 || changed >= 192) << changed;
}

TEST_P(Shapes, ThinkTimePausesAfterEveryNthRequest) {
    filled("a", 1 << 20);
    struct Row {
        const char* every;
        const char* depth;
        double pauses; // at least; of 100 requests those that are not started before
    };
    for (const Row& row : {Row{"1", "1", 99}, Row{"10", "1", 9}, Row{"1", "4", 96}, Row{"25", "4", 3}}) {
        const auto outcome =
            run({{"amount", "400KiB"}, {"think_time", "5ms"}, {"think_every", row.every}, {"queue_depth", row.depth}});
        EXPECT_EQ(outcome.operations(kind_read), 100u);
        EXPECT_GE(outcome.measured_s, row.pauses * 0.005) << row.every << " " << row.depth;
        EXPECT_LT(outcome.measured_s, row.pauses * 0.005 + 0.3) << row.every << " " << row.depth;
        EXPECT_EQ(outcome.measured.operations[kind_read].histograms.at(1).count(), 0u) << "no schedule, no response";
    }
}

TEST_P(Shapes, AStopIsSeenDuringAPause) {
    filled("a", 1 << 20);
    BenchRun run{{{"engine", GetParam()}, {"think_time", "1h"}}, {path("a")}, 1, true};
    run.stops = [](const std::string& phase) {
        std::this_thread::sleep_for(std::chrono::milliseconds(phase == "randread" ? 100 : 0));
        return phase == "randread";
    };
    const auto outcome = run_block(run);
    EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
    EXPECT_EQ(outcome.operations(kind_read), 1u);
    EXPECT_LT(outcome.measured_s, 1);
}

TEST_P(Shapes, SynchronousWritesAreAFact) {
    filled("a", 64 << 10);
    EXPECT_EQ(run({{"pattern", "write"}, {"sync_writes", "dsync"}}).facts.at("sync_writes"), "dsync");
    EXPECT_EQ(run({{"pattern", "write"}, {"sync_writes", "sync"}}).facts.at("sync_writes"), "sync");
    EXPECT_EQ(run({{"pattern", "write"}}).facts.count("sync_writes"), 0u);
}

TEST_P(Shapes, SeveralWorkersEachNeedRoomForTheLargestSize) {
    filled("a", 256 << 10);
    const OptionTexts options = {{"block_size_mix", "4KiB,64KiB"}, {"engine", GetParam()}};
    EXPECT_EQ(run_block({options, {path("a")}, 4}).status, ASSAY_OK);
    const auto outcome = run_block({options, {path("a")}, 5});
    EXPECT_EQ(outcome.status, ASSAY_INVALID_OPTION);
    EXPECT_EQ(outcome.option, "share");
    EXPECT_NE(outcome.text.find("requests of up to 64KiB"), std::string::npos) << outcome.text;
}

} // namespace
} // namespace assay::block
