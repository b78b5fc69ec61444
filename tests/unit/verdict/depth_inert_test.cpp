#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

result::Run run_with(std::int64_t requested, std::int64_t effective, const std::string& engine, std::uint32_t workers) {
    result::Run run = honest_run();
    result::Job& job = job_of(run);
    set_fact(job, "requested_queue_depth", requested);
    set_fact(job, "effective_queue_depth", effective);
    job.options[0].second = engine;
    job.workers = workers;
    return run;
}

TEST(DepthInert, PsyncWithADepthOf64SaysWhatIsInFlight) {
    result::Run run = run_with(64, 1, "psync", 8);
    set_fact(job_of(run), "synchronous_engine", true);
    const result::Verdict verdict = verdict_of(run, "depth.inert");
    EXPECT_EQ(verdict.level, Level::suspect);
    EXPECT_EQ(verdict.message, "queue_depth 64 with psync is 1. 8 workers = 8 in flight, not 512.");
    EXPECT_EQ(verdict.arithmetic, "8 workers x 1 = 8 in flight; 8 workers x 64 = 512 asked for");
    expect_in(verdict.remedy, "512 workers, or report 8 in flight");
}

TEST(DepthInert, BufferedLibaioIsNamedAsSuch) {
    result::Run run = run_with(32, 1, "libaio", 1);
    set_fact(job_of(run), "direct_in_force", false);
    EXPECT_EQ(verdict_of(run, "depth.inert").message,
              "queue_depth 32 with buffered libaio is 1. 1 worker = 1 in flight, not 32.");
}

TEST(DepthInert, AQueueThatHoldsLessThanAskedForIsANoteUntilItHoldsOne) {
    result::Run just = run_with(16, 16, "io_uring", 2);
    EXPECT_EQ(verdict_of(just, "depth.inert").level, Level::pass);
    result::Run below = run_with(128, 32, "libaio", 2);
    const result::Verdict verdict = verdict_of(below, "depth.inert");
    EXPECT_EQ(verdict.level, Level::note);
    EXPECT_EQ(verdict.message, "queue_depth 128 with libaio is 32 (io_uring). 2 workers = 64 in flight, not 256.")
        << "with the source of the fact";
    result::Run two = run_with(2, 1, "libaio", 2);
    EXPECT_EQ(verdict_of(two, "depth.inert").level, Level::suspect);
}

TEST(DepthInert, PsyncAtDepthOneIsHonest) {
    result::Run run = run_with(1, 1, "psync", 8);
    set_fact(job_of(run), "synchronous_engine", true);
    EXPECT_EQ(verdict_of(run, "depth.inert").level, Level::pass);
}

TEST(DepthInert, ASynchronousEngineNeedsNoFurtherEvidence) {
    result::Run run = run_with(4, 1, "psync", 2);
    drop_fact(job_of(run), "effective_queue_depth");
    set_fact(job_of(run), "synchronous_engine", true);
    expect_in(verdict_of(run, "depth.inert").message, "is 1. 2 workers = 2 in flight, not 8.");
}

TEST(DepthInert, WithoutAnEffectiveDepthNothingIsKnown) {
    result::Run run = run_with(4, 1, "io_uring", 2);
    drop_fact(job_of(run), "effective_queue_depth");
    EXPECT_EQ(verdict_of(run, "depth.inert").level, Level::unknown);
    set_fact(job_of(run), "requested_queue_depth", std::int64_t{1});
    EXPECT_TRUE(verdicts_of(run, "depth.inert").empty());
}

TEST(DepthInert, DoesNotApplyToAWorkloadWithoutADepth) {
    result::Run run = honest_run();
    drop_fact(job_of(run), "requested_queue_depth");
    EXPECT_TRUE(verdicts_of(run, "depth.inert").empty());
}

} // namespace
} // namespace assay::verdict
