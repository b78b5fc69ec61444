#include "plugins/block/shaped_stream.hpp"
#include "tests/unit/block/chi_square.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace assay::block {
namespace {

using common::Direction;

constexpr std::uint32_t block = 4096;

struct Seen {
    Direction direction;
    std::uint32_t part;
    std::uint64_t offset_bytes;
    std::uint32_t bytes;
    bool operator==(const Seen&) const = default;
};

class ShapedStreamTest : public testing::Test {
protected:
    ShapedStreamTest() : buffer_(1 << 20) {
        setup_.offsets = {parts_, block, 3};
        setup_.operations = 1000;
        setup_.read_threshold = std::uint64_t{1} << 32;
        setup_.order = Order::drawn;
    }
    template <class Stream>
    std::vector<Seen> all(Stream stream) {
        common::Request request;
        request.buffer = buffer_.data();
        request.bytes = block;
        std::vector<Seen> seen;
        while (stream.more()) {
            stream.next(request);
            seen.push_back({request.direction, request.part, request.offset_bytes, request.bytes});
        }
        return seen;
    }
    void sizes(std::vector<SizeShare> sizes) {
        sizes_ = std::move(sizes);
        setup_.sizes = sizes_;
    }

    std::vector<common::Part> parts_ = {{1 << 20, 256}};
    std::vector<SizeShare> sizes_;
    std::vector<std::byte> buffer_;
    StreamSetup setup_;
};

TEST_F(ShapedStreamTest, GivesOutWhatThePlainStreamsDoForTheSameOptions) {
    for (const bool two : {false, true}) {
        if (two) {
            parts_ = {{0, 100}, {1 << 20, 37}, {1 << 22, 7}};
            setup_.offsets.parts = parts_;
        }
        setup_.read_threshold = std::uint64_t{1} << 31;
        setup_.sync_every = 3;
        setup_.order = Order::sequential;
        EXPECT_EQ(all(ShapedStream(setup_)), all(Stream<common::SequentialMany, Mixed, true>(setup_)));
        setup_.order = Order::once;
        EXPECT_EQ(all(ShapedStream(setup_)), all(Stream<common::RandomOnceMany, Mixed, true>(setup_)));
        setup_.order = Order::drawn;
        EXPECT_EQ(all(ShapedStream(setup_)), all(Stream<common::RandomFreeMany, Mixed, true>(setup_)));
    }
}

TEST_F(ShapedStreamTest, DrawsSizesByTheirWeights) {
    sizes({{4096, 60}, {16384, 30}, {65536, 10}});
    setup_.operations = UINT64_MAX / block;
    ShapedStream stream(setup_);
    common::Request request;
    std::vector<std::uint64_t> counts(3);
    for (int i = 0; i < 300'000; ++i) {
        stream.next(request);
        ++counts[request.bytes == 4096 ? 0 : request.bytes == 16384 ? 1 : 2];
    }
    EXPECT_EQ(chi_square_misfit(counts, {60, 30, 10}), "");
}

TEST_F(ShapedStreamTest, StaysInsideThePartsAndAlignsToTheSmallestSize) {
    parts_ = {{8192, 100}, {1 << 22, 17}};
    setup_.offsets.parts = parts_;
    sizes({{4096, 1}, {65536, 1}, {12288, 1}});
    setup_.operations = 50'000;
    for (const Order order : {Order::drawn, Order::sequential}) {
        setup_.order = order;
        for (const Seen& seen : all(ShapedStream(setup_))) {
            const common::Part& part = parts_.at(seen.part);
            ASSERT_GE(seen.offset_bytes, part.base_bytes);
            ASSERT_LE(seen.offset_bytes + seen.bytes, part.base_bytes + part.blocks * block);
            ASSERT_EQ((seen.offset_bytes - part.base_bytes) % block, 0u);
        }
    }
}

TEST_F(ShapedStreamTest, CountsTheAmountInBytes) {
    sizes({{4096, 1}, {65536, 1}});
    setup_.operations = 10'000; // blocks: 40,960,000 B
    std::uint64_t bytes = 0;
    std::uint32_t last = 0;
    for (const Seen& seen : all(ShapedStream(setup_))) {
        bytes += seen.bytes;
        last = seen.bytes;
    }
    EXPECT_GE(bytes, 40'960'000u);
    EXPECT_LT(bytes - last, 40'960'000u) << "the last request is the one that reaches it";
}

TEST_F(ShapedStreamTest, SequencesAdvanceByEachRequestsSizeAndStartAgainWhereOneDoesNotFit) {
    parts_ = {{0, 40}};
    setup_.offsets.parts = parts_;
    sizes({{4096, 1}, {16384, 1}});
    setup_.order = Order::sequential;
    setup_.operations = 400;
    std::uint64_t expected = 0;
    for (const Seen& seen : all(ShapedStream(setup_))) {
        if (expected + seen.bytes > 40 * block) expected = 0;
        ASSERT_EQ(seen.offset_bytes, expected);
        expected += seen.bytes;
    }
}

TEST_F(ShapedStreamTest, NoEndMeansNoEnd) {
    setup_.operations = UINT64_MAX;
    ShapedStream stream(setup_);
    common::Request request;
    for (int i = 0; i < 1000; ++i)
        stream.next(request);
    EXPECT_TRUE(stream.more());
    stream.stop();
    EXPECT_FALSE(stream.more());
}

TEST_F(ShapedStreamTest, TrimsInsteadOfWritingAndLeavesTheBufferAlone) {
    setup_.trims = true;
    setup_.read_threshold = 0;
    for (const Seen& seen : all(ShapedStream(setup_)))
        ASSERT_EQ(seen.direction, Direction::trim);
    EXPECT_EQ(buffer_, std::vector<std::byte>(1 << 20));
}

TEST_F(ShapedStreamTest, StampsPlainWritesOfEverySizeThroughout) {
    setup_.read_threshold = 0;
    sizes({{4096, 1}, {16384, 1}});
    ShapedStream stream(setup_);
    common::Request request;
    request.buffer = buffer_.data();
    for (int i = 0; i < 100; ++i) {
        stream.next(request);
        for (std::uint32_t at = 0; at < request.bytes; at += 4096) {
            std::uint64_t offset = 0;
            std::memcpy(&offset, buffer_.data() + at, sizeof(offset));
            ASSERT_EQ(offset, request.offset_bytes + at);
        }
    }
}

TEST_F(ShapedStreamTest, FollowsTheDistribution) {
    setup_.distribution.kind = common::DistributionKind::zipf;
    setup_.distribution.zipf_theta = 1.0;
    setup_.distribution.scatter_seed = 5;
    setup_.operations = 500'000;
    const common::Permutation scatter(256, 5);
    std::vector<std::uint64_t> rank_of(256);
    for (std::uint64_t rank = 0; rank < 256; ++rank)
        rank_of[scatter(rank)] = rank;
    std::vector<std::uint64_t> counts(256);
    std::vector<double> probabilities;
    for (int rank = 1; rank <= 256; ++rank)
        probabilities.push_back(1.0 / rank);
    for (const Seen& seen : all(ShapedStream(setup_)))
        ++counts[rank_of[(seen.offset_bytes - (1 << 20)) / block]];
    EXPECT_EQ(chi_square_misfit(counts, probabilities), "");
}

} // namespace
} // namespace assay::block
