#include "tools/assay/dialects/fio/shared_files.hpp"

#include "core/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <sys/stat.h>

namespace assay::cli::fio {
namespace {

constexpr const char* smallest_block = "512B"; // the stage must do something; it is no measurement

struct Wanted {
    int jobs = 0;
    std::int64_t bytes = 0;
    bool read = false;
    bool may_make = true;
};

std::string option(const JobPlan& job, std::string_view key) {
    for (const PlanEntry& entry : job.options)
        if (entry.key.text == key) return entry.value.text;
    return "";
}

std::int64_t bytes_of(const JobPlan& job, std::string_view key) {
    return parse_size(option(job, key)).ok() ? *parse_size(option(job, key)) : 0;
}

// Missing files that more than one job of the stage works on, and how long they have to be.
std::map<std::string, Wanted> shared_files(const StagePlan& stage, std::set<std::string>& seen) {
    std::map<std::string, Wanted> files;
    for (const JobPlan& job : stage.jobs) {
        const std::int64_t end = bytes_of(job, "offset") + bytes_of(job, "size");
        const std::string pattern = option(job, "pattern");
        for (const PlanText& target : job.targets) {
            Wanted& file = files[target.text];
            ++file.jobs;
            file.bytes = std::max(file.bytes, end);
            file.read = file.read || (pattern != "write" && pattern != "randwrite");
            file.may_make = file.may_make && option(job, "layout") != "never";
        }
    }
    std::erase_if(files, [&](const auto& entry) {
        struct stat info {};
        const bool made_before = !seen.insert(entry.first).second || stat(entry.first.c_str(), &info) == 0;
        return made_before || entry.second.jobs < 2 || entry.second.bytes < 512 || !entry.second.may_make;
    });
    return files;
}

StagePlan layout_stage(const std::map<std::string, Wanted>& files, const std::string& before) {
    StagePlan stage;
    stage.name = fmt::format("files of {}", before);
    for (const auto& [path, file] : files) {
        JobPlan job;
        job.name = fmt::format("layout_{}", stage.jobs.size() + 1);
        job.workload.text = "block";
        job.targets.push_back({path, 0, 0});
        const std::pair<const char*, std::string> options[] = {
            {"engine", "psync"},
            {"direct", "no"},
            {"pattern", file.read ? "read" : "write"},
            {"block_size", smallest_block},
            {"amount", smallest_block},
            {"size", size_text(static_cast<std::uint64_t>(file.bytes))}};
        for (const auto& [key, value] : options)
            job.options.emplace_back(key, PlanText{value, 0, 0});
        stage.jobs.push_back(std::move(job));
    }
    return stage;
}

} // namespace

void lay_out_shared_files(Invocation& invocation) {
    std::vector<StagePlan>& stages = invocation.plan.stages;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto files = shared_files(stages[i], seen);
        if (files.empty()) continue;
        stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(i), layout_stage(files, stages[i].name));
        for (Job& job : invocation.jobs)
            if (job.stage >= i) ++job.stage;
        ++i;
    }
}

std::vector<bool> stages_of_jobs(const Invocation& invocation) {
    std::vector<bool> used(invocation.plan.stages.size(), false);
    for (const Job& job : invocation.jobs)
        used.at(job.stage) = true;
    return used;
}

} // namespace assay::cli::fio
