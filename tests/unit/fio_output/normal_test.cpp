// fio's normal output: the lines that people grep. Numbers beside "fio:" are what fio 3.33 printed for the same value.
#include "tests/unit/fio_output/fixture.hpp"
#include "tools/assay/dialects/fio/numbers.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <gtest/gtest.h>

namespace assay::cli::fio {
namespace {

using test::asked;

std::string rendered(Reporting reporting = {}) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].reporting = std::move(reporting);
    return to_normal(invocation, test::run_of({test::job("a")}));
}

void expect_line(const std::string& text, const std::string& line) {
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\nis no line of\n" << text;
}

TEST(fio_normal, numbers_have_as_many_digits_as_fio_gives_them) {
    EXPECT_EQ(short_number(8'444, 4), "8444"); // fio: IOPS=8444
    EXPECT_EQ(short_number(31'364, 4), "31.4k");
    EXPECT_EQ(short_number(512'000, 4), "512k"); // fio: IOPS=512k
    EXPECT_EQ(short_number(13'759'210, 6), "13759k");
    EXPECT_EQ(short_number(6'605'330, 6), "6605.3k");
    EXPECT_EQ(short_number(0, 4), "0");
    EXPECT_EQ(binary_size(2'097'152'000), "2000MiB");
    EXPECT_EQ(decimal_size(2'097'152'000), "2097MB");
    EXPECT_EQ(binary_size(16'777'216), "16.0MiB");
    EXPECT_EQ(decimal_size(16'777'216), "16.8MB");
    EXPECT_EQ(binary_size(17'718'837'248), "16.5GiB");
    EXPECT_EQ(binary_size(4'162'048), "4065KiB") << "4064.5, and fio rounds it up";
    EXPECT_EQ(decimal_size(4'162'048), "4162kB");
    EXPECT_EQ(binary_size(500), "500B");
    EXPECT_EQ(binary_size(UINT64_MAX), "16.0EiB");
}

TEST(fio_normal, a_job_has_the_lines_of_fio) {
    const std::string text = rendered();
    EXPECT_NE(text.find("\na: (groupid=0, jobs=1): err= 0: pid="), std::string::npos) << text;
    expect_line(text, "  read: IOPS=100, BW=400KiB/s (410kB/s)(800KiB/2000msec)");
    expect_line(text, "  write: IOPS=50, BW=200KiB/s (205kB/s)(400KiB/2000msec); 0 zone resets");
    EXPECT_NE(text.find("\n    clat (nsec): min=100, max=3000.0k, avg=300090.00, stdev="), std::string::npos) << text;
    EXPECT_NE(text.find("\n     lat (nsec): min=100, max=3000.0k, avg=300090.00, stdev="), std::string::npos) << text;
    EXPECT_NE(text.find("\n    clat percentiles (nsec):\n     |  1.00th=[    100],  5.00th=[    100], "
                        "10.00th=[    100],\n     | 20.00th=["),
              std::string::npos)
        << text;
    expect_line(text, "   bw (  KiB/s): min=  200, max=  600, per=100.00%, avg=400.00, stdev=282.84, samples=2");
    expect_line(text, "   iops        : min=   50, max=  150, avg=100.00, stdev=70.71, samples=2");
    expect_line(text, "  lat (nsec)   : 250=90.00%");
    expect_line(text, "  lat (msec)   : 4=10.00%");
    expect_line(text, "  cpu          : usr=20.00%, sys=40.00%, ctx=0, majf=0, minf=0");
    expect_line(text, "  IO depths    : 1=0.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=100.0%, 32=0.0%, >=64=0.0%");
    expect_line(text, "     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%");
    expect_line(text, "     issued rwts: total=200,100,0,0 short=0,0,0,0 dropped=0,0,0,0");
    expect_line(text, "     latency   : target=0, window=0, percentile=100.00%, depth=16");
    expect_line(text, "Run status group 0 (all jobs):");
    expect_line(text,
                "   READ: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), io=800KiB (819kB), "
                "run=2000-2000msec");
    expect_line(text, "Disk stats (read/write):");
    expect_line(text, "  vda: ios=11/22, merge=0/0, ticks=0/0, in_queue=0, util=0.00%");
    EXPECT_EQ(text.find("trim"), std::string::npos);
}

TEST(fio_normal, percentiles_are_laid_out_by_their_width_and_decimals) {
    Reporting reporting;
    reporting.percentiles = {50, 100};
    const std::string whole = rendered(reporting);
    EXPECT_NE(whole.find("     |  50th=[    100], 100th=[3000000]\n"), std::string::npos) << whole;
    reporting.percentiles = {1.5, 50, 99.999, 100};
    const std::string three = rendered(reporting);
    EXPECT_NE(three.find("     |  1.500th=[    100], 50.000th=[    100], 99.999th=[29"), std::string::npos) << three;
    EXPECT_NE(three.find("],\n     | 100.000th=[3000000]\n"), std::string::npos) << three;
}

TEST(fio_normal, without_latency_the_rest_stays) {
    Reporting reporting;
    reporting.latency = false;
    const std::string text = rendered(reporting);
    EXPECT_EQ(text.find("lat ("), std::string::npos) << text;
    EXPECT_EQ(text.find("percentiles"), std::string::npos) << text;
    expect_line(text, "  read: IOPS=100, BW=400KiB/s (410kB/s)(800KiB/2000msec)");
}

} // namespace
} // namespace assay::cli::fio
