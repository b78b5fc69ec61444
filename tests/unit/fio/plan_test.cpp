// What fio's options become in a plan. Expected: fio's documentation, and Debian's fio 3.33 on the same jobs.
#include "tests/unit/fio/support.hpp"

namespace assay::cli::fio {
namespace {

class FioPlan : public FioTest {};

TEST_F(FioPlan, DefaultsAreFios) {
    const JobPlan plan = single({});
    EXPECT_EQ(plan.workload.text, "block");
    ASSERT_EQ(plan.targets.size(), 1U);
    EXPECT_EQ(plan.targets[0].text, "f");
    EXPECT_EQ(option(plan, "engine"), "psync");
    EXPECT_EQ(option(plan, "direct"), "no");
    EXPECT_EQ(option(plan, "pattern"), "read");
    EXPECT_EQ(option(plan, "block_size"), "4KiB");
    EXPECT_EQ(option(plan, "queue_depth"), "1");
    EXPECT_EQ(option(plan, "size"), "1MiB");
    EXPECT_EQ(option(plan, "amount"), "") << "one pass";
    EXPECT_EQ(plan.workers.text, "1");
    EXPECT_EQ(plan.time.measure.text, "");
}

TEST_F(FioPlan, EveryDirectionHasItsPattern) {
    const std::vector<std::pair<std::string, std::string>> all = {
        {"read", "read"},           {"write", "write"},  {"randread", "randread"},
        {"randwrite", "randwrite"}, {"rw", "readwrite"}, {"readwrite", "readwrite"},
        {"randrw", "randrw"},       {"trim", "trim"},    {"randtrim", "randtrim"}};
    for (const auto& [rw, pattern] : all)
        EXPECT_EQ(option(single({"--rw=" + rw}), "pattern"), pattern);
}

TEST_F(FioPlan, SynchronousEnginesHaveOneRequestAtATime) {
    for (const char* engine : {"sync", "psync", "vsync", "pvsync", "pvsync2"}) {
        const JobPlan plan = single({std::string("--ioengine=") + engine, "--iodepth=64"});
        EXPECT_EQ(option(plan, "engine"), "psync");
        EXPECT_EQ(option(plan, "queue_depth"), "1");
    }
    EXPECT_EQ(option(single({"--ioengine=libaio", "--iodepth=64"}), "queue_depth"), "64");
    const CommandLine line = parse({"--name=x", "--size=1m", "--iodepth=64"});
    ASSERT_EQ(line.invocation.notes.size(), 1U);
    EXPECT_NE(line.invocation.notes[0].find("iodepth=64"), std::string::npos);
}

TEST_F(FioPlan, DirectIsTheOppositeOfBuffered) {
    EXPECT_EQ(option(single({"--direct=1"}), "direct"), "yes");
    EXPECT_EQ(option(single({"--buffered=0"}), "direct"), "yes");
    EXPECT_EQ(option(single({"--buffered=1"}), "direct"), "no");
    refused_job({"--direct=1", "--buffered=1"}, {"direct", "buffered"});
}

TEST_F(FioPlan, ClonesShareTheFilesThatAreNamed) {
    const JobPlan plan = single({"--numjobs=4"});
    EXPECT_EQ(plan.workers.text, "4");
    EXPECT_EQ(option(plan, "share"), "shared");
    EXPECT_EQ(option(plan, "size"), "1MiB") << "each clone covers all of it";
}

TEST_F(FioPlan, ASizeIsDividedOverTheFilesOfAClone) {
    const CommandLine line = parse({"--name=x", "--filename=f:g\\:h:i", "--size=3m", "--directory=d"});
    const JobPlan& plan = job(line);
    ASSERT_EQ(plan.targets.size(), 3U);
    EXPECT_EQ(plan.targets[1].text, "d/g:h");
    EXPECT_EQ(option(plan, "size"), "1MiB");
}

TEST_F(FioPlan, DefaultNamesAreOneFileForEachCloneAndNumberTheFirstFilesFirst) {
    // Worker w of a job gets the targets w, w + workers, ..: clone 0 has x.0.0 and x.0.1.
    const CommandLine line = parse({"--name=x", "--size=8k", "--numjobs=2", "--nrfiles=2"});
    const JobPlan& plan = job(line);
    ASSERT_EQ(plan.targets.size(), 4U);
    EXPECT_EQ(plan.targets[0].text, "x.0.0");
    EXPECT_EQ(plan.targets[1].text, "x.1.0");
    EXPECT_EQ(plan.targets[2].text, "x.0.1");
    EXPECT_EQ(plan.targets[3].text, "x.1.1");
    EXPECT_EQ(option(plan, "share"), "split");
    EXPECT_EQ(option(plan, "size"), "4KiB");
    const CommandLine formatted = parse({"--name=x", "--size=8k", "--filename_format=t-$jobnum"});
    EXPECT_EQ(job(formatted).targets[0].text, "t-0");
}

TEST_F(FioPlan, SeveralDirectoriesAreDealtOverTheClones) {
    const CommandLine line = parse({"--name=x", "--size=8k", "--numjobs=3", "--directory=a:b"});
    EXPECT_EQ(job(line).targets[0].text, "a/x.0.0");
    EXPECT_EQ(job(line).targets[1].text, "b/x.1.0");
    EXPECT_EQ(job(line).targets[2].text, "a/x.2.0");
}

TEST_F(FioPlan, LoopsAndIoSizeAreAmounts) {
    EXPECT_EQ(option(single({"--loops=3"}), "amount"), "3MiB");
    EXPECT_EQ(option(single({"--io_size=100k"}), "amount"), "100KiB");
    EXPECT_EQ(option(single({"--io_size=100k", "--loops=2"}), "amount"), "200KiB");
    EXPECT_EQ(option(single({"--number_ios=10", "--bs=8k"}), "amount"), "80KiB");
    // 256 blocks of 4 KiB fit into a megabyte, 85 of 12 KiB.
    EXPECT_EQ(option(single({"--bs=12k", "--loops=2"}), "amount"), size_text(2 * 85 * 12288));
}

TEST_F(FioPlan, AFilesizeIsOfEachFileAndSizeTheWork) {
    EXPECT_EQ(option(single({"--filesize=4m"}), "size"), "4MiB");
    EXPECT_EQ(option(single({"--filesize=4m"}), "amount"), "1MiB");
    EXPECT_EQ(option(single({"--filesize=512k"}), "amount"), "") << "a pass over the file is less than size";
}

TEST_F(FioPlan, RuntimeIsABoundOnTheWorkUnlessTimeBased) {
    const JobPlan bound = single({"--runtime=10"});
    EXPECT_EQ(bound.time.measure.text, "10000000us");
    EXPECT_EQ(option(bound, "amount"), "1MiB");
    const JobPlan timed = single({"--runtime=10", "--time_based", "--loops=3"});
    EXPECT_EQ(timed.time.measure.text, "10000000us");
    EXPECT_EQ(option(timed, "amount"), "");
}

TEST_F(FioPlan, RampTimeIsWarmupAndStartdelayADelay) {
    const JobPlan plan = single({"--ramp_time=500ms", "--startdelay=2", "--runtime=1", "--time_based"});
    EXPECT_EQ(plan.time.warmup.text, "500000us");
    EXPECT_EQ(plan.start_after.text, "2000000us");
}

TEST_F(FioPlan, StonewallBeginsAStageAndAGroup) {
    const std::string file =
        write("a.fio",
              "[global]\nsize=1m\nfilename=f\n[a]\n[b]\nfilename=g\n[c]\nstonewall\n[d]\nnew_group\n"
              "filename=g\n");
    const CommandLine line = parse({file});
    ASSERT_EQ(line.invocation.plan.stages.size(), 2U);
    EXPECT_EQ(line.invocation.plan.stages[0].jobs.size(), 2U);
    EXPECT_EQ(line.invocation.plan.stages[1].jobs.size(), 2U);
    const auto& jobs = line.invocation.jobs;
    EXPECT_EQ((std::vector<unsigned>{jobs[0].group, jobs[1].group, jobs[2].group, jobs[3].group}),
              (std::vector<unsigned>{0, 0, 1, 2}));
    EXPECT_EQ(jobs[3].stage, 1U);
    EXPECT_EQ(jobs[3].plan_job, "d");
    EXPECT_NE(line.invocation.plan.stages[0].name, line.invocation.plan.stages[1].name);
}

TEST_F(FioPlan, SectionsOfOneNameAreJobsOfTwoNamesThatAPlanAllows) {
    const CommandLine line =
        parse({"--name=a b", "--filename=f", "--size=1m", "--name=a b", "--filename=g", "--size=1m"});
    EXPECT_EQ(line.invocation.jobs[0].plan_job, "a_b");
    EXPECT_EQ(line.invocation.jobs[1].plan_job, "a_b_2");
    EXPECT_EQ(line.invocation.jobs[1].name, "a b");
    const Result<Plan> again = parse_plan(plan_yaml(line.invocation.plan), "p.yaml", {});
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(again->stages[0].jobs[1].targets[0].text, "g");
}

TEST_F(FioPlan, StagesOfOneNameAreToldApart) {
    const CommandLine line = parse({"--size=1m", "--stonewall", "--name=a", "--name=a", "--name=b"});
    const auto& stages = line.invocation.plan.stages;
    ASSERT_EQ(stages.size(), 3U);
    EXPECT_EQ(stages[0].name, "a");
    EXPECT_EQ(stages[1].name, "a (2)");
    EXPECT_EQ(stages[2].name, "b");
}

TEST_F(FioPlan, TheMixIsAShareOfReads) {
    EXPECT_EQ(option(single({"--rw=randrw"}), "read_share"), "50%");
    EXPECT_EQ(option(single({"--rw=randrw", "--rwmixread=70"}), "read_share"), "70%");
    EXPECT_EQ(option(single({"--rw=randrw", "--rwmixwrite=70"}), "read_share"), "30%");
    EXPECT_EQ(option(single({"--rw=read", "--rwmixread=70"}), "read_share"), "");
}

TEST_F(FioPlan, BlockSizesAreThoseOfTheJobsDirection) {
    EXPECT_EQ(option(single({"--bs=1k,2k,4k"}), "block_size"), "1KiB");
    EXPECT_EQ(option(single({"--bs=1k,2k,4k", "--rw=write"}), "block_size"), "2KiB");
    EXPECT_EQ(option(single({"--bs=,2k", "--rw=read"}), "block_size"), "4KiB");
    refused_job({"--bs=4k,8k", "--rw=randrw"}, {"bs", "\"4k,8k\""});
    refused_job({"--bs=100"}, {"bs", "512"});
}

TEST_F(FioPlan, ARangeIsEveryMultipleOfItsLowerBoundEquallyOften) {
    EXPECT_EQ(option(single({"--bsrange=4k-16k"}), "block_size_mix"), "4KiB:1,8KiB:1,12KiB:1,16KiB:1");
    EXPECT_EQ(option(single({"--bsrange=4k-4k"}), "block_size"), "4KiB");
    refused_job({"--bsrange=3k-9k"}, {"bsrange", "power of two"});
    refused_job({"--bsrange=4k-1m"}, {"bsrange", "64"});
}

TEST_F(FioPlan, ASplitIsWeights) {
    EXPECT_EQ(option(single({"--bssplit=4k/10:64k/90"}), "block_size_mix"), "4KiB:10,64KiB:90");
    refused_job({"--bssplit=4k/50:6k/50"}, {"bssplit", "multiple"});
    refused_job({"--bssplit=4k/50:8k/50", "--bsrange=4k-8k"}, {"bssplit", "bsrange"});
}

TEST_F(FioPlan, RandomOrderIsAPassUnlessTheMapIsOff) {
    EXPECT_EQ(option(single({"--rw=randread"}), "random_map"), "");
    EXPECT_EQ(option(single({"--rw=randread", "--norandommap"}), "random_map"), "free");
    EXPECT_EQ(option(single({"--rw=read", "--norandommap"}), "random_map"), "");
}

TEST_F(FioPlan, DistributionsHaveTheirParameters) {
    const auto with = [&](const std::string& value) {
        return single({"--rw=randread", "--random_distribution=" + value});
    };
    EXPECT_EQ(option(with("random"), "distribution"), "");
    EXPECT_EQ(option(with("zipf:1.2"), "zipf_theta"), "1.2");
    EXPECT_EQ(option(with("pareto:0.3"), "pareto_h"), "0.3");
    EXPECT_EQ(option(with("normal:10"), "normal_deviation"), "10%");
    EXPECT_EQ(option(with("zoned:60/10:30/20:10/70"), "zones"), "10%:60,20%:30,70%:10");
    EXPECT_EQ(option(with("zoned:60/10:30/20:10/70"), "distribution"), "zoned");
    refused_job({"--rw=randread", "--random_distribution=zoned_abs:60/1g"}, {"zoned_abs"});
    refused_job({"--rw=randread", "--random_distribution=zipf:x"}, {"random_distribution", "\"x\""});
}

TEST_F(FioPlan, SeedsRepeatUnlessAskedOtherwise) {
    EXPECT_EQ(option(single({}), "seed"), option(single({}), "seed"));
    EXPECT_EQ(option(single({"--randseed=7"}), "seed"), "7");
    const std::vector<std::string> all = {"--randrepeat=0", "--allrandrepeat=1"};
    EXPECT_EQ(option(single(all), "seed"), option(single(all), "seed"));
    EXPECT_NE(option(single({"--randrepeat=0"}), "seed"), option(single({"--randrepeat=0"}), "seed"));
    const CommandLine two = parse({"--size=1m", "--name=a", "--name=b"});
    EXPECT_NE(option(job(two, 0, 0), "seed"), option(job(two, 0, 1), "seed")) << "sections read different offsets";
}

TEST_F(FioPlan, DurabilityIsOfWritesOnly) {
    EXPECT_EQ(option(single({"--rw=write", "--fsync=8"}), "sync_every"), "8");
    EXPECT_EQ(option(single({"--rw=write", "--fsync=8"}), "sync_call"), "fsync");
    EXPECT_EQ(option(single({"--rw=write", "--fdatasync=2"}), "sync_call"), "fdatasync");
    EXPECT_EQ(option(single({"--rw=read", "--fsync=8"}), "sync_every"), "");
    EXPECT_EQ(option(single({"--rw=write", "--end_fsync=1"}), "sync_at_end"), "yes");
    EXPECT_EQ(option(single({"--rw=write", "--fsync_on_close=1"}), "sync_at_end"), "yes");
    EXPECT_EQ(option(single({"--rw=write", "--sync=1"}), "sync_writes"), "sync");
    EXPECT_EQ(option(single({"--rw=write", "--sync=dsync"}), "sync_writes"), "dsync");
    refused_job({"--rw=write", "--fsync=1", "--fdatasync=1"}, {"fsync", "fdatasync"});
    refused_job({"--rw=write", "--sync=maybe"}, {"\"maybe\""});
}

TEST_F(FioPlan, DataIsShapedAsAskedFor) {
    EXPECT_EQ(option(single({"--rw=write", "--buffer_compress_percentage=40"}), "compressible"), "40%");
    EXPECT_EQ(option(single({"--rw=write", "--zero_buffers"}), "compressible"), "100%");
    EXPECT_EQ(option(single({"--rw=write", "--dedupe_percentage=30"}), "dedupe"), "30%");
    EXPECT_EQ(option(single({"--unlink=1"}), "unlink"), "yes");
    EXPECT_EQ(option(single({"--rw=write", "--overwrite=1"}), "layout"), "always");
    EXPECT_EQ(option(single({"--allow_file_create=0"}), "layout"), "never");
}

TEST_F(FioPlan, RatesAreOfEachCloneInFioAndOfAllInAPlan) {
    EXPECT_EQ(single({"--rate_iops=100", "--numjobs=3"}).rate.text, "300/s");
    EXPECT_EQ(single({"--rate_iops=1k"}).rate.text, "1024/s") << "fio's k";
    EXPECT_EQ(single({"--rate=1m"}).rate.text, "256/s");
    EXPECT_EQ(single({"--rate_iops=100", "--rate_process=poisson"}).arrival.text, "poisson");
    EXPECT_EQ(single({"--rw=randrw", "--rate_iops=100"}).rate.text, "200/s") << "100 of each direction";
    EXPECT_EQ(single({"--rw=randrw", "--rwmixread=70", "--rate_iops=70,30"}).rate.text, "100/s");
    refused_job({"--rw=randrw", "--rwmixread=70", "--rate_iops=100"}, {"rate_iops", "70%"});
    refused_job({"--rate=1m", "--rate_iops=3"}, {"rate", "rate_iops"});
    refused_job({"--rate_iops=3", "--thinktime=5"}, {"thinktime"});
}

TEST_F(FioPlan, ThinkTimeIsInMicroseconds) {
    const JobPlan plan = single({"--thinktime=500", "--thinktime_blocks=4"});
    EXPECT_EQ(option(plan, "think_time"), "500us");
    EXPECT_EQ(option(plan, "think_every"), "4");
}

TEST_F(FioPlan, AFullQueueIsReapedToItsLowWaterMark) {
    // The IOPS guide's job: full at 32, at least 8 at once, until 16 are left.
    const std::vector<std::string> guide = {"--ioengine=libaio", "--iodepth=32", "--iodepth_batch_complete=8",
                                            "--iodepth_low=16"};
    EXPECT_EQ(option(single(guide), "reap_batch"), "16");
    EXPECT_EQ(option(single({"--ioengine=libaio", "--iodepth=32", "--iodepth_batch_complete_min=8"}), "reap_batch"),
              "8");
    EXPECT_EQ(option(single({"--ioengine=libaio", "--iodepth=32", "--iodepth_batch_complete=0"}), "reap_batch"), "1");
    EXPECT_EQ(option(single({"--ioengine=libaio", "--iodepth=32"}), "reap_batch"), "") << "ours to choose";
}

TEST_F(FioPlan, SplitCpusGoRoundByThreadNumber) {
    const CommandLine line = parse(
        {"--size=1m", "--cpus_allowed=0,2,4", "--cpus_allowed_policy=split", "--name=a", "--numjobs=2", "--name=b"});
    EXPECT_EQ(job(line, 0, 0).cpus.text, "0,2,4");
    EXPECT_EQ(job(line, 0, 1).cpus.text, "4,0,2") << "thread 3 has the third CPU";
    EXPECT_EQ(single({"--cpumask=5"}).cpus.text, "0,2");
    EXPECT_EQ(single({"--cpus_allowed_policy=split"}).cpus.text, "");
}

TEST_F(FioPlan, AnOffsetIncrementOfTheSizeIsASplitAndAnyOtherAJobForEachClone) {
    const CommandLine slices = parse({"--name=x", "--filename=f", "--size=1m", "--numjobs=4", "--offset_increment=1m"});
    ASSERT_EQ(slices.invocation.jobs.size(), 1U);
    EXPECT_EQ(option(job(slices), "share"), "split");
    EXPECT_EQ(option(job(slices), "size"), "4MiB");
    const CommandLine apart =
        parse({"--name=x", "--filename=f", "--size=1m", "--numjobs=2", "--offset=4k", "--offset_increment=2m"});
    ASSERT_EQ(apart.invocation.jobs.size(), 2U);
    ASSERT_EQ(apart.invocation.plan.stages.size(), 2U) << "the file both need is laid out first";
    EXPECT_EQ(option(job(apart, 1, 0), "offset"), "4KiB");
    EXPECT_EQ(option(job(apart, 1, 1), "offset"), size_text(2 * 1048576 + 4096));
    EXPECT_EQ(apart.invocation.jobs[1].numjobs, 1U);
}

TEST_F(FioPlan, AMissingFileOfSeveralJobsIsLaidOutInAStageBeforeThem) {
    const std::string file = write("a.fio", "[global]\nfilename=" + path("f") +
                                                "\nsize=1m\n[w]\nrw=randwrite\n[r]\nrw=randread\nsize=2m\noffset=4k\n");
    const CommandLine line = parse({file});
    ASSERT_EQ(line.invocation.plan.stages.size(), 2U);
    ASSERT_EQ(line.invocation.plan.stages[0].jobs.size(), 1U);
    EXPECT_EQ(option(job(line, 0), "pattern"), "read") << "one of them reads, so there has to be data";
    EXPECT_EQ(option(job(line, 0), "size"), size_text(2 * 1048576 + 4096)) << "the end of the longer one";
    EXPECT_EQ(line.invocation.jobs[0].stage, 1U);
    EXPECT_EQ(line.invocation.jobs[1].stage, 1U);
    write("f", "data");
    EXPECT_EQ(parse({file}).invocation.plan.stages.size(), 1U) << "what is there needs no layout";
}

TEST_F(FioPlan, AFileThatAnEarlierStageMakesIsNotLaidOut) {
    const std::string file =
        write("a.fio", "[global]\nfilename=" + path("f") +
                           "\nsize=1m\n[w]\nrw=write\n[r]\nstonewall\nrw=read\n[s]\nrw=randread\n");
    EXPECT_EQ(parse({file}).invocation.plan.stages.size(), 2U);
}

TEST_F(FioPlan, ExistingFilesGiveTheSize) {
    const std::string file = write("data", std::string(100'000, 'x'));
    const CommandLine loops = parse({"--name=x", "--filename=" + file, "--loops=2"});
    EXPECT_EQ(option(job(loops), "size"), "");
    EXPECT_EQ(option(job(loops), "amount"), size_text(2 * 24 * 4096)); // 24 whole blocks
    const CommandLine half = parse({"--name=x", "--filename=" + file, "--size=50%"});
    EXPECT_EQ(option(job(half), "size"), size_text(50'000));
    refused({"--name=x", "--filename=" + path("none")}, {"size", "none"});
    refused({"--name=x", "--filename=" + path("none"), "--size=50%"}, {"50%", "none"});
}

TEST_F(FioPlan, AllOfTheFilesIsWhatAJobWithoutSizeWorksOn) {
    const std::string file = write("data", std::string(100'000, 'x'));
    const CommandLine all = parse({"--name=x", "--filename=" + file, "--size=100%"});
    EXPECT_EQ(option(job(all), "size"), "");
    refused({"--name=x", "--filename=" + path("none"), "--size=100%"}, {"size", "none"});
}

TEST_F(FioPlan, ABaseOf1000MakesLettersDecimal) {
    EXPECT_EQ(option(single({"--kb_base=1000", "--io_size=800k"}), "amount"), size_text(800'000));
    EXPECT_EQ(option(single({"--kb_base=1000", "--io_size=800KiB"}), "amount"), "800KiB");
    refused_job({"--kb_base=1010"}, {"kb_base", "1010"});
}

TEST_F(FioPlan, AlignmentIsToTheBlockSizeOnly) {
    EXPECT_EQ(option(single({"--bs=8k", "--ba=8k"}), "block_size"), "8KiB");
    refused_job({"--bs=8k", "--ba=4k"}, {"ba", "\"4k\"", "8192"});
}

TEST_F(FioPlan, WhatIsReportedOfAJobIsKept) {
    const CommandLine line = parse({"--group_reporting", "--size=1m", "--name=x", "--description=what it is for",
                                    "--numjobs=3", "--name=y", "--group_reporting=0"});
    EXPECT_TRUE(line.invocation.jobs[0].group_reporting);
    EXPECT_FALSE(line.invocation.jobs[1].group_reporting);
    EXPECT_EQ(line.invocation.jobs[0].description, "what it is for");
    EXPECT_EQ(line.invocation.jobs[0].numjobs, 3U);
    EXPECT_EQ(line.invocation.jobs[0].rw, "read");
}

TEST_F(FioPlan, ALoopOfANumberOfRequestsIsRepeated) {
    // fio 3.33 with size=40k: 3 loops of 25 requests are 30, of 5 are 15.
    EXPECT_EQ(option(single({"--size=40k", "--loops=3", "--number_ios=25"}), "amount"), size_text(30 * 4096));
    EXPECT_EQ(option(single({"--size=40k", "--loops=3", "--number_ios=5"}), "amount"), size_text(15 * 4096));
}

TEST_F(FioPlan, ReportingFollowsTheSwitches) {
    const auto reporting = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--name=x", "--size=1m"});
        return parse(more).invocation.jobs.at(0).reporting;
    };
    EXPECT_TRUE(reporting({}).completion);
    EXPECT_EQ(reporting({}).percentiles.size(), 17U);
    EXPECT_FALSE(reporting({"--gtod_reduce=1"}).latency);
    EXPECT_FALSE(reporting({"--disable_clat=1"}).completion);
    EXPECT_FALSE(reporting({"--disable_slat=1"}).submission);
    EXPECT_FALSE(reporting({"--disable_lat=1"}).total);
    EXPECT_TRUE(reporting({"--lat_percentiles=1"}).lat_percentiles);
    EXPECT_TRUE(reporting({"--slat_percentiles=1"}).slat_percentiles);
    EXPECT_FALSE(reporting({"--clat_percentiles=0"}).clat_percentiles);
    EXPECT_EQ(reporting({"--percentile_list=99.9:50"}).percentiles, (std::vector<double>{50, 99.9}));
    refused_job({"--percentile_list=50:101"}, {"percentile_list", "101"});
}

TEST_F(FioPlan, RegisteredBuffersAndPollingAreForIoUring) {
    const JobPlan plan = single({"--ioengine=io_uring", "--fixedbufs", "--registerfiles=1", "--sqthread_poll=1"});
    EXPECT_EQ(option(plan, "registered_buffers"), "yes");
    EXPECT_EQ(option(plan, "registered_files"), "yes");
    EXPECT_EQ(option(plan, "poll"), "sqpoll");
    EXPECT_EQ(option(single({"--ioengine=io_uring", "--hipri"}), "poll"), "iopoll");
    refused_job({"--ioengine=libaio", "--fixedbufs"}, {"fixedbufs", "io_uring"});
}

} // namespace
} // namespace assay::cli::fio
