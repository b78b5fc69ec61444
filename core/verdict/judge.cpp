#include "core/verdict/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace assay::verdict {

namespace {

// What these find in a run's first seconds is gone at its end, or the other way round.
constexpr std::string_view only_at_the_end[] = {"phase.empty", "phase.short", "little.law", "closed.loop"};

std::vector<result::Verdict> judged(const result::Run& run, const result::Repeat& repeat, const std::string& where,
                                    bool over) {
    std::vector<result::Verdict> verdicts;
    for (const result::Job& job : repeat.jobs) {
        const JobView view{run, repeat, job, fmt::format("{}job {}", where, job.name)};
        for (const Check& check : catalogue()) {
            if (!over && std::count(std::begin(only_at_the_end), std::end(only_at_the_end), check.id) > 0) continue;
            std::vector<result::Verdict> found = check.judge(view);
            verdicts.insert(verdicts.end(), std::make_move_iterator(found.begin()),
                            std::make_move_iterator(found.end()));
        }
    }
    return verdicts;
}

} // namespace

void judge(result::Run& run, std::size_t stage, std::size_t point, std::size_t repeat) {
    result::Repeat& over = run.stages[stage].points[point].repeats[repeat];
    over.verdicts =
        judged(run, over, fmt::format("stage {}, point {}, repeat {}, ", stage + 1, point + 1, repeat + 1), true);
}

std::vector<result::Verdict> judge_so_far(const result::Run& run, const result::Repeat& repeat) {
    return judged(run, repeat, "", false);
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
