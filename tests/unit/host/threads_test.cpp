#include "plugins/host/thread_scan.hpp"
#include "tests/unit/host/probe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay::host {
namespace {

using namespace std::chrono_literals;

// /proc/PID/stat with the fields that are read: name, time, threads, start, CPU.
std::string stat_text(int id, const std::string& name, int user, int system, int threads, std::uint64_t start,
                      int cpu) {
    std::string text = std::to_string(id) + " (" + name + ") S 1 2 3 4 5 6 7 8 9 10 "; // fields 3 .. 13
    text += std::to_string(user) + " " + std::to_string(system) + " 16 17 18 19 " + std::to_string(threads) + " 0 " +
            std::to_string(start);
    for (int field = 23; field <= 38; ++field)
        text += " " + std::to_string(field);
    return text + " " + std::to_string(cpu) + " 0 0\n";
}

// A process, and its only thread.
void put(const OwnRoots& own, int id, const std::string& name, int ticks, std::uint64_t start = 100, int cpu = 0) {
    const std::string at = "proc/" + std::to_string(id);
    const std::string text = stat_text(id, name, ticks, 0, 1, start, cpu);
    own.write(at + "/stat", text);
    own.write(at + "/comm", name + "\n");
    own.write(at + "/task/" + std::to_string(id) + "/stat", text);
}
void put_schedstat(const OwnRoots& own, int id, const std::string& text) {
    own.write("proc/" + std::to_string(id) + "/task/" + std::to_string(id) + "/schedstat", text);
}

TEST(ThreadStat, IsParsedByFieldNumberWhateverTheName) {
    ThreadStat stat;
    const std::string text = stat_text(7, "a) b (c 1 2", 30, 12, 5, 777, 63);
    ASSERT_TRUE(parse_thread_stat(text, stat));
    EXPECT_EQ(stat.name, "a) b (c 1 2");
    EXPECT_EQ(stat.used_ticks, 42u);
    EXPECT_EQ(stat.threads, 5u);
    EXPECT_EQ(stat.start_ticks, 777u);
    EXPECT_EQ(stat.cpu, 63u);
    for (const char* bad : {"", "7", "7 (", ")(", "7 (a)", "7 (a) S 1 2 3", "7 (a) S 1 2 3 4 5 6 7 8 9 10 x y"})
        EXPECT_FALSE(parse_thread_stat(bad, stat)) << bad;
}

TEST(ThreadScan, TheFirstFindsNoneAndTheSecondWhatWasUsedSince) {
    const OwnRoots own;
    put(own, 10, "old", 5000);
    put(own, 11, "idle", 9000);
    Buffer buffer;
    ThreadScan scan(own.path("proc"));
    EXPECT_TRUE(scan.scan(buffer).empty());
    put(own, 10, "old", 5030);
    const auto& found = scan.scan(buffer);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id, (ThreadId{10, 10, 100}));
    EXPECT_EQ(found[0].used_ticks, 30u);
    EXPECT_TRUE(scan.scan(buffer).empty());
}

TEST(ThreadScan, OfAThreadThatIsNewOnlyWhatItUsedSinceTheLastScanCounts) {
    const OwnRoots own;
    Buffer buffer;
    ThreadScan scan(own.path("proc"));
    scan.scan(buffer);
    const std::uint64_t in_the_future = 1ull << 50;
    put(own, 20, "born_since", 40, in_the_future);
    put(own, 21, "not_seen_before", 4000, 1);
    const auto& found = scan.scan(buffer);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id.pid, 20);
    EXPECT_EQ(found[0].used_ticks, 40u);
}

TEST(ThreadScan, ANumberThatIsUsedAgainIsAnotherThread) {
    const OwnRoots own;
    put(own, 10, "first", 100, 5);
    Buffer buffer;
    ThreadScan scan(own.path("proc"));
    scan.scan(buffer);
    put(own, 10, "second", 130, 1ull << 50);
    const auto& found = scan.scan(buffer);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].used_ticks, 130u);
}

TEST(ThreadScan, LooksIntoAProcessWithSeveralThreads) {
    const OwnRoots own;
    const auto write = [&](int a, int b, int c) {
        own.write("proc/30/stat", stat_text(30, "main", a + b + c, 0, 3, 100, 0));
        own.write("proc/30/task/30/stat", stat_text(30, "main", a, 0, 3, 100, 0));
        own.write("proc/30/task/31/stat", stat_text(31, "io", b, 0, 3, 100, 0));
        own.write("proc/30/task/32/stat", stat_text(32, "net", c, 0, 3, 100, 0));
    };
    write(100, 100, 100);
    Buffer buffer;
    ThreadScan scan(own.path("proc"));
    scan.scan(buffer);
    write(100, 110, 120); // its threads are known from here on
    scan.scan(buffer);
    write(100, 150, 125);
    const auto& found = scan.scan(buffer);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].id.tid, 31);
    EXPECT_EQ(found[0].used_ticks, 40u);
    EXPECT_EQ(found[1].id.tid, 32);
    EXPECT_EQ(found[1].used_ticks, 5u);
}

TEST(Threads, AreNamedWithTheirProcessAndReadInNanoseconds) {
    const OwnRoots own;
    put(own, 10, "busy", 100, 100, 3);
    put_schedstat(own, 10, "1000000000 5 9\n");
    Probe probe(make_thread_source(own.roots(), 10));
    EXPECT_EQ(probe.size(), 0u);
    put(own, 10, "busy", 150, 100, 3);
    put_schedstat(own, 10, "1500000000 7000 12\n");
    EXPECT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    const std::string labels = "{thread=busy,tid=10,process=busy,pid=10}";
    EXPECT_DOUBLE_EQ(*probe.scaled("thread.cpu" + labels), 1.5);
    EXPECT_DOUBLE_EQ(*probe.scaled("thread.wait" + labels), 7e-6);
    EXPECT_EQ(probe.raw("thread.last_cpu" + labels), 3u);
}

TEST(Threads, WithoutSchedstatTicksServe) {
    const OwnRoots own;
    put(own, 10, "busy", 100);
    Probe probe(make_thread_source(own.roots(), 10));
    put(own, 10, "busy", 150);
    ASSERT_TRUE(probe.stale());
    probe.discover();
    probe.read();
    EXPECT_DOUBLE_EQ(*probe.scaled("thread.cpu{thread=busy,tid=10,process=busy,pid=10}"),
                     150.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
    EXPECT_FALSE(probe.lists("thread.wait{thread=busy,tid=10,process=busy,pid=10}"));
}

// The tids that are listed.
std::string tids(const Probe& probe) {
    std::string text;
    for (const std::string& name : probe.names())
        if (name.starts_with("thread.cpu{")) text += name.substr(name.find("tid=") + 4, 2) + " ";
    return text;
}

TEST(Threads, OnlyOneThatUsedHalfAsMuchAgainTakesThePlaceOfAnother) {
    const OwnRoots own;
    int ticks[3] = {1000, 1000, 1000};
    const auto use = [&](int a, int b, int c) {
        const int used[] = {a, b, c};
        for (int i = 0; i < 3; ++i)
            put(own, 10 + i, "t", ticks[i] += used[i]);
    };
    use(0, 0, 0);
    Probe probe(make_thread_source(own.roots(), 2));
    use(100, 50, 40);
    ASSERT_TRUE(probe.stale());
    probe.discover();
    EXPECT_EQ(tids(probe), "10 11 ");
    use(100, 50, 70); // 70 < 1.5 x 50
    EXPECT_FALSE(probe.stale());
    use(100, 50, 80);
    EXPECT_TRUE(probe.stale());
    probe.discover();
    EXPECT_EQ(tids(probe), "10 12 ");
}

TEST(Threads, OneThatEndedIsUnsetAndItsPlaceIsFree) {
    const OwnRoots own;
    put(own, 10, "a", 100);
    put(own, 11, "b", 100);
    Probe probe(make_thread_source(own.roots(), 1));
    put(own, 10, "a", 200);
    ASSERT_TRUE(probe.stale());
    probe.discover();
    own.write("proc/10/task/10/stat", ""); // what an open descriptor of an ended thread gives is an error
    std::filesystem::remove_all(own.path("proc/10"));
    probe.read();
    EXPECT_EQ(probe.raw("thread.cpu{thread=a,tid=10,process=a,pid=10}"), std::nullopt);
    EXPECT_FALSE(probe.stale()) << "nobody needs the place yet";
    put(own, 11, "b", 110);
    EXPECT_TRUE(probe.stale());
    probe.discover();
    EXPECT_EQ(tids(probe), "11 ");
}

TEST(Threads, ASpinnerOfThisProcessIsFoundNamedAndItsTimeIsItsOwn) {
    std::atomic<bool> stop{false};
    std::atomic<pid_t> tid{0};
    std::atomic<std::int64_t> own_ns{0};
    Probe probe(make_thread_source(Roots{}, 100));
    std::thread spinner([&] {
        ::pthread_setname_np(::pthread_self(), "spins,in=test");
        tid = static_cast<pid_t>(::syscall(SYS_gettid));
        while (!stop) {
            timespec now{};
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            own_ns = now.tv_sec * 1'000'000'000 + now.tv_nsec;
        }
    });
    std::string process;
    std::getline(std::ifstream("/proc/self/comm"), process);
    const auto labels = [&] {
        return "{thread=spins%2Cin%3Dtest,tid=" + std::to_string(tid.load()) + ",process=" + process +
               ",pid=" + std::to_string(::getpid()) + "}";
    };
    bool found = false;
    for (int i = 0; i < 100 && !found; ++i) {
        std::this_thread::sleep_for(100ms);
        if (!probe.stale()) continue;
        probe.discover();
        found = probe.lists("thread.cpu" + labels());
    }
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::optional<double> ours;
    if (found) {
        before = own_ns;
        probe.read();
        ours = probe.scaled("thread.cpu" + labels());
        std::this_thread::sleep_for(20ms);
        after = own_ns;
    }
    stop = true;
    spinner.join();
    ASSERT_TRUE(found);
    ASSERT_TRUE(ours);
    // The scheduler brings a running thread's time up to date at its tick, 10 ms at most.
    EXPECT_GE(*ours * 1e9, static_cast<double>(before) - 10e6);
    EXPECT_LE(*ours * 1e9, static_cast<double>(after) + 10e6);
}

} // namespace
} // namespace assay::host
