#include "core/base/cpu_share.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

CpuStates states(double user, double system, double idle) {
    CpuStates made;
    made.add("cpu.user", user);
    made.add("cpu.system", system);
    made.add("cpu.idle", idle);
    return made;
}

// A tickless kernel counted 0.875 s of a second: 0.583 busy, 0.292 idle. mpstat says 66.6 %.
TEST(CpuShare, IsOfTheTimeThatWasCountedNotOfTheClock) {
    const CpuStates shares = shares_of(states(0.5, 0.083, 0.292));
    EXPECT_NEAR(shares.busy(), 0.583 / 0.875, 1e-9);
    EXPECT_NEAR(shares.user, 0.5 / 0.875, 1e-9);
    EXPECT_NEAR(shares_of(states(0.9, 0.1, 0.12)).busy(), 1.0 / 1.12, 1e-9);
}

TEST(CpuShare, AFullyBusyCpuIsFullWhateverItsTicksAddUpTo) {
    EXPECT_DOUBLE_EQ(shares_of(states(0.9, 0.21, 0)).busy(), 1);
    EXPECT_DOUBLE_EQ(shares_of(states(0.5, 0.375, 0)).busy(), 1);
}

TEST(CpuShare, NiceIsUserIowaitIsIdleAndGuestsAreCountedOnce) {
    CpuStates counted = states(0.2, 0.1, 0.3);
    counted.add("cpu.nice", 0.1);
    counted.add("cpu.iowait", 0.2);
    counted.add("cpu.steal", 0.1);
    counted.add("cpu.guest", 0.2); // inside user
    EXPECT_DOUBLE_EQ(counted.all(), 1.0);
    const CpuStates shares = shares_of(counted);
    EXPECT_DOUBLE_EQ(shares.user, 0.3);
    EXPECT_DOUBLE_EQ(shares.idle, 0.5);
    EXPECT_DOUBLE_EQ(shares.steal, 0.1);
}

TEST(CpuShare, WithoutIdleTimeTheClockIsAllThereIs) {
    CpuStates selected;
    selected.add("cpu.user", 0.25);
    EXPECT_DOUBLE_EQ(shares_of(selected).busy(), 0.25);
    EXPECT_DOUBLE_EQ(shares_of(states(0.1, 0, 0.1)).busy(), 0.1) << "most of the time is not there at all";
    EXPECT_DOUBLE_EQ(shares_of({}).busy(), 0);
}

} // namespace
} // namespace assay
