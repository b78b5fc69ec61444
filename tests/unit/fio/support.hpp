// A scratch directory and shorthands for the tests of the fio dialect.
#pragma once

#include "core/base/units.hpp"
#include "tools/assay/dialects/fio/command_line.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace assay::cli::fio {

class FioTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "assay-fio-XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }

    // Fails the test if the arguments are refused.
    static CommandLine parse(const std::vector<std::string>& arguments) {
        Result<CommandLine> line = parse_command_line(arguments);
        EXPECT_TRUE(line.ok()) << line.status().message();
        return line ? std::move(*line) : CommandLine();
    }

    // The message of a refusal, which has each of `words`.
    static std::string refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
        const Result<CommandLine> line = parse_command_line(arguments);
        EXPECT_FALSE(line.ok());
        std::string message = line.status().message();
        for (const std::string& word : words)
            EXPECT_NE(message.find(word), std::string::npos) << word << " in " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
        return message;
    }

    static const JobPlan& job(const CommandLine& line, std::size_t stage = 0, std::size_t index = 0) {
        return line.invocation.plan.stages.at(stage).jobs.at(index);
    }

    // "" where the plan does not give it.
    static std::string option(const JobPlan& job, const std::string& key) {
        for (const PlanEntry& entry : job.options)
            if (entry.key.text == key) return entry.value.text;
        return "";
    }

    // The options of one job that `more` describes, beside a name, a file and a size.
    static JobPlan single(std::vector<std::string> more) {
        more.insert(more.begin(), {"--name=x", "--filename=f", "--size=1m"});
        const CommandLine line = parse(more);
        return line.invocation.plan.stages.empty() ? JobPlan() : job(line);
    }

    static std::string refused_job(std::vector<std::string> more, const std::vector<std::string>& words) {
        more.insert(more.begin(), {"--name=x", "--filename=f", "--size=1m"});
        return refused(more, words);
    }

private:
    std::string directory_;
};

} // namespace assay::cli::fio
