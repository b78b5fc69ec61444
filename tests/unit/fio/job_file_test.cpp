#include "tests/unit/fio/support.hpp"

#include "tools/assay/dialects/fio/job_file.hpp"

namespace assay::cli::fio {
namespace {

class FioJobFile : public FioTest {
protected:
    static std::string bad(const std::string& text, const std::vector<std::string>& words) {
        Sections sections;
        const Status status = read_job_text(text, "j.fio", sections);
        EXPECT_FALSE(status.ok()) << text.substr(0, 200);
        for (const std::string& word : words)
            EXPECT_NE(status.message().find(word), std::string::npos) << word << " in " << status.message();
        return status.message();
    }

    static Sections good(const std::string& text) {
        Sections sections;
        const Status status = read_job_text(text, "j.fio", sections);
        EXPECT_TRUE(status.ok()) << status.message();
        return sections;
    }
};

TEST_F(FioJobFile, GlobalHoldsForTheSectionsAfterIt) {
    const Sections sections = good("[global]\nbs=8k\n[a]\nrw=write\n[global]\nbs=16k\n[b]\n");
    ASSERT_EQ(sections.all().size(), 2U);
    EXPECT_EQ(sections.all()[0].inherited, (Pairs{{"bs", "8k"}}));
    EXPECT_EQ(sections.all()[0].own, (Pairs{{"rw", "write"}}));
    EXPECT_EQ(sections.all()[1].inherited, (Pairs{{"bs", "16k"}}));
    EXPECT_EQ(sections.global(), (Pairs{{"bs", "16k"}}));
}

TEST_F(FioJobFile, CommentsAndEmptyLinesAreSkippedAlsoBehindAValue) {
    const Sections sections = good("; one\n# two\n\n[a]\n  ; three\nsize=1m ; four\nbs=4k # five\r\n");
    EXPECT_EQ(sections.all()[0].own, (Pairs{{"size", "1m"}, {"bs", "4k"}}));
}

TEST_F(FioJobFile, AnOptionWithoutAValueIsASwitch) {
    EXPECT_EQ(good("[a]\ntime_based\n").all()[0].own, (Pairs{{"time_based", ""}}));
    bad("[a]\niodepth\n", {"j.fio:2", "iodepth", "needs a value"});
}

TEST_F(FioJobFile, AliasesAreTheOptionTheyStandFor) {
    EXPECT_EQ(good("[a]\nreadwrite=write\nblocksize=8k\ntimeout=3\n").all()[0].own,
              (Pairs{{"rw", "write"}, {"bs", "8k"}, {"runtime", "3"}}));
}

TEST_F(FioJobFile, SpacesBesideTheEqualsSignAreRefused) {
    bad("[a]\nsize = 1m\n", {"j.fio:2", "size=1m"});
    bad("[a]\nsize= 1m\n", {"size=1m"});
}

TEST_F(FioJobFile, ErrorsNameFileAndLine) {
    bad("[a]\n\nfoo=1\n", {"j.fio:3", "\"foo\""});
    bad("[a]\nsize=10x\n", {"j.fio:2", "size", "\"10x\""});
    bad("size=1m\n", {"j.fio:1", "before any [section]"});
    bad("[a\n", {"j.fio:1", "]"});
    bad("[]\n", {"j.fio:1", "name"});
}

TEST_F(FioJobFile, IncludesAreRelativeToTheFileThatNamesThem) {
    std::filesystem::create_directory(path("sub"));
    write("sub/inner.fio", "bs=32k\n");
    write("sub/outer.fio", "[global]\ninclude inner.fio\n[a]\n");
    Sections sections;
    const Status status = read_job_file(path("sub/outer.fio"), sections);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(sections.all()[0].inherited, (Pairs{{"bs", "32k"}}));
}

TEST_F(FioJobFile, AFileThatIncludesItselfIsRefused) {
    const std::string file = write("loop.fio", "[a]\ninclude loop.fio\n");
    Sections sections;
    const Status status = read_job_file(file, sections);
    EXPECT_NE(status.message().find("nested deeper"), std::string::npos) << status.message();
    const std::string twice = write("twice.fio", "[a]\ninclude twice.fio\ninclude twice.fio\n");
    EXPECT_FALSE(read_job_file(twice, sections).ok());
}

TEST_F(FioJobFile, AnIncludedFilesErrorsNameThatFile) {
    write("inner.fio", "foo=1\n");
    const std::string outer = write("outer.fio", "[a]\ninclude inner.fio\n");
    Sections sections;
    const Status status = read_job_file(outer, sections);
    EXPECT_NE(status.message().find("inner.fio:1"), std::string::npos) << status.message();
}

TEST_F(FioJobFile, SizeSectionsAndLinesAreBounded) {
    bad("[a]\ndescription=" + std::string(20'000, 'x') + "\n", {"longer than 16384"});
    std::string many;
    for (int i = 0; i < 4097; ++i)
        many += "[a]\n";
    bad(many, {"4096"});
    std::string heavy = "[global]\n";
    for (const char* name : {"description", "directory", "filename", "filename_format", "rw", "bs", "sync", "ioengine"})
        heavy += std::string(name) + "=" + std::string(16'000, 'x') + "\n";
    for (int i = 0; i < 1000; ++i)
        heavy += "[a]\n";
    bad(heavy, {"64 MiB"});
    const std::string large = write("large.fio", std::string((4U << 20) + 1, '\n'));
    Sections sections;
    EXPECT_FALSE(read_job_file(large, sections).ok());
    EXPECT_FALSE(read_job_file(path("none.fio"), sections).ok());
}

TEST_F(FioJobFile, UnsetEnvironmentVariablesAreRefused) {
    setenv("ASSAY_FIO_TEST_SIZE", "2m", 1);
    EXPECT_EQ(good("[a]\nsize=${ASSAY_FIO_TEST_SIZE}\n").all()[0].own, (Pairs{{"size", "2m"}}));
    unsetenv("ASSAY_FIO_TEST_SIZE");
    bad("[a]\nsize=${ASSAY_FIO_TEST_SIZE}\n", {"ASSAY_FIO_TEST_SIZE"});
    bad("[a]\nsize=${X\n", {"}"});
}

} // namespace
} // namespace assay::cli::fio
