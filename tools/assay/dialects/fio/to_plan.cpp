#include "tools/assay/dialects/fio/to_plan.hpp"

#include "core/base/text.hpp"
#include "tools/assay/dialects/fio/plan_job.hpp"
#include "tools/assay/dialects/fio/shared_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay::cli::fio {
namespace {

constexpr std::uint64_t clones_max = 4096; // workers of a plan's job
constexpr std::size_t jobs_max = 1024;     // of a stage
constexpr std::size_t stages_max = 512;    // each may need one more before it, and a plan has 1024
constexpr std::size_t name_bytes_max = 56; // leaves room for a number
constexpr double default_percentiles[] = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

Reporting reporting_of(Settings& settings) {
    Reporting reporting;
    reporting.latency = !settings.on("gtod_reduce");
    reporting.total = reporting.latency && !settings.on("disable_lat");
    reporting.completion = reporting.latency && !settings.on("disable_clat");
    reporting.submission = reporting.latency && !settings.on("disable_slat");
    reporting.lat_percentiles = settings.on("lat_percentiles");
    reporting.clat_percentiles = settings.on("clat_percentiles", true);
    reporting.slat_percentiles = settings.on("slat_percentiles");
    reporting.percentiles.assign(std::begin(default_percentiles), std::end(default_percentiles));
    if (const auto list = settings.text("percentile_list")) {
        reporting.percentiles = settings.take("percentile_list", parse_floats(*list));
        std::sort(reporting.percentiles.begin(), reporting.percentiles.end());
        if (!reporting.percentiles.empty() && reporting.percentiles.back() > 100)
            settings.fail("percentile_list", fmt::format("{:g} lies outside 0 to 100", reporting.percentiles.back()));
    }
    return reporting;
}

class PlanMaker {
public:
    PlanMaker(bool read_only, Invocation& into) : read_only_(read_only), into_(into) {}

    Status section(const Section& section) {
        Settings settings(section, into_.notes);
        const auto numjobs = static_cast<unsigned>(settings.count("numjobs", 1, 1, clones_max));
        const bool wall = settings.on("stonewall");
        if (wall || into_.plan.stages.empty()) begin_stage(section.name);
        if ((wall || settings.on("new_group")) && !into_.jobs.empty()) ++group_;
        const Shape shape = shape_of(settings);
        if (read_only_ && !shape.pattern.empty() && (shape.writes || shape.trims))
            settings.fail("rw", fmt::format("={} writes, which --readonly forbids", shape.rw));
        if (!settings.status().ok()) return settings.status();
        const FileSet files = files_of(settings, shape, numjobs);
        if (!settings.status().ok()) return settings.status();

        Job job;
        job.name = section.name;
        for (const auto& [key, value] : section.own)
            if (key == "name") job.name = value;
        job.options = section.own;
        job.rw = shape.rw;
        job.description = settings.text("description").value_or("");
        job.group_reporting = settings.on("group_reporting");
        job.group = group_;
        job.reporting = reporting_of(settings);
        clones(settings, shape, files, numjobs, job);
        threads_ += numjobs;
        if (into_.plan.stages.size() > stages_max)
            return usage_error(fmt::format("more than {} groups of jobs, one after the other", stages_max));
        if (settings.status().ok() && into_.plan.stages.back().jobs.size() > jobs_max)
            return usage_error(fmt::format("more than {} jobs at a time: use numjobs for equal ones", jobs_max));
        return settings.status();
    }

private:
    // One plan job for all clones, unless each begins at an offset of its own.
    void clones(Settings& settings, const Shape& shape, const FileSet& files, unsigned numjobs, Job& job) {
        Clones clones{numjobs, threads_, 0, 1};
        const std::uint64_t increment = settings.bytes("offset_increment").value_or(0);
        if (settings.share("offset_increment"))
            settings.fail("offset_increment", "as a percentage is not supported: give bytes");
        const bool apart = increment > 0 && numjobs > 1;
        if (increment > region_bytes_max / numjobs)
            return settings.fail("offset_increment", fmt::format("times {} clones is more than 1 EiB", numjobs));
        if (!apart || (files.shared && files.region_bytes == increment && increment % shape.block_bytes == 0)) {
            if (apart) clones.slices = numjobs; // exactly the slices that a split makes
            return add(settings, shape, files, clones, job);
        }
        FileSet one = files;
        clones.count = 1;
        for (unsigned i = 0; i < numjobs && settings.status().ok(); ++i) {
            clones.thread_number = threads_ + i;
            clones.more_offset = increment * i;
            if (!files.shared) {
                one.targets.clear();
                for (std::size_t at = i; at < files.targets.size(); at += numjobs)
                    one.targets.push_back(files.targets[at]);
            }
            add(settings, shape, one, clones, job);
        }
    }

    void add(Settings& settings, const Shape& shape, const FileSet& files, const Clones& clones, Job job) {
        JobPlan plan = plan_job(settings, shape, files, clones);
        plan.name = unique_name(job.name);
        job.numjobs = clones.count;
        if (job.numjobs > 1 && !job.group_reporting) plan.per_worker.text = "yes"; // each clone is an entry of its own
        job.stage = into_.plan.stages.size() - 1;
        job.plan_job = plan.name;
        into_.plan.stages.back().jobs.push_back(std::move(plan));
        into_.jobs.push_back(std::move(job));
    }

    void begin_stage(const std::string& name) {
        StagePlan stage;
        stage.name = name;
        if (!stage_names_.insert(name).second) {
            stage.name = fmt::format("{} ({})", name, into_.plan.stages.size() + 1);
            stage_names_.insert(stage.name);
        }
        into_.plan.stages.push_back(std::move(stage));
        names_.clear();
        last_number_.clear();
    }

    // What a plan allows: at most 64 letters, digits, dashes and underscores, of which '-' and '_' are no difference.
    std::string unique_name(std::string_view name) {
        std::string plain(name.substr(0, name_bytes_max));
        for (char& c : plain) {
            const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
            if (!word) c = '_';
        }
        std::string unique = plain;
        while (!names_.insert(with_underscores(unique)).second)
            unique = fmt::format("{}_{}", plain, ++last_number_[with_underscores(plain)] + 1);
        return unique;
    }

    const bool read_only_;
    Invocation& into_;
    std::set<std::string> stage_names_;
    std::set<std::string> names_;            // of the stage's jobs
    std::map<std::string, int> last_number_; // so that many equal names stay quick
    unsigned group_ = 0;
    unsigned threads_ = 0;
};

} // namespace

Status make_plan(const Sections& sections, bool read_only, Invocation& into) {
    into.global_options = sections.global();
    into.plan.source = "fio";
    PlanMaker maker(read_only, into);
    for (const Section& section : sections.all()) {
        if (Status status = maker.section(section); !status.ok()) {
            const bool file = section.origin.find(':') != std::string::npos;
            return file ? status.wrap(section.origin) : status;
        }
    }
    lay_out_shared_files(into);
    if (!into.jobs.empty()) into.plan.name = into.jobs.front().name;
    return {};
}

} // namespace assay::cli::fio
