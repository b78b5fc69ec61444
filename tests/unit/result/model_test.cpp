#include "core/result/model.hpp"

#include "tests/unit/result/sample_run.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace assay::result {
namespace {

TEST(ResultModel, NamesAnErrnoByItsSymbolAndItsEnglishText) {
    EXPECT_EQ(error_text(1, EIO), "EIO (Input/output error)");
    EXPECT_EQ(error_text(1, ENOSPC), "ENOSPC (No space left on device)");
}

TEST(ResultModel, NamesErrorsThatAreNoErrno) {
    EXPECT_EQ(error_text(2, 0), "short transfer");
    EXPECT_EQ(error_text(UINT32_MAX, 0), "other");
    EXPECT_EQ(error_text(0x1000, 7), "error domain 4096 code 7");
}

TEST(ResultModel, PrintsTheNumberOfAnErrnoThatDoesNotExist) {
    EXPECT_EQ(error_text(1, 60000), "errno 60000");
    EXPECT_EQ(error_text(1, UINT32_MAX), "errno 4294967295");
}

TEST(ResultModel, TheWorstLevelIsTheWorstOfAnyRepeat) {
    result::Run run = sample_run();
    EXPECT_EQ(worst_level(run), Level::suspect);
    run.stages[0].points[0].repeats.push_back({{}, {Verdict{}, Verdict{}}});
    run.stages[0].points[0].repeats[1].verdicts[1].level = Level::invalid;
    EXPECT_EQ(worst_level(run), Level::invalid);
    EXPECT_EQ(worst_level(result::Run{}), Level::pass);
}

TEST(ResultModel, UnknownEvidenceIsWorseThanANoteAndBetterThanASuspicion) {
    EXPECT_LT(Level::note, Level::unknown);
    EXPECT_LT(Level::unknown, Level::suspect);
}

TEST(ResultModel, FindsAFactAndAnOptionByTheirKey) {
    const Job job = sample_job();
    ASSERT_NE(job.fact("integer"), nullptr);
    EXPECT_EQ(std::get<std::int64_t>(job.fact("integer")->value), -5);
    EXPECT_EQ(job.fact("integ"), nullptr);
    ASSERT_NE(job.option("engine"), nullptr);
    EXPECT_EQ(*job.option("engine"), "io_uring");
    EXPECT_EQ(job.option("engin"), nullptr);
}

} // namespace
} // namespace assay::result
