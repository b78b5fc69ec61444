#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(WorkersPartial, OneFailedOperationIsInvalid) {
    result::Run run = honest_run();
    result::Operation& read = phase_of(run).operations[0];
    read.errors = 1;
    read.error_counts = {{"EIO (Input/output error)", 1, 5, 1}};
    const result::Verdict verdict = verdict_of(run, "workers.partial");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "1 of 2000001 operations failed (less than 0.1 %): 1 x EIO (Input/output error).");
}

TEST(WorkersPartial, ListsTheMostFrequentErrorsOfAllOperationsFirst) {
    result::Run run = honest_run();
    result::Operation& read = phase_of(run).operations[0];
    read.operations = 900;
    read.errors = 60;
    read.error_counts = {{"a", 9, 1, 10}, {"b", 9, 2, 50}};
    result::Operation write = read;
    write.name = "write";
    write.operations = 0;
    write.errors = 40;
    write.error_counts = {{"a", 9, 1, 30}, {"c", 9, 3, 4}, {"d", 9, 4, 3}, {"e", 9, 5, 2}, {"f", 9, 6, 1}};
    phase_of(run).operations.push_back(write);
    // 100 failed of 1000: b 50, a 10 + 30, c 4, d 3, and two kinds more.
    expect_in(verdict_of(run, "workers.partial").message,
              "100 of 1000 operations failed (10.0 %): 50 x b, 40 x a, 4 x c, 3 x d, and 2 more kinds.");
}

TEST(WorkersPartial, FewerWorkersThanAskedForAreInvalid) {
    result::Run run = honest_run();
    job_of(run).workers = 3;
    const result::Verdict verdict = verdict_of(run, "workers.partial");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_EQ(verdict.message, "2 of 3 workers ran.");
}

TEST(WorkersPartial, APhaseThatFailedOrHungIsInvalid) {
    for (const auto end : {result::PhaseEnd::failed, result::PhaseEnd::hung}) {
        result::Run run = honest_run();
        phase_of(run).end = end;
        EXPECT_EQ(verdict_of(run, "workers.partial").level, Level::invalid);
    }
    for (const auto end : {result::PhaseEnd::work, result::PhaseEnd::stopped}) {
        result::Run run = honest_run();
        phase_of(run).end = end;
        EXPECT_EQ(verdict_of(run, "workers.partial").level, Level::pass);
    }
}

} // namespace
} // namespace assay::verdict
