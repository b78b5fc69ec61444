#include "plugins/block/config.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::block {
namespace {

constexpr std::uint64_t memory_bytes = std::uint64_t{16} << 30;

void refused(const Config& config, const std::string& option, const std::string& words) {
    const auto status = config.check(memory_bytes);
    EXPECT_EQ(status.code(), ASSAY_INVALID_OPTION);
    EXPECT_EQ(status.option(), option);
    EXPECT_NE(status.text().find(words), std::string::npos) << status.text();
}

TEST(Config, DefaultsFitTogether) { EXPECT_TRUE(Config().check(memory_bytes).ok()); }

TEST(Config, RefusesBuffersOfMoreThanHalfTheMemoryWithTheArithmetic) {
    Config config;
    config.queue_depth = 1024;
    config.block_bytes = 1 << 20;
    config.workers = 8;
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "exactly half";
    config.workers = 9;
    refused(config, "queue_depth", "queue_depth 1024 x block_size 1MiB x 9 workers = 9GiB");
    config.engine = Engine::psync;
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "psync has one buffer a worker";
}

TEST(Config, RefusesIoUringTuningForOtherEngines) {
    for (const Engine engine : {Engine::psync, Engine::libaio}) {
        Config config;
        config.engine = engine;
        config.poll = common::UringPoll::sqpoll;
        refused(config, "poll", "works with engine io_uring only");
        config.poll = common::UringPoll::none;
        config.registered_buffers = common::Preference::yes;
        refused(config, "registered_buffers", "works with engine io_uring only");
        config.registered_buffers = common::Preference::no;
        config.registered_files = common::Preference::yes;
        refused(config, "registered_files", "works with engine io_uring only");
    }
}

TEST(Config, RefusesPolledCompletionsWhereTheyCannotBe) {
    Config config;
    config.poll = common::UringPoll::iopoll;
    EXPECT_TRUE(config.check(memory_bytes).ok());
    config.direct = false;
    refused(config, "poll", "needs direct yes");
    config.direct = true;
    config.pattern = Pattern::write;
    config.sync_every = 1;
    refused(config, "poll", "cannot carry sync calls");
}

TEST(Config, RefusesADistributionWithoutARandomPattern) {
    Config config;
    config.distribution = common::DistributionKind::zipf;
    EXPECT_TRUE(config.check(memory_bytes).ok());
    config.pattern = Pattern::write;
    refused(config, "distribution", "distribution zipf works with random patterns only, and pattern is write");
}

TEST(Config, RefusesARandomMapThatWasAskedForWhereItCannotBe) {
    Config config;
    config.random_map_given = true;
    config.distribution = common::DistributionKind::pareto;
    refused(config, "random_map", "random_map once visits every block equally often, which distribution pareto");
    config.distribution = common::DistributionKind::uniform;
    config.block_size_mix = {{4096, 1}, {8192, 1}};
    refused(config, "random_map", "block_size_mix");
    config.random_map = RandomMap::free;
    EXPECT_TRUE(config.check(memory_bytes).ok());
}

TEST(Config, RefusesZonesThatDoNotCoverTheRegion) {
    Config config;
    config.distribution = common::DistributionKind::zoned;
    refused(config, "zones", "needs zones");
    config.zones = {{0.1, 60}, {0.2, 30}, {0.6, 10}};
    refused(config, "zones", "zones add up to 90% of the region");
    config.zones[2].size_share = 0.7;
    EXPECT_TRUE(config.check(memory_bytes).ok());
    config.zones = std::vector<common::Zone>(3, {0.333333333, 1});
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "a third cannot be written exactly";
}

TEST(Config, RefusesSizesThatAreNoMultiplesOfTheSmallest) {
    Config config;
    config.block_size_mix = {{4096, 1}, {6144, 1}};
    refused(config, "block_size_mix", "6KiB is no multiple of 4KiB");
    config.block_size_mix = {{4096, 1}, {12288, 1}};
    EXPECT_TRUE(config.check(memory_bytes).ok());
    config.block_size_given = true;
    refused(config, "block_size_mix", "give one of them");
}

TEST(Config, RefusesTheParametersOfAnotherDistribution) {
    using Kind = common::DistributionKind;
    const struct {
        const char* key;
        Kind kind;
        void (*give)(Config&);
    } rows[] = {{"zipf_theta", Kind::zipf, [](Config& config) { config.zipf_theta_given = true; }},
                {"pareto_h", Kind::pareto, [](Config& config) { config.pareto_h_given = true; }},
                {"normal_deviation", Kind::normal, [](Config& config) { config.normal_deviation_given = true; }},
                {"zones", Kind::zoned, [](Config& config) {
                     config.zones = {{1, 1}};
                 }}};
    for (const auto& row : rows) {
        Config config;
        row.give(config);
        refused(config, row.key, "and distribution is uniform");
        config.distribution = row.kind == Kind::zipf ? Kind::pareto : Kind::zipf;
        refused(config, row.key, "give distribution ");
        config.distribution = row.kind;
        EXPECT_TRUE(config.check(memory_bytes).ok()) << row.key;
    }
}

TEST(Config, RefusesThinkEveryWithoutAThinkTime) {
    Config config;
    config.think_every_given = true;
    refused(config, "think_every", "needs a think_time");
    config.think_time_given = true;
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "0 may be one point of a sweep";
}

TEST(Config, RefusesWhatATrimWouldIgnore) {
    const struct {
        const char* key;
        void (*give)(Config&);
    } rows[] = {{"sync_every", [](Config& config) { config.sync_every = 1; }},
                {"sync_writes", [](Config& config) { config.sync_writes = SyncWrites::dsync; }},
                {"compressible", [](Config& config) { config.data.compressible_share = 0.5; }},
                {"dedupe", [](Config& config) { config.data.repeated_share = 0.5; }},
                {"poll", [](Config& config) { config.poll = common::UringPoll::sqpoll; }},
                {"registered_buffers", [](Config& config) { config.registered_buffers = common::Preference::yes; }},
                {"registered_files", [](Config& config) { config.registered_files = common::Preference::yes; }}};
    for (const auto& row : rows) {
        Config config;
        row.give(config);
        config.pattern = Pattern::write;
        EXPECT_TRUE(config.check(memory_bytes).ok()) << row.key;
        config.pattern = Pattern::randtrim;
        refused(config, row.key, std::string(row.key) + " would be ignored: pattern randtrim");
    }
    Config config;
    config.pattern = Pattern::trim;
    config.layout = LayoutRule::always;
    config.data.compressible_share = 0.5;
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "what is laid out is compressible";
    config.queue_depth = 8;
    EXPECT_TRUE(config.check(memory_bytes).ok()) << "a depth is not refused but reported as inert";
}

TEST(Config, BuffersHoldTheLargestOfAMix) {
    Config config;
    config.block_size_mix = {{4096, 3}, {65536, 1}};
    EXPECT_EQ(config.largest_block_bytes(), 65536u);
    EXPECT_EQ(config.slot_bytes(), 65536u);
    EXPECT_EQ(config.mean_block_bytes(), (3 * 4096 + 65536) / 4.0);
}

TEST(Config, ATrimWritesReadsNothingAndNeedsNoBuffer) {
    Config config;
    config.pattern = Pattern::randtrim;
    config.block_bytes = 1 << 30;
    config.queue_depth = 32;
    EXPECT_TRUE(config.writes());
    EXPECT_FALSE(config.reads());
    EXPECT_TRUE(config.random());
    EXPECT_EQ(config.slots(), 1u);
    EXPECT_EQ(config.buffer_bytes(), 4096u);
}

TEST(Config, KnowsWhatAPatternReadsAndWrites) {
    const auto with = [](Pattern pattern, double read_share) {
        Config config;
        config.pattern = pattern;
        config.read_share_percent = read_share;
        return config;
    };
    EXPECT_TRUE(with(Pattern::read, 0).reads());
    EXPECT_FALSE(with(Pattern::read, 0).writes());
    EXPECT_FALSE(with(Pattern::randwrite, 100).reads());
    EXPECT_TRUE(with(Pattern::randwrite, 100).writes());
    EXPECT_TRUE(with(Pattern::randrw, 50).reads() && with(Pattern::randrw, 50).writes());
    EXPECT_FALSE(with(Pattern::randrw, 100).writes()) << "a mix of reads alone writes nothing";
    EXPECT_FALSE(with(Pattern::readwrite, 0).reads());
    EXPECT_TRUE(with(Pattern::randread, 50).random());
    EXPECT_FALSE(with(Pattern::readwrite, 50).random());
}

TEST(Config, BuffersAreWholePagesSoThatNoTwoRequestsShareOne) {
    Config config;
    config.block_bytes = 512;
    EXPECT_EQ(config.slot_bytes(), 4096u);
    config.block_bytes = 4097;
    EXPECT_EQ(config.slot_bytes(), 8192u);
    config.queue_depth = 32;
    EXPECT_EQ(config.buffer_bytes(), 32u * 8192u);
}

} // namespace
} // namespace assay::block
