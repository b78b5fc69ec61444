#include "tests/unit/block/bench.hpp"
#include "tests/unit/block/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace assay::block {
namespace {

std::string with_engine(const testing::TestParamInfo<const char*>& info) { return info.param; }

// What holds whatever the engine.
class EveryEngine : public FileTest, public testing::WithParamInterface<const char*> {
protected:
    static BenchOutcome run(std::vector<std::string> targets, OptionTexts options, std::uint32_t workers = 1) {
        options.emplace_back("engine", GetParam());
        return run_block({std::move(options), std::move(targets), workers});
    }
    static void ran(const BenchOutcome& outcome) { ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text; }
};
INSTANTIATE_TEST_SUITE_P(Block, EveryEngine, testing::Values("psync", "libaio", "io_uring"), with_engine);

TEST_P(EveryEngine, MovesTheBytesThatFioMovesForTheSameParameters) {
    filled("a", 1 << 20);
    struct Row {
        OptionTexts options;
        std::uint64_t fio_bytes; // fio 3.33 with --filename=a --size=1m --bs=4096 and what is named here
    };
    const Row rows[] = {
        {{{"pattern", "read"}}, 1048576},
        {{{"pattern", "randread"}}, 1048576},
        {{{"pattern", "write"}}, 1048576},
        {{{"pattern", "randread"}, {"amount", "10000B"}}, 12288},    // --io_size=10000
        {{{"pattern", "read"}, {"amount", "2560KiB"}}, 2621440},     // --io_size=2560k
        {{{"pattern", "randread"}, {"amount", "2560KiB"}}, 2621440}, // the same
        {{{"pattern", "randread"}, {"block_size", "12KiB"}}, 1044480},
    };
    for (const Row& row : rows) {
        OptionTexts options = row.options;
        options.insert(options.end(), {{"size", "1MiB"}, {"queue_depth", "16"}});
        const auto outcome = run({path("a")}, options);
        ASSERT_NO_FATAL_FAILURE(ran(outcome));
        EXPECT_EQ(outcome.bytes(kind_read) + outcome.bytes(kind_write), row.fio_bytes) << row.options.back().second;
    }
    // --rw=randrw --rwmixread=70: both directions together make one pass.
    const auto mixed = run({path("a")}, {{"pattern", "randrw"}, {"read_share", "70%"}, {"queue_depth", "16"}});
    EXPECT_EQ(mixed.bytes(kind_read) + mixed.bytes(kind_write), 1048576u);
    EXPECT_NEAR(static_cast<double>(mixed.operations(kind_read)), 0.7 * 256, 5 * 7.3); // binomial, 5 deviations
}

TEST_P(EveryEngine, WritesInAscendingOrderFromTheRegionsStart) {
    filled("a", 1 << 20);
    ASSERT_NO_FATAL_FAILURE(
        ran(run({path("a")}, {{"pattern", "write"}, {"offset", "64KiB"}, {"amount", "32KiB"}, {"queue_depth", "4"}})));
    EXPECT_EQ(changed_blocks(path("a"), 4096), (std::set<std::size_t>{16, 17, 18, 19, 20, 21, 22, 23}));
}

TEST_P(EveryEngine, ARandomPassWithTheMapWritesEveryBlockAndWithoutItNot) {
    filled("a", 4 << 20);
    ASSERT_NO_FATAL_FAILURE(
        ran(run({path("a")}, {{"pattern", "randwrite"}, {"random_map", "free"}, {"queue_depth", "8"}})));
    // 1024 draws of 1024: 1024 (1 - 1/e) = 647 distinct, standard deviation about 10.
    EXPECT_NEAR(static_cast<double>(changed_blocks(path("a"), 4096).size()), 647, 50);
    filled("b", 4 << 20);
    ASSERT_NO_FATAL_FAILURE(
        ran(run({path("b")}, {{"pattern", "randwrite"}, {"random_map", "once"}, {"queue_depth", "8"}})));
    EXPECT_EQ(changed_blocks(path("b"), 4096).size(), 1024u);
    std::set<std::string> blocks;
    const std::string content = content_of(path("b"));
    for (std::size_t at = 0; at < content.size(); at += 4096)
        blocks.insert(content.substr(at, 4096));
    EXPECT_EQ(blocks.size(), 1024u) << "no two blocks alike";
}

TEST_P(EveryEngine, TheSeedChoosesTheBlocks) {
    const auto blocks = [&](const std::string& name, const char* seed) {
        filled(name, 1 << 20);
        EXPECT_NO_FATAL_FAILURE(
            ran(run({path(name)}, {{"pattern", "randwrite"}, {"amount", "64KiB"}, {"seed", seed}})));
        return changed_blocks(path(name), 4096);
    };
    const auto first = blocks("a", "7");
    EXPECT_EQ(first.size(), 16u);
    EXPECT_EQ(blocks("b", "7"), first);
    EXPECT_NE(blocks("c", "8"), first);
}

TEST_P(EveryEngine, SplitWorkersShareThePassAndSharedWorkersEachMakeOne) {
    filled("a", 1 << 20);
    const auto split = run({path("a")}, {{"pattern", "randwrite"}, {"share", "split"}, {"queue_depth", "4"}}, 3);
    ASSERT_NO_FATAL_FAILURE(ran(split));
    EXPECT_EQ(split.measured.worker_bytes, (std::vector<std::uint64_t>{85 * 4096, 85 * 4096, 86 * 4096}));
    EXPECT_EQ(changed_blocks(path("a"), 4096).size(), 256u);
    const auto shared = run({path("a")}, {{"pattern", "randread"}, {"share", "shared"}, {"queue_depth", "4"}}, 3);
    EXPECT_EQ(shared.measured.worker_bytes, (std::vector<std::uint64_t>(3, 1 << 20)));
}

TEST_P(EveryEngine, CoversSeveralTargetsOfDifferentLengths) {
    for (const char* pattern : {"write", "randwrite"}) {
        filled("a", 256 << 10);
        filled("b", 64 << 10);
        filled("c", 1 << 20);
        const auto outcome = run({path("a"), path("b"), path("c")}, {{"pattern", pattern}, {"queue_depth", "8"}}, 2);
        ASSERT_NO_FATAL_FAILURE(ran(outcome));
        // Two workers: the first has a and c, the second b.
        EXPECT_EQ(outcome.measured.worker_bytes, (std::vector<std::uint64_t>{(256 + 1024) << 10, 64 << 10}));
        EXPECT_EQ(changed_blocks(path("a"), 4096).size(), 64u) << pattern;
        EXPECT_EQ(changed_blocks(path("b"), 4096).size(), 16u) << pattern;
        EXPECT_EQ(changed_blocks(path("c"), 4096).size(), 256u) << pattern;
    }
}

TEST_P(EveryEngine, SyncsAfterEveryNthWriteAndOnceAtTheEnd) {
    filled("a", 1 << 20);
    const OptionTexts base = {{"pattern", "write"}, {"block_size", "64KiB"}, {"queue_depth", "4"}};
    const auto syncs = [&](const OptionTexts& more) {
        OptionTexts options = base;
        options.insert(options.end(), more.begin(), more.end());
        const auto outcome = run({path("a")}, options);
        EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        EXPECT_EQ(outcome.operations(kind_write), 16u);
        return outcome.operations(kind_sync);
    };
    EXPECT_EQ(syncs({}), 0u);
    EXPECT_EQ(syncs({{"sync_every", "4"}}), 4u);
    EXPECT_EQ(syncs({{"sync_every", "5"}, {"sync_call", "fdatasync"}}), 3u);
    EXPECT_EQ(syncs({{"sync_at_end", "yes"}}), 1u);
}

TEST_P(EveryEngine, StopsInTimeDrainsAndKeepsWhatItCounted) {
    filled("a", 1 << 20);
    BenchRun run{{{"engine", GetParam()}, {"queue_depth", "16"}}, {path("a")}, 2, true};
    run.stops = [](const std::string& phase) {
        if (phase != "randread") return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return true;
    };
    const auto outcome = run_block(run);
    ASSERT_NO_FATAL_FAILURE(ran(outcome));
    EXPECT_LT(outcome.measured_s, 5);
    EXPECT_GT(outcome.bytes(kind_read), 2u << 20) << "more than a pass: time ends the run, not the region";
    EXPECT_EQ(outcome.measured.operations[kind_read].histograms[0].count(), outcome.operations(kind_read));
}

TEST_P(EveryEngine, LatenciesInFlightAndGeneratorTimeAddUpToTheSlots) {
    filled("a", 4 << 20);
    BenchRun run{{{"engine", GetParam()}, {"queue_depth", "4"}}, {path("a")}, 1, true};
    run.stops = [](const std::string& phase) {
        if (phase != "randread") return false;
        std::this_thread::sleep_for(std::chrono::seconds(1));
        return true;
    };
    const auto outcome = run_block(run);
    ASSERT_NO_FATAL_FAILURE(ran(outcome));
    const double busy = static_cast<double>(outcome.measured.operations[kind_read].histograms[0].sum_ns()) +
                        static_cast<double>(outcome.measured.worker_metrics[0][1]);
    const double slots = std::string(GetParam()) == "psync" ? 1 : std::stod(outcome.facts.at("effective_queue_depth"));
    // Little: every slot is either in flight or being refilled, but for start and drain.
    EXPECT_NEAR(busy / 1e9 / outcome.measured_s, slots, 0.15 * slots);
    EXPECT_LE(outcome.mean_in_flight(), slots * 1.01);
}

TEST_P(EveryEngine, UnlinkRemovesOnlyTheTargets) {
    filled("a", 8192);
    filled("b", 8192);
    ASSERT_NO_FATAL_FAILURE(ran(run({path("a"), path("new")}, {{"size", "8KiB"}, {"unlink", "yes"}})));
    EXPECT_FALSE(exists(path("a")));
    EXPECT_FALSE(exists(path("new")));
    EXPECT_TRUE(exists(path("b")));
}

TEST_P(EveryEngine, EndsWithAMessageWhenADeviceLosesItsData) {
    ASSAY_NEEDS_DEVICES();
    const std::string image = filled("image", 4 << 20);
    const lab::LoopDevice loop(image);
    BenchRun run{{{"engine", GetParam()}, {"queue_depth", "4"}}, {loop.path()}, 1, true};
    run.stops = [&](const std::string& phase) {
        if (phase == "randread") std::filesystem::resize_file(image, 0);
        return false; // it has to end by itself
    };
    const auto started = std::chrono::steady_clock::now();
    const auto outcome = run_block(run);
    EXPECT_EQ(outcome.status, ASSAY_IO);
    EXPECT_NE(outcome.text.find(loop.path()), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("requests failed"), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("Input/output error"), std::string::npos) << outcome.text;
    EXPECT_GE(outcome.measured.operations[kind_read].errors, 1000u);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
}

TEST_P(EveryEngine, AFileThatShrinksMeanwhileCountsShortReads) {
    filled("a", 1 << 20);
    // Shared descriptors see the new end at once: half of the blocks are gone.
    BenchRun run{{{"engine", GetParam()}, {"direct", "no"}, {"queue_depth", "2"}}, {path("a")}, 1};
    run.stops = [&](const std::string& phase) {
        if (phase == "prepare") std::filesystem::resize_file(path("a"), 512 << 10);
        return false;
    };
    const auto outcome = run_block(run);
    ASSERT_NO_FATAL_FAILURE(ran(outcome));
    EXPECT_EQ(outcome.operations(kind_read), 128u);
    ASSERT_EQ(outcome.measured.operations[kind_read].error_counts.size(), 1u);
    EXPECT_EQ(outcome.measured.operations[kind_read].error_counts[0].domain, ASSAY_ERROR_DOMAIN_SHORT);
    EXPECT_EQ(outcome.measured.operations[kind_read].error_counts[0].count, 128u);
}

class EngineOptions : public FileTest {
protected:
    static BenchOutcome run(const std::string& target, OptionTexts options) {
        const auto outcome = run_block({std::move(options), {target}});
        EXPECT_EQ(outcome.status, ASSAY_OK) << outcome.text;
        return outcome;
    }
};

TEST_F(EngineOptions, DepthIsWhatIoUringKeepsInFlightAndPsyncOneAtATime) {
    filled("a", 16 << 20);
    const auto in_flight = [&](const char* engine, const char* depth) {
        return run(path("a"), {{"engine", engine}, {"queue_depth", depth}}).mean_in_flight();
    };
    EXPECT_LE(in_flight("psync", "16"), 1.0);
    EXPECT_LE(in_flight("io_uring", "1"), 1.0);
    EXPECT_GT(in_flight("io_uring", "16"), 10);
}

TEST_F(EngineOptions, FactsSayWhatIsInForce) {
    filled("a", 1 << 20);
    auto facts = run(path("a"), {{"engine", "psync"}, {"queue_depth", "8"}}).facts;
    EXPECT_EQ(facts.at(ASSAY_FACT_REQUESTED_QUEUE_DEPTH), "8");
    EXPECT_EQ(facts.at(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH), "1");
    EXPECT_EQ(facts.at(ASSAY_FACT_SYNCHRONOUS_ENGINE), "1");
    EXPECT_EQ(facts.at(ASSAY_FACT_DIRECT_IN_FORCE), "1");
    EXPECT_EQ(facts.at("unique_bytes"), std::to_string(1 << 20));
    facts = run(path("a"), {{"engine", "libaio"}, {"direct", "no"}, {"queue_depth", "8"}}).facts;
    EXPECT_EQ(facts.at(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH), "1") << "buffered requests finish inside io_submit";
    EXPECT_EQ(facts.at(ASSAY_FACT_DIRECT_IN_FORCE), "0");
    facts = run(path("a"), {{"queue_depth", "8"}}).facts;
    EXPECT_EQ(facts.at(ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH), "8");
    EXPECT_EQ(facts.at(ASSAY_FACT_SYNCHRONOUS_ENGINE), "0");
    EXPECT_EQ(facts.at("registered_buffers"), "yes");
    EXPECT_NE(facts.at("io_uring_flags").find("SINGLE_ISSUER"), std::string::npos);
}

TEST_F(EngineOptions, IoUringWorksWithoutRegistrationsAndWithAPollingThread) {
    filled("a", 1 << 20);
    const auto facts = run(path("a"), {{"registered_buffers", "no"}, {"registered_files", "no"}}).facts;
    EXPECT_EQ(facts.at("registered_buffers"), "no: as asked");
    EXPECT_EQ(facts.at("registered_files"), "no: as asked");
    const auto polled = run(path("a"), {{"poll", "sqpoll"}, {"queue_depth", "32"}});
    EXPECT_NE(polled.facts.at("io_uring_flags").find("SQPOLL"), std::string::npos);
    EXPECT_EQ(polled.bytes(kind_read), 1u << 20);
}

TEST_F(EngineOptions, ReapBatchIsWhatAWaitWaitsFor) {
    filled("a", 16 << 20);
    const auto batch = [&](const char* engine, const char* size) {
        return std::stod(run(path("a"), {{"engine", engine}, {"queue_depth", "32"}, {"reap_batch", size}})
                             .facts.at(ASSAY_FACT_MEAN_REAP_BATCH));
    };
    EXPECT_GE(batch("libaio", "24"), 20);
    EXPECT_GE(batch("io_uring", "24"), 20);
    // More may have completed by the time the first is seen, but a queue that is never waited full is not reaped full.
    EXPECT_LT(batch("io_uring", "1"), batch("io_uring", "32"));
}

TEST_F(EngineOptions, TheHostsDepthLimitHolds) {
    filled("a", 16 << 20);
    BenchRun limited{{{"queue_depth", "32"}}, {path("a")}};
    limited.queue_depth_limit = 4;
    const auto outcome = run_block(limited);
    EXPECT_LE(outcome.mean_in_flight(), 4.0);
    EXPECT_EQ(outcome.bytes(kind_read), 16u << 20);
}

TEST_F(EngineOptions, PolledCompletionsOnADeviceWithoutPolledQueuesSayWhatIsMissing) {
    filled("a", 1 << 20);
    const auto outcome = run_block({{{"poll", "iopoll"}}, {path("a")}});
    if (outcome.status == ASSAY_OK) GTEST_SKIP() << "SKIPPED, NOT PASSED: this device has polled queues";
    EXPECT_EQ(outcome.status, ASSAY_UNSUPPORTED);
    EXPECT_NE(outcome.text.find("no polled queues"), std::string::npos) << outcome.text;
}

TEST_F(EngineOptions, EveryPatternWorksWithEveryMapMixAndSyncOnEveryEngine) {
    filled("a", 256 << 10);
    filled("b", 128 << 10);
    int runs = 0;
    for (const char* engine : {"psync", "libaio", "io_uring"})
        for (const char* pattern : {"read", "write", "randread", "randwrite", "readwrite", "randrw"})
            for (const char* map : {"once", "free"})
                for (const char* every : {"0", "3"})
                    for (const bool two : {false, true}) {
                        std::vector<std::string> targets = {path("a")};
                        if (two) targets.push_back(path("b"));
                        const auto outcome = run_block({{{"engine", engine},
                                                         {"pattern", pattern},
                                                         {"random_map", map},
                                                         {"sync_every", every},
                                                         {"direct", "no"},
                                                         {"queue_depth", "12"},
                                                         {"block_size", "8KiB"}},
                                                        targets});
                        ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.text;
                        ASSERT_EQ(outcome.bytes(kind_read) + outcome.bytes(kind_write), (two ? 384u : 256u) << 10)
                            << engine << " " << pattern << " " << map << " " << every;
                        const bool writes = outcome.operations(kind_write) > 0;
                        EXPECT_EQ(outcome.operations(kind_sync) > 0, writes && every[0] == '3');
                        ++runs;
                    }
    EXPECT_EQ(runs, 3 * 6 * 2 * 2 * 2);
}

} // namespace
} // namespace assay::block
