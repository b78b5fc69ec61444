#include "core/verdict/check.hpp"

#include <fmt/format.h>

#include <iterator>

namespace assay::verdict {

void judge(result::Run& run, std::size_t stage, std::size_t point, std::size_t repeat) {
    result::Repeat& judged = run.stages[stage].points[point].repeats[repeat];
    std::vector<result::Verdict> verdicts;
    for (const result::Job& job : judged.jobs) {
        const JobView view{
            run, judged, job,
            fmt::format("stage {}, point {}, repeat {}, job {}", stage + 1, point + 1, repeat + 1, job.name)};
        for (const Check& check : catalogue()) {
            std::vector<result::Verdict> found = check.judge(view);
            verdicts.insert(verdicts.end(), std::make_move_iterator(found.begin()),
                            std::make_move_iterator(found.end()));
        }
    }
    judged.verdicts = std::move(verdicts);
}

void judge(result::Run& run) {
    for (std::size_t stage = 0; stage < run.stages.size(); ++stage)
        for (std::size_t point = 0; point < run.stages[stage].points.size(); ++point)
            for (std::size_t repeat = 0; repeat < run.stages[stage].points[point].repeats.size(); ++repeat)
                judge(run, stage, point, repeat);
}

int exit_code(const result::Run& run, bool strict) {
    for (const result::Stage& stage : run.stages)
        for (const result::Point& point : stage.points)
            for (const result::Repeat& repeat : point.repeats)
                for (const result::Job& job : repeat.jobs)
                    if (!job.failure.empty()) return 3;
    const result::Level worst = result::worst_level(run);
    if (worst == result::Level::invalid) return 5;
    return worst == result::Level::suspect && strict ? 4 : 0;
}

} // namespace assay::verdict
