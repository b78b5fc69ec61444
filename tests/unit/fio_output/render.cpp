// fio_render FORMAT RESULT_JSON [key=value ...]: a stored result in fio's words, as if it were asked for by jobs named
// like the result's. Keys: group_reporting, numjobs, lat_percentiles, description, and any other for the job options.
#include "core/result/io.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using namespace assay;

cli::fio::Invocation invocation_of(const result::Run& run, int count, char** words) {
    cli::fio::Invocation invocation;
    for (std::size_t stage = 0; stage < run.stages.size(); ++stage) {
        for (const result::Job& ran : run.stages[stage].points.at(0).repeats.at(0).jobs) {
            cli::fio::Job job;
            job.name = ran.name;
            job.plan_job = ran.name;
            job.stage = stage;
            job.group = static_cast<unsigned>(stage);
            job.numjobs = ran.workers;
            for (int at = 0; at < count; ++at) {
                const std::string word = words[at];
                const std::string key = word.substr(0, word.find('='));
                const std::string value = word.substr(key.size() + 1);
                if (key == "group_reporting")
                    job.group_reporting = true;
                else if (key == "lat_percentiles")
                    job.reporting.lat_percentiles = true;
                else if (key == "gtod_reduce")
                    job.reporting.latency = false;
                else if (key == "description")
                    job.description = value;
                job.options.emplace_back(key, value);
            }
            invocation.jobs.push_back(std::move(job));
        }
    }
    return invocation;
}

} // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::cerr << "usage: fio_render json|json+|normal|terse RESULT_JSON [key=value ...]\n";
        return 2;
    }
    std::ifstream file(words[2]);
    std::stringstream text;
    text << file.rdbuf();
    const Result<result::Run> run = result::from_json(text.str());
    if (!run) {
        std::cerr << words[2] << ": " << run.status().message() << "\n";
        return 3;
    }
    const std::string format = words[1];
    const cli::fio::Invocation invocation = invocation_of(*run, count - 3, words + 3);
    if (format == "normal")
        std::cout << cli::fio::to_normal(invocation, *run);
    else if (format == "terse")
        std::cout << cli::fio::to_terse(invocation, *run);
    else
        std::cout << cli::fio::to_json(invocation, *run, format == "json+");
    return 0;
}
