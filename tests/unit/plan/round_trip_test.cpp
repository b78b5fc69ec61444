// plan_yaml: what is written reads back as the same plan.
#include "tests/unit/plan/fixture.hpp"

#include <random>

namespace assay {
namespace {

using test::parse;

// Everything a plan says, without positions.
std::string dump(const PlanText& text) {
    std::string result = text.list ? "L<" : "<";
    return result.append(text.text).append(">");
}
std::string dump(const PlanPairs& pairs) {
    std::string result;
    for (const PlanEntry& entry : pairs)
        result += entry.key.text + "=" + dump(entry.value) + ";";
    return result;
}
std::string dump(const std::vector<PlanText>& texts) {
    std::string result;
    for (const PlanText& text : texts)
        result += dump(text) + ",";
    return result;
}
std::string dump(const Plan& plan) {
    std::string result = "name " + plan.name + "\ncontext " + dump(plan.context) + "\n";
    if (plan.samplers) result += "samplers\n";
    for (const SamplerPlan& sampler : plan.samplers.value_or(std::vector<SamplerPlan>()))
        result += " " + dump(sampler.name) + dump(sampler.options) + dump(sampler.select) + "\n";
    for (const StagePlan& stage : plan.stages) {
        result += "stage " + stage.name + " " + dump(stage.time.warmup) + dump(stage.time.measure) +
                  dump(stage.repeat) + "\n";
        for (const JobPlan& job : stage.jobs) {
            result += " job " + job.name + " " + dump(job.workload) + dump(job.targets) + dump(job.options) +
                      dump(job.workers) + dump(job.cpus) + dump(job.start_after) + dump(job.rate) + dump(job.arrival) +
                      dump(job.per_worker) + dump(job.time.warmup) + dump(job.time.measure) + "\n";
        }
        for (const SweepAxis& axis : stage.sweep)
            result += " sweep " + axis.key.text + " " + dump(axis.values) + "\n";
    }
    return result;
}

void expect_round_trip(const Plan& plan) {
    const std::string yaml = plan_yaml(plan);
    const auto again = parse(yaml);
    ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << yaml;
    EXPECT_EQ(dump(*again), dump(plan)) << yaml;
    EXPECT_EQ(plan_yaml(*again), yaml) << "writing is stable";
}

TEST(PlanRoundTrip, AFullPlanComesBackTheSame) {
    const auto plan = parse(R"(name: "nvme: first # run"
context: {layer: node-local, protection: none}
samplers: [host, {ib: {ports: [a, b], select: ["x.*", "y{z=1}"]}}]
stages:
- name: 'yes'
  workload: block
  targets: [/dev/a, "b c", "- d", "null", "~"]
  options: {engine: psync, mix: [4KiB:70, 8KiB:30], title: "", empty: "a, b\n\"c\"\t\\ \u00e4 \U0001F600"}
  workers: 8
  rate: 10k/s
  arrival: poisson
  per_worker: yes
  cpus: [0-3, 8]
  start_after: 1s
  time: {warmup: 5s, measure: 30s}
  repeat: 5
  sweep: {block_size: [4KiB, 64KiB], mix: [[4KiB, 8KiB], 1MiB]}
- jobs:
    oltp: {workload: block, targets: /dev/a, workers: 4, time: {measure: 10s}}
    backup: {workload: block, start_after: 10s}
  sweep: {oltp.block_size: [4KiB]}
- jobs: {block: {workload: block, time: {warmup: 1s}}}
- jobs: {other: {workload: block}}
)");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    expect_round_trip(*plan);
}

TEST(PlanRoundTrip, APlanOfTheCommandLineComesBackTheSame) {
    expect_round_trip(single_job_plan({.workload = "block",
                                       .targets = {"/tmp/a: b", "*x", "&y", "!z", "%a", "@b", "[c]", "{d}"},
                                       .options = {{"title", "- x: {y}"}, {"block_size", "4KiB"}},
                                       .workers = "2",
                                       .cpus = "0-1",
                                       .warmup = "1s",
                                       .measure = "2s",
                                       .repeat = "3"}));
}

std::string random_text(std::mt19937& random, bool comma_allowed) {
    static const std::vector<std::string> kPieces = {
        "a",   "4KiB", "yes", "null", "~",  ":",  ": ",       "#",
        " #",  "-",    "- ",  "'",    "\"", "\\", "\n",       "\t",
        " ",   "{",    "}",   "[",    "]",  "&",  "*",        "!",
        "|",   ">",    "%",   "@",    "`",  ",",  "\xC3\xA4", "\xF0\x9F\x98\x80",
        "0x1", "1e3",  "<<"};
    std::string text;
    const auto count = 1 + random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& piece = kPieces[random() % kPieces.size()];
        if (piece != "," || comma_allowed) text += piece;
    }
    return text.empty() ? "x" : text;
}

PlanText random_value(std::mt19937& random) {
    if (random() % 3 != 0) return {random_text(random, true), 0, 0};
    std::string items = random_text(random, false);
    for (auto i = random() % 3; i > 0; --i)
        items.append(",").append(random_text(random, false));
    return {items, 0, 0, true};
}

JobPlan random_job(std::mt19937& random, const std::string& name) {
    JobPlan job;
    job.name = name;
    job.workload.text = random() % 2 == 0 ? name : random_text(random, true);
    for (auto i = random() % 3; i > 0; --i)
        job.targets.push_back({random_text(random, true), 0, 0});
    for (auto i = random() % 4; i > 0; --i)
        job.options.emplace_back(std::string("key_").append(std::to_string(i)), random_value(random));
    if (random() % 2 == 0) job.workers.text = random_text(random, true);
    if (random() % 2 == 0) job.cpus = random_value(random);
    if (random() % 2 == 0) job.start_after.text = random_text(random, true);
    return job;
}

TEST(PlanRoundTrip, AnyPlanComesBackTheSame) {
    std::mt19937 random(7);
    for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
        Plan plan;
        plan.source = "p.yaml";
        if (random() % 2 == 0) plan.name = random_text(random, true);
        if (random() % 2 == 0) plan.context.emplace_back("layer", PlanText{random_text(random, true), 0, 0});
        for (auto s = 1 + random() % 3; s > 0; --s) {
            StagePlan stage;
            if (random() % 2 == 0) stage.name = random_text(random, true);
            for (auto j = 1 + random() % 3; j > 0; --j) {
                stage.jobs.push_back(random_job(random, std::string("job-").append(std::to_string(j))));
                if (random() % 2 == 0) stage.jobs.back().time.measure.text = random_text(random, true);
            }
            if (random() % 2 == 0) stage.time.warmup.text = random_text(random, true);
            if (random() % 2 == 0) stage.repeat.text = random_text(random, true);
            for (auto a = random() % 3; a > 0; --a) {
                std::vector<PlanText> values;
                for (auto v = 1 + random() % 3; v > 0; --v)
                    values.push_back(random_value(random));
                stage.sweep.emplace_back(
                    std::string(random() % 2 == 0 ? "job_1.key_" : "key_").append(std::to_string(a)),
                    std::move(values));
            }
            plan.stages.push_back(std::move(stage));
        }
        expect_round_trip(plan);
    }
}

} // namespace
} // namespace assay
