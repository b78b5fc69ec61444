#include "plugins/block/reap_policy.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay::block {
namespace {

// A device that always has `depth` requests and completes one every `service_ns`, so that a wait for k leaves
// depth - (k - 1) / 2 in flight on average.
struct Device {
    std::uint32_t depth;
    double service_ns;

    double mean_in_flight(ReapPolicy& policy, int batches) {
        double integral = 0;
        double window_elapsed = 0;
        double window_integral = 0;
        for (int i = 0; i < batches; ++i) {
            const std::uint32_t k = policy.batch();
            const double wait = k * service_ns;
            integral += wait * (depth - (k - 1) / 2.0);
            policy.observe(static_cast<std::uint64_t>(wait), k, static_cast<std::uint64_t>(total_ + integral));
            if (i >= batches / 2) {
                window_elapsed += wait;
                window_integral += wait * (depth - (k - 1) / 2.0);
            }
        }
        total_ += integral;
        return window_integral / window_elapsed;
    }

    double total_ = 0;
};

TEST(ReapPolicy, KeepsNineTenthsOfTheDepthInFlightOnAFastDevice) {
    for (const std::uint32_t depth : {16u, 32u, 64u, 128u, 256u}) {
        ReapPolicy policy(depth, 0);
        Device device{depth, 100};
        EXPECT_GE(device.mean_in_flight(policy, 200'000), 0.9 * depth) << depth;
    }
}

TEST(ReapPolicy, GrowsWhereTheMeanLeavesRoomForIt) {
    ReapPolicy policy(128, 0);
    EXPECT_EQ(policy.batch(), 16u) << "starts at an eighth of the depth";
    Device device{128, 100};
    device.mean_in_flight(policy, 200'000);
    // (k - 1) / 2 <= 0.09 * 128 allows up to k = 24; the band's other end is at k = 21.
    EXPECT_GE(policy.batch(), 20u);
    EXPECT_LE(policy.batch(), 26u);
}

TEST(ReapPolicy, WaitsForOneAtATimeOnASlowDevice) {
    ReapPolicy policy(128, 0);
    Device device{128, 100'000}; // 10,000 requests a second: one takes longer than the 50 us a batch may
    device.mean_in_flight(policy, 10'000);
    EXPECT_EQ(policy.batch(), 1u);
}

TEST(ReapPolicy, NeverBatchesAtSmallDepths) {
    for (const std::uint32_t depth : {1u, 4u, 8u}) {
        ReapPolicy policy(depth, 0);
        Device device{depth, 100};
        device.mean_in_flight(policy, 100'000);
        EXPECT_EQ(policy.batch(), 1u);
    }
}

TEST(ReapPolicy, KeepsABatchThatTheUserFixedUpToTheDepth) {
    ReapPolicy fixed(128, 64);
    Device device{128, 100};
    device.mean_in_flight(fixed, 100'000);
    EXPECT_EQ(fixed.batch(), 64u);
    EXPECT_EQ(ReapPolicy(16, 64).batch(), 16u);
}

} // namespace
} // namespace assay::block
