#include "plugins/block/stream.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace assay::block {
namespace {

using common::Direction;

class StreamTest : public testing::Test {
protected:
    StreamTest() : buffer_(4096) {
        request_.buffer = buffer_.data();
        setup_.offsets = {parts_, 4096, 3};
        setup_.operations = 8;
    }
    // r, w or s for each request until the stream ends.
    template <class Stream>
    std::string letters(Stream stream) {
        std::string text;
        while (stream.more()) {
            stream.next(request_);
            text += "rws"[static_cast<std::size_t>(request_.direction)];
        }
        return text;
    }

    std::vector<common::Part> parts_ = {{0, 100}};
    std::vector<std::byte> buffer_;
    common::Request request_;
    StreamSetup setup_;
};

TEST_F(StreamTest, EndsAfterItsOperations) {
    EXPECT_EQ(letters(Stream<common::SequentialOne, ReadOnly, false>(setup_)), "rrrrrrrr");
}

TEST_F(StreamTest, PutsASyncAfterEveryNthWriteAndAfterTheLast) {
    setup_.sync_every = 4;
    EXPECT_EQ(letters(Stream<common::SequentialOne, WriteOnly, true>(setup_)), "wwwwswwwws");
    setup_.sync_every = 3;
    EXPECT_EQ(letters(Stream<common::SequentialOne, WriteOnly, true>(setup_)), "wwwswwwsww");
}

TEST_F(StreamTest, CountsWritesOfEachTargetByItself) {
    parts_ = {{0, 100}, {0, 100}};
    setup_.offsets.parts = parts_;
    setup_.sync_every = 2;
    // Writes go to the targets in turn: each reaches its second after four in total.
    EXPECT_EQ(letters(Stream<common::SequentialMany, WriteOnly, true>(setup_)), "wwwswswwwsws");
}

TEST_F(StreamTest, MixesByTheShareThatWasAskedFor) {
    setup_.operations = 100'000;
    for (const double share : {0.0, 0.3, 0.7, 1.0}) {
        setup_.read_threshold = static_cast<std::uint64_t>(share * 4294967296.0);
        const std::string text = letters(Stream<common::RandomFreeOne, Mixed, false>(setup_));
        const auto reads = static_cast<double>(std::count(text.begin(), text.end(), 'r'));
        // Binomial: standard deviation at most 158; 0 and 1 are exact.
        EXPECT_NEAR(reads, share * 100'000, share == 0.0 || share == 1.0 ? 0 : 800) << share;
    }
}

TEST_F(StreamTest, TheSameSeedMakesTheSameMix) {
    setup_.operations = 1000;
    setup_.read_threshold = std::uint64_t{1} << 31;
    const auto text = [&] { return letters(Stream<common::RandomFreeOne, Mixed, false>(setup_)); };
    const std::string first = text();
    EXPECT_EQ(text(), first);
    setup_.offsets.seed = 4;
    EXPECT_NE(text(), first);
}

TEST_F(StreamTest, WritesTheOffsetAndAFreshTokenIntoEachBlock) {
    setup_.salt = 1000;
    Stream<common::SequentialOne, WriteOnly, false> stream(setup_);
    for (std::uint64_t i = 0; i < 3; ++i) {
        stream.next(request_);
        std::uint64_t words[2];
        std::memcpy(words, buffer_.data(), sizeof(words));
        EXPECT_EQ(words[0], i * 4096);
        EXPECT_EQ(words[1], 1001 + i);
    }
}

TEST_F(StreamTest, ReadsLeaveTheBufferAlone) {
    Stream<common::SequentialOne, ReadOnly, false> stream(setup_);
    stream.next(request_);
    EXPECT_EQ(buffer_, std::vector<std::byte>(4096));
}

TEST_F(StreamTest, GivesOutNothingAfterAStop) {
    setup_.sync_every = 1;
    Stream<common::SequentialOne, WriteOnly, true> stream(setup_);
    stream.next(request_); // a sync is due now
    stream.stop();
    EXPECT_FALSE(stream.more());
}

} // namespace
} // namespace assay::block
