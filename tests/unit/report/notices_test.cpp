#include "core/report/notices.hpp"
#include "assay/abi/host.h"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

result::Verdict verdict(const char* check, const char* job, const char* message,
                        result::Level level = result::Level::suspect) {
    result::Verdict made;
    made.check = check;
    made.job = job;
    made.message = message;
    made.level = level;
    return made;
}

TEST(Notices, KeepTheOrderInWhichTheyArose) {
    Notices notices;
    notices.set({verdict("cpu.hot", "a", "first")});
    notices.add(ASSAY_LOG_WARNING, "a plugin's words");
    notices.set({verdict("cache.client", "a", "second"), verdict("cpu.hot", "a", "still so")});
    const std::vector<Notice> all = notices.all();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].label, "SUSPECT cpu.hot");
    EXPECT_EQ(all[0].text, "still so");
    EXPECT_EQ(all[1].label, "warning");
    EXPECT_EQ(all[1].text, "a plugin's words");
    EXPECT_EQ(all[2].label, "SUSPECT cache.client");
}

TEST(Notices, OneCheckOfOneJobIsOneLineAtItsWorstLevel) {
    Notices notices;
    notices.set({verdict("cpu.hot", "a", "one", result::Level::invalid), verdict("cpu.hot", "a", "two"),
                 verdict("cpu.hot", "b", "three")});
    const std::vector<Notice> all = notices.all();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].label, "INVALID cpu.hot");
    EXPECT_EQ(all[0].text, "two");
    EXPECT_EQ(all[0].times, 2U);
    EXPECT_EQ(all[1].times, 1U);
    notices.set({verdict("cpu.hot", "a", "one"), verdict("cpu.hot", "a", "two")}); // counted anew, not on top
    EXPECT_EQ(notices.all()[0].times, 2U);
    EXPECT_EQ(notices.all()[0].label, "SUSPECT cpu.hot");
}

TEST(Notices, AVerdictThatNoLongerHoldsGoesAndMessagesStay) {
    Notices notices;
    notices.add(ASSAY_LOG_ERROR, "words");
    notices.set({verdict("cpu.hot", "a", "one")});
    notices.set({});
    ASSERT_EQ(notices.all().size(), 1U);
    EXPECT_EQ(notices.all()[0].label, "error");
}

TEST(Notices, OnlyTheNewestMessagesAreKept) {
    Notices notices;
    for (int message = 1; message <= 105; ++message)
        notices.add(ASSAY_LOG_INFO, std::to_string(message));
    ASSERT_EQ(notices.all().size(), 100U);
    EXPECT_EQ(notices.all().front().text, "6");
    EXPECT_EQ(notices.all().back().text, "105");
}

} // namespace
} // namespace assay::report
