// Expected: fio 3.33's job options and global options for the same command lines (its JSON output).
#include "tests/unit/fio/support.hpp"

namespace assay::cli::fio {
namespace {

class FioCommandLine : public FioTest {};

TEST_F(FioCommandLine, OneDashTwoDashesAndASpaceAreTheSame) {
    const JobPlan equals = single({"--bs=8k"});
    EXPECT_EQ(option(equals, "block_size"), "8KiB");
    EXPECT_EQ(option(single({"-bs=8k"}), "block_size"), "8KiB");
    EXPECT_EQ(option(single({"--bs", "8k"}), "block_size"), "8KiB");
    EXPECT_EQ(option(single({"-bs", "8k"}), "block_size"), "8KiB");
}

TEST_F(FioCommandLine, OptionsBeforeTheFirstNameHoldForAllJobs) {
    const CommandLine line = parse({"--size=64k", "--bs=16k", "--name=c", "--rw=write", "--name=d"});
    EXPECT_EQ(line.invocation.global_options, (Pairs{{"size", "64k"}, {"bs", "16k"}}));
    ASSERT_EQ(line.invocation.jobs.size(), 2U);
    EXPECT_EQ(line.invocation.jobs[0].options, (Pairs{{"name", "c"}, {"rw", "write"}}));
    EXPECT_EQ(line.invocation.jobs[1].options, (Pairs{{"name", "d"}}));
    EXPECT_EQ(option(job(line, 0, 0), "pattern"), "write");
    EXPECT_EQ(option(job(line, 0, 1), "pattern"), "read");
    EXPECT_EQ(option(job(line, 0, 1), "block_size"), "16KiB");
}

TEST_F(FioCommandLine, OptionsAfterAJobFileHoldForAllItsSections) {
    const std::string file = write("a.fio", "[global]\nsize=1m\n[a]\nfilename=f\n[b]\nfilename=g\n");
    const CommandLine line = parse({file, "--numjobs=3"});
    EXPECT_EQ(job(line, 0, 0).workers.text, "3");
    EXPECT_EQ(job(line, 0, 1).workers.text, "3");
}

TEST_F(FioCommandLine, WhatTheFileSaysCountsMoreThanTheCommandLinesGlobalOptions) {
    const std::string file =
        write("a.fio", "[global]\nsize=1m\nnumjobs=2\n[a]\nfilename=f\n[b]\nfilename=g\nnumjobs=4\n");
    const CommandLine line = parse({file, "--numjobs=3", "--bs=8k"});
    EXPECT_EQ(line.invocation.global_options, (Pairs{{"numjobs", "2"}, {"bs", "8k"}, {"size", "1m"}}));
    EXPECT_EQ(job(line, 0, 0).workers.text, "2");
    EXPECT_EQ(job(line, 0, 1).workers.text, "4");
}

TEST_F(FioCommandLine, JobsOfTheCommandLineComeBeforeThoseOfTheFile) {
    const std::string file = write("a.fio", "[global]\nbs=8k\nsize=1m\n[a]\nfilename=f\n");
    const CommandLine line = parse({file, "--name=c", "--filename=g", "--size=64k"});
    ASSERT_EQ(line.invocation.jobs.size(), 2U);
    EXPECT_EQ(line.invocation.jobs[0].name, "c");
    EXPECT_EQ(option(job(line, 0, 0), "block_size"), "4KiB");
    EXPECT_EQ(line.invocation.jobs[1].name, "a");
}

TEST_F(FioCommandLine, TheLastValueOfAnOptionCountsInThePlaceOfTheFirst) {
    const CommandLine line = parse({"--name=x", "--filename=f", "--bs=8k", "--size=1m", "--blocksize=4k"});
    EXPECT_EQ(line.invocation.jobs[0].options, (Pairs{{"name", "x"}, {"filename", "f"}, {"bs", "4k"}, {"size", "1m"}}));
}

TEST_F(FioCommandLine, ASwitchTakesAValueAfterTheEqualsSignOnly) {
    refused({"--name=x", "--size=1m", "--runtime=1", "--time_based", "1"}, {"\"1\"", "No such file"});
    EXPECT_EQ(option(single({"--norandommap", "--rw=randread"}), "random_map"), "free");
    EXPECT_EQ(option(single({"--norandommap=0", "--rw=randread"}), "random_map"), "");
}

TEST_F(FioCommandLine, UnknownOptionsAreNamedWithTheNearestOne) {
    refused_job({"--iodpth=4"}, {"--iodpth", "iodepth"});
    refused_job({"--output-fromat=json"}, {"--output-fromat", "output-format"});
}

TEST_F(FioCommandLine, AnOptionWithoutItsValueIsAnError) {
    refused_job({"--bs"}, {"--bs needs a value"});
    refused_job({"--iodepth", "--direct=1"}, {"--iodepth needs a value"});
    refused_job({"--output"}, {"--output needs a value"});
    refused_job({"--parse-only=1"}, {"--parse-only takes no value"});
}

TEST_F(FioCommandLine, NoJobIsAnError) {
    refused({}, {"no job"});
    refused({"--bs=4k"}, {"no job", "--name"});
}

TEST_F(FioCommandLine, OutputFormatsAreAListWithoutRepeats) {
    const auto formats = [&](const std::string& value) {
        return parse({"--name=x", "--size=1m", "--output-format=" + value}).invocation.formats;
    };
    EXPECT_EQ(formats("json"), (std::vector<Format>{Format::json}));
    EXPECT_EQ(formats("json+,normal,json+"), (std::vector<Format>{Format::json_plus, Format::normal}));
    EXPECT_EQ(parse({"--name=x", "--size=1m", "--minimal"}).invocation.formats, (std::vector<Format>{Format::terse}));
    refused_job({"--output-format=xml"}, {"\"xml\"", "json"});
}

TEST_F(FioCommandLine, WhatTheCommandLineSaysOfTheRunIsKept) {
    const CommandLine line = parse({"--name=x", "--size=1m", "--output=out", "--eta=never", "--parse-only",
                                    "--assay-output=dir", "--verdict-exit=off"});
    EXPECT_EQ(line.invocation.output, "out");
    EXPECT_EQ(line.eta, Eta::never);
    EXPECT_TRUE(line.invocation.parse_only);
    EXPECT_EQ(line.bundle_directory, "dir");
    EXPECT_EQ(line.verdict_exit, false);
    refused_job({"--eta=later"}, {"\"later\""});
    refused_job({"--verdict-exit=maybe"}, {"\"maybe\""});
}

TEST_F(FioCommandLine, ReadOnlyRefusesJobsThatWrite) {
    refused_job({"--readonly", "--rw=randrw"}, {"randrw", "--readonly"});
    refused_job({"--readonly", "--rw=trim"}, {"--readonly"});
    EXPECT_EQ(option(single({"--readonly"}), "pattern"), "read");
}

TEST_F(FioCommandLine, SectionsCanBePicked) {
    const std::string file = write("a.fio", "[global]\nsize=1m\n[a]\nfilename=f\n[b]\nfilename=g\n");
    const CommandLine line = parse({file, "--section=b"});
    ASSERT_EQ(line.invocation.jobs.size(), 1U);
    EXPECT_EQ(line.invocation.jobs[0].name, "b");
    refused({file, "--section=c"}, {"\"c\""});
}

TEST_F(FioCommandLine, WhatRunsOnOtherHostsIsRefused) {
    refused({"--client=host", "a.fio"}, {"--client", "not supported"});
    refused({"--server=a"}, {"--server", "not supported"});
    refused({"--server"}, {"--server", "not supported"});
}

TEST_F(FioCommandLine, ShowcmdPrintsWhatFioPrints) {
    // `fio --showcmd` of the same file.
    const std::string file = write("u.fio",
                                   "[x]\nsize=1m\nrw=read\nbsrange=4k-8k\nstonewall\n[global]\nbs=64k\n"
                                   "[y]\nsize=1m\nthread\n");
    EXPECT_EQ(command_text(parse({"--showcmd", file}).sections),
              "fio --bs=64k --name=x --size=1m --rw=read --bsrange=4k-8k --stonewall --name=y --size=1m --thread ");
}

TEST_F(FioCommandLine, EnvironmentVariablesAreReplaced) {
    setenv("ASSAY_FIO_TEST_BLOCK", "32k", 1);
    EXPECT_EQ(option(single({"--bs=${ASSAY_FIO_TEST_BLOCK}"}), "block_size"), "32KiB");
    unsetenv("ASSAY_FIO_TEST_BLOCK");
    refused_job({"--bs=${ASSAY_FIO_TEST_BLOCK}"}, {"ASSAY_FIO_TEST_BLOCK"});
}

} // namespace
} // namespace assay::cli::fio
