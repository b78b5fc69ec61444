// Job files come from anywhere: whatever is in one, the answer is a plan or one line.
#include "tests/unit/fio/support.hpp"
#include "tools/assay/dialects/fio/job_file.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"
#include "tools/assay/dialects/fio/to_plan.hpp"

#include <random>

namespace assay::cli::fio {
namespace {

class FioHostile : public FioTest {
protected:
    static void expect_an_answer(const std::string& text) {
        Sections sections;
        Invocation into;
        Status status = read_job_text(text, "j.fio", sections);
        if (status.ok()) status = make_plan(sections, false, into);
        EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
        EXPECT_EQ(status.ok(), status.message().empty());
    }
};

TEST_F(FioHostile, MutatedJobFilesGetAnAnswer) {
    const std::string seed =
        "[global]\nbs=4k,8k\nbssplit=4k/10:64k/90\nsize=1g\nruntime=30s\nnumjobs=4\nnrfiles=2\nrate_iops=100,200\n"
        "cpus_allowed=0-3\ncpus_allowed_policy=split\nrandom_distribution=zoned:60/10:40/90\n"
        "[a]\nrw=randrw\nrwmixread=70\nfilename=/dev/none:b\n[b]\nstonewall\noffset_increment=1m\nsize=10%\n";
    std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same every time
    const std::string alphabet = "0123456789kmgt%:,/-=[]\\${}#; \t\nabx\xff";
    for (int round = 0; round < 3000; ++round) {
        std::string text = seed;
        for (auto change = random() % 6; change-- > 0;) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[at] = alphabet[random() % alphabet.size()];
                    break;
                case 1:
                    text.erase(at, random() % 8);
                    if (text.empty()) text = "[a]";
                    break;
                default:
                    text.insert(at, 1 + random() % 3, alphabet[random() % alphabet.size()]);
            }
        }
        expect_an_answer(text);
    }
}

TEST_F(FioHostile, EveryOptionTakesAnyValueToAnAnswer) {
    for (const OptionRecord& record : option_table()) {
        if (record.name == "name") continue;
        for (const char* value : {"",
                                  "0",
                                  "1",
                                  "100",
                                  "101",
                                  "-1",
                                  "4k",
                                  "10%",
                                  "a:b",
                                  "1,2,3",
                                  "1/2:3",
                                  ":",
                                  ",",
                                  "/",
                                  "%",
                                  "99999999999999999999",
                                  "9223372036854775807",
                                  "0-0",
                                  "\xff\xfe",
                                  "$jobname"}) {
            expect_an_answer("[a]\nsize=1m\nrw=randrw\nnumjobs=2\n" + std::string(record.name) + "=" + value + "\n");
            expect_an_answer("[a]\nsize=1m\nrw=write\nioengine=io_uring\n" + std::string(record.name) + "=" + value +
                             "\n");
        }
    }
}

} // namespace
} // namespace assay::cli::fio
