// What fio silently takes for something else (each tried with Debian's fio 3.33), and what cannot be had here: one
// clear line each.
#include "tests/unit/fio/support.hpp"

namespace assay::cli::fio {
namespace {

class FioTraps : public FioTest {};

TEST_F(FioTraps, FractionalSizesAreRefused) { refused_job({"--size=1.5g"}, {"size", "\"1.5g\"", "1536m"}); }
TEST_F(FioTraps, UnknownSizeUnitsAreRefused) { refused_job({"--size=10x"}, {"size", "\"10x\""}); }
TEST_F(FioTraps, UnknownTimeUnitsAreRefused) { refused_job({"--runtime=2sec"}, {"runtime", "\"2sec\"", "\"sec\""}); }
TEST_F(FioTraps, FractionalTimesAreRefused) { refused_job({"--runtime=1.5m"}, {"runtime", "\"1.5m\""}); }
TEST_F(FioTraps, TimeBasedWithoutRuntimeIsRefused) { refused_job({"--time_based"}, {"time_based", "runtime"}); }
TEST_F(FioTraps, NoClonesAreRefused) { refused_job({"--numjobs=0"}, {"numjobs", "1 to 4096"}); }
TEST_F(FioTraps, TooManyClonesAreRefused) { refused_job({"--numjobs=5000"}, {"numjobs", "4096"}); }
TEST_F(FioTraps, NoDepthIsRefused) { refused_job({"--iodepth=0"}, {"iodepth", "1 to"}); }
TEST_F(FioTraps, ASizeBelowOneBlockIsRefused) { refused_job({"--size=1k"}, {"size", "1024", "4096"}); }
TEST_F(FioTraps, MixesThatDoNotAddUpAreRefused) {
    refused_job({"--rw=rw", "--rwmixread=70", "--rwmixwrite=70"}, {"70", "100"});
    refused_job({"--rw=rw", "--rwmixread=170"}, {"rwmixread", "170"});
}
TEST_F(FioTraps, RwModifiersAreRefused) {
    refused_job({"--rw=read:8k"}, {"rw", "\"read:8k\""});
    refused_job({"--rw=randread:8"}, {"rw", "\"randread:8\""});
}
TEST_F(FioTraps, UnknownDirectionsAreRefused) { refused_job({"--rw=reed"}, {"rw", "\"reed\""}); }
TEST_F(FioTraps, EnginesThatAreNotHereAreNamed) {
    refused_job({"--ioengine=windowsaio"}, {"windowsaio", "Windows"});
    refused_job({"--ioengine=rbd"}, {"\"rbd\"", "io_uring"});
}
TEST_F(FioTraps, StandardOutputIsNoTarget) { refused({"--name=x", "--filename=-", "--size=1m"}, {"filename", "'-'"}); }

TEST_F(FioTraps, KiBIsNoted) {
    const CommandLine line = parse({"--name=x", "--size=1MiB"});
    ASSERT_EQ(line.invocation.notes.size(), 1U);
    EXPECT_NE(line.invocation.notes[0].find("powers of 1000"), std::string::npos);
    EXPECT_EQ(option(job(line), "size"), size_text(1'000'000));
}

TEST_F(FioTraps, WhatCannotBeHadIsRefusedByNameWithTheReason) {
    for (const char* one : {"verify=crc32c",
                            "latency_target=10ms",
                            "steadystate=iops:1%",
                            "zonemode=zbd",
                            "write_bw_log=x",
                            "read_iolog=x",
                            "exec_prerun=x",
                            "percentage_random=50",
                            "atomic=1",
                            "continue_on_error=io",
                            "cgroup=x",
                            "nice=5",
                            "flow=1",
                            "max_latency=10",
                            "ioscheduler=none",
                            "file_service_type=random",
                            "fadvise_hint=0",
                            "fallocate=none",
                            "scramble_buffers=0",
                            "unlink_each_loop=1",
                            "fill_device=1"}) {
        const std::string text(one);
        refused_job({"--" + text}, {"job \"x\": " + text.substr(0, text.find('=')) + " is not supported: "});
    }
}

TEST_F(FioTraps, ValuesThatAskForNothingAreAccepted) {
    for (const char* one : {"verify=0", "latency_target=0", "zonemode=none", "percentage_random=100", "atomic=0",
                            "continue_on_error=none", "nice=0", "file_service_type=roundrobin", "invalidate=1",
                            "fallocate=native", "scramble_buffers=1", "fadvise_hint=1", "stats=1"})
        EXPECT_EQ(option(single({std::string("--") + one}), "engine"), "psync") << one;
}

TEST_F(FioTraps, IgnoredOptionsAreNotedOnce) {
    const std::string file = write("a.fio", "[global]\nmem=mmap\nsize=1m\n[a]\n[b]\nfilename=g\n");
    const CommandLine line = parse({file});
    ASSERT_EQ(line.invocation.notes.size(), 1U);
    EXPECT_NE(line.invocation.notes[0].find("mem is ignored: "), std::string::npos);
}

TEST_F(FioTraps, ErrorsInJobFilesNameFileLineAndJob) {
    const std::string file = write("a.fio", "[global]\nsize=1m\n\n[slow]\nverify=md5\n");
    refused({file}, {"a.fio:4", "job \"slow\"", "verify"});
}

} // namespace
} // namespace assay::cli::fio
