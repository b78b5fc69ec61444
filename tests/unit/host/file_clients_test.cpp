#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

namespace assay::host {
namespace {

const std::string mount = "mount=/mnt/nfs,device=127.0.0.1:/";

TEST(Nfs, CapturedMountMovedWhatWasWrittenAndRead) {
    // 64 x 64 KiB were written, then read with O_DIRECT, then through the page cache.
    constexpr std::uint64_t bytes = 64 * 65536;
    Probe probe(make_nfs_source(sample("nfs")));
    probe.read();
    EXPECT_EQ(probe.raw("nfs.app_written{" + mount + "}"), bytes);
    EXPECT_EQ(probe.raw("nfs.app_read{" + mount + "}"), bytes);
    EXPECT_EQ(probe.raw("nfs.written{" + mount + "}"), bytes);
    EXPECT_EQ(probe.raw("nfs.read{" + mount + "}"), 2 * bytes);
    EXPECT_EQ(probe.raw("nfs.operations{" + mount + ",operation=WRITE}"), 64u);
}

TEST(Nfs, EveryColumnOfAnOperationIsInItsPlace) {
    Probe probe(make_nfs_source(sample("nfs")));
    probe.read();
    const std::string open = "{" + mount + ",operation=OPEN}"; // OPEN: 4 4 0 1048 932 94 36 173 2
    EXPECT_EQ(probe.raw("nfs.operations" + open), 4u);
    EXPECT_EQ(probe.raw("nfs.transmissions" + open), 4u);
    EXPECT_EQ(probe.raw("nfs.timeouts" + open), 0u);
    EXPECT_EQ(probe.raw("nfs.sent" + open), 1048u);
    EXPECT_EQ(probe.raw("nfs.received" + open), 932u);
    EXPECT_DOUBLE_EQ(*probe.scaled("nfs.queue_time" + open), 0.094);
    EXPECT_DOUBLE_EQ(*probe.scaled("nfs.round_trip_time" + open), 0.036);
    EXPECT_DOUBLE_EQ(*probe.scaled("nfs.execute_time" + open), 0.173);
    EXPECT_EQ(probe.raw("nfs.errors" + open), 2u);
}

TEST(Nfs, AnOperationUsedForTheFirstTimeMakesTheListStale) {
    const OwnRoots own("nfs");
    Probe probe(make_nfs_source(own.roots()));
    EXPECT_FALSE(probe.lists("nfs.operations{" + mount + ",operation=RENAME}"));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.edit("proc/self/mountstats", "RENAME: 0 0 0", "RENAME: 3 3 0");
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("nfs.operations{" + mount + ",operation=RENAME}"), 3u);
}

TEST(Nfs, MountingMakesTheListStaleAlsoWhereThereWasNone) {
    const OwnRoots own;
    own.write("proc/self/mountstats", "device proc mounted on /proc with fstype proc\n");
    Probe probe(make_nfs_source(own.roots()));
    EXPECT_EQ(probe.size(), 0u);
    EXPECT_FALSE(probe.stale());
    own.write("proc/self/mountstats", OwnRoots("nfs").text("proc/self/mountstats"));
    EXPECT_TRUE(probe.stale());
}

TEST(Nfs, UnmountingUnsetsItsValuesAndLeavesTheOthers) {
    const OwnRoots own;
    const std::string one = OwnRoots("nfs").text("proc/self/mountstats");
    std::string two = one;
    two.replace(two.find("/mnt/nfs"), 8, "/mnt/b\\040c");
    own.write("proc/self/mountstats", one + two);
    Probe probe(make_nfs_source(own.roots()));
    const std::string second = "nfs.read{mount=/mnt/b c,device=127.0.0.1:/}";
    probe.read();
    EXPECT_EQ(probe.raw(second), 8388608u);
    own.write("proc/self/mountstats", two);
    probe.read();
    EXPECT_EQ(probe.raw("nfs.read{" + mount + "}"), std::nullopt);
    EXPECT_EQ(probe.raw(second), 8388608u);
    EXPECT_TRUE(probe.stale());
}

TEST(Nfs, TheSameExportMountedOverItselfHasItsOwnNumbers) {
    const OwnRoots own;
    const std::string first = OwnRoots("nfs").text("proc/self/mountstats");
    std::string second = first;
    second.replace(second.find("WRITE: 64 "), 10, "WRITE: 65 ");
    own.write("proc/self/mountstats", first + second);
    Probe probe(make_nfs_source(own.roots()));
    probe.read();
    EXPECT_EQ(probe.raw("nfs.operations{" + mount + ",operation=WRITE}"), 64u);
    EXPECT_EQ(probe.raw("nfs.operations{" + mount + ",number=2,operation=WRITE}"), 65u);
}

TEST(Nfs, GarbageSetsNothing) {
    const OwnRoots own;
    for (const char* text : {"", "device", "device a with fstype nfs",
                             "device a mounted on b with fstype nfs\nbytes:\nper-op statistics\nREAD:\n",
                             "device a mounted on b with fstype nfs4 x\n\tbytes: x 99999999999999999999999\n\tper-op "
                             "statistics\n:::\nREAD: -1\n"}) {
        own.write("proc/self/mountstats", text);
        Probe probe(make_nfs_source(own.roots()));
        probe.read();
        for (const std::string& name : probe.names())
            EXPECT_EQ(probe.raw(name), std::nullopt) << name << " of " << text;
    }
}

const std::string share = "share=\\\\127.0.0.1\\share";

TEST(Cifs, CapturedShareMovedWhatWasWrittenAndRead) {
    constexpr std::uint64_t bytes = 32 * 65536;
    Probe probe(make_cifs_source(sample("smb")));
    probe.read();
    EXPECT_EQ(probe.raw("cifs.read{" + share + "}"), bytes);
    EXPECT_EQ(probe.raw("cifs.written{" + share + "}"), bytes);
    EXPECT_EQ(probe.raw("cifs.requests{" + share + "}"), 36u);
    EXPECT_EQ(probe.raw("cifs.operations{" + share + ",operation=Creates}"), 9u);
    EXPECT_EQ(probe.raw("cifs.operations{" + share + ",operation=Reads}"), 4u);
    EXPECT_EQ(probe.raw("cifs.failures{" + share + ",operation=Reads}"), 0u);
    EXPECT_EQ(probe.raw("cifs.operations{" + share + ",operation=OplockBreaks}"), 0u);
    EXPECT_EQ(probe.raw("cifs.session_reconnects"), 0u);
    EXPECT_FALSE(probe.lists("cifs.operations{" + share + ",operation=Open files}"));
    EXPECT_EQ(probe.find("cifs.read{" + share + "}")->width_bits, 64u);
    EXPECT_EQ(probe.find("cifs.requests{" + share + "}")->width_bits, 32u);
    // Of the requests by kind, those that went over the wire add up to at most all that were sent.
    std::uint64_t sum = 0;
    for (const std::string& name : probe.names())
        if (name.starts_with("cifs.operations")) sum += probe.raw(name).value_or(0);
    EXPECT_LE(sum, 36u);
}

TEST(Cifs, ACountPast31BitsIsPrintedNegativeAndIsNot) {
    const OwnRoots own("smb");
    own.edit("proc/fs/cifs/Stats", "SMBs: 36", "SMBs: -2147483648");
    own.edit("proc/fs/cifs/Stats", "Reads: 4 total 0 failed", "Reads: -1 total 2147483647 failed");
    Probe probe(make_cifs_source(own.roots()));
    probe.read();
    EXPECT_EQ(probe.raw("cifs.requests{" + share + "}"), 2147483648u);
    EXPECT_EQ(probe.raw("cifs.operations{" + share + ",operation=Reads}"), 4294967295u);
    EXPECT_EQ(probe.raw("cifs.failures{" + share + ",operation=Reads}"), 2147483647u);
}

TEST(Cifs, Smb1PrintsItsBytesBesideTheRequests) {
    const OwnRoots own;
    own.write("proc/fs/cifs/Stats",
              "0 session 3 share reconnects\n\n1) \\\\server\\old\tDISCONNECTED \nSMBs: 9\n"
              "Reads:  5 Bytes: 6000000000\nWrites: 7 Bytes: 8\nFlushes: 1\n");
    Probe probe(make_cifs_source(own.roots()));
    probe.read();
    const std::string old = "share=\\\\server\\old";
    EXPECT_EQ(probe.raw("cifs.read{" + old + "}"), 6000000000u);
    EXPECT_EQ(probe.raw("cifs.written{" + old + "}"), 8u);
    EXPECT_EQ(probe.raw("cifs.operations{" + old + ",operation=Reads}"), 5u);
    EXPECT_EQ(probe.raw("cifs.share_reconnects"), 3u);
}

TEST(Cifs, AShareMountedInTwoSessionsIsListedTwiceAndANewOneMakesTheListStale) {
    const OwnRoots own("smb");
    const std::string text = own.text("proc/fs/cifs/Stats");
    std::string second = text.substr(text.find("1) "));
    second.replace(0, 2, "2)");
    second.replace(second.find("SMBs: 36"), 8, "SMBs: 37");
    Probe probe(make_cifs_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    own.write("proc/fs/cifs/Stats", text + second);
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("cifs.requests{" + share + "}"), 36u);
    EXPECT_EQ(probe.raw("cifs.requests{" + share + ",number=2}"), 37u);
    EXPECT_FALSE(probe.stale());
    own.write("proc/fs/cifs/Stats", text);
    probe.read();
    EXPECT_EQ(probe.raw("cifs.requests{" + share + ",number=2}"), std::nullopt);
    EXPECT_TRUE(probe.stale());
}

TEST(Cifs, TheFirstShareMakesTheListStale) {
    const OwnRoots own;
    own.write("proc/fs/cifs/Stats", "Resources in use\n");
    Probe probe(make_cifs_source(own.roots()));
    EXPECT_FALSE(probe.stale());
    own.write("proc/fs/cifs/Stats", OwnRoots("smb").text("proc/fs/cifs/Stats"));
    EXPECT_TRUE(probe.stale());
}

TEST(Cifs, GarbageSetsNothing) {
    const OwnRoots own;
    own.write("proc/fs/cifs/Stats",
              "1)\n1) \n1) x\nBytes read: y Bytes written: 1\nSMBs: 99999999999999999999999\n"
              "SMBs: 4294967296\nReads:\nReads: 1\nReads: 1 total\nReads: 1 total x failed\n:\n");
    Probe probe(make_cifs_source(own.roots()));
    probe.read();
    for (const std::string& name : probe.names())
        EXPECT_EQ(probe.raw(name), std::nullopt) << name;
}

TEST(Lustre, CountsAndSumsWithTheirUnits) {
    Probe probe(make_lustre_source(sample("server")));
    probe.read();
    const std::string fs = "{filesystem=scratch-ffff8f1c2d3e4000,operation=";
    EXPECT_EQ(probe.raw("lustre.operations" + fs + "read_bytes}"), 27u);
    EXPECT_EQ(probe.raw("lustre.bytes" + fs + "read_bytes}"), 23592960u);
    EXPECT_EQ(probe.raw("lustre.operations" + fs + "write_bytes}"), 9007199254740993u);
    EXPECT_EQ(probe.raw("lustre.bytes" + fs + "write_bytes}"), 18446744073709551615u);
    EXPECT_EQ(probe.raw("lustre.operations" + fs + "ioctl}"), 4u);
    EXPECT_FALSE(probe.lists("lustre.sum" + fs + "ioctl}"));
    EXPECT_DOUBLE_EQ(*probe.scaled("lustre.time" + fs + "open}"), 0.061234);
    EXPECT_EQ(probe.raw("lustre.sum" + fs + "brw_read}"), 99u);
    EXPECT_STREQ(probe.find("lustre.sum" + fs + "brw_read}")->unit, "pages");
    EXPECT_DOUBLE_EQ(*probe.scaled("lustre.time{filesystem=home-ffff8f1c2d3e5000,operation=getattr}"), 4e-6);
    EXPECT_EQ(probe.group_ns().size(), 2u) << "two files, two instants";
}

TEST(Lustre, AnOperationThatAppearsAndAMountThatComesMakeTheListStale) {
    const OwnRoots own("server");
    Probe probe(make_lustre_source(own.roots()));
    probe.read();
    EXPECT_FALSE(probe.stale());
    const std::string stats = "sys/kernel/debug/lustre/llite/home-ffff8f1c2d3e5000/stats";
    own.write(stats, own.text(stats) + "close                     3 samples [usec] 1 2 9 6\n");
    probe.read();
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_EQ(probe.raw("lustre.operations{filesystem=home-ffff8f1c2d3e5000,operation=close}"), 3u);
    own.write("proc/fs/lustre/llite/new-1/stats", "");
    EXPECT_TRUE(probe.stale());
}

TEST(Lustre, GarbageListsNothing) {
    const OwnRoots own;
    own.write("proc/fs/lustre/llite/x/stats", "a\nb 1\nc 1 samples\nd 1 samples []\ne x samples [regs]\nf 1 samples [" +
                                                  std::string(100, 'u') + "] 1 2 3\n\n");
    EXPECT_EQ(Probe(make_lustre_source(own.roots())).size(), 0u);
}

} // namespace
} // namespace assay::host
