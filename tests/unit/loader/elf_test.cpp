#include "core/loader/elf.hpp"

#include "assay/abi/entry.h"
#include "core/base/fd.hpp"
#include "tests/unit/loader/support.hpp"

#include <chrono>
#include <cstring>
#include <random>

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace assay {
namespace {

// Looks at bytes in memory as at a file.
Result<ElfFacts> look_at(const std::string& bytes) {
    const Fd file(::memfd_create("elf", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return read_elf(file.get(), static_cast<std::int64_t>(bytes.size()), ASSAY_ENTRY_SYMBOL);
}
std::string refusal(const std::string& bytes) {
    const auto facts = look_at(bytes);
    return facts ? "" : facts.status().message();
}
std::string plugin_bytes(const std::string& which) { return test::read_all(test::test_plugin(which)); }
Elf64_Ehdr& header_of(std::string& bytes) { return *reinterpret_cast<Elf64_Ehdr*>(bytes.data()); }

TEST(Elf, FindsTheEntryFunctionThroughEitherHashTable) {
    for (const char* which : {"alpha", "sysv"}) {
        const auto facts = look_at(plugin_bytes(which));
        ASSERT_TRUE(facts.ok()) << facts.status().message();
        EXPECT_TRUE(facts->exports_symbol) << which;
    }
}

TEST(Elf, DoesNotTakeALongerNameOrAVariableForTheEntryFunction) {
    for (const char* which : {"stranger", "variable"}) {
        const auto facts = look_at(plugin_bytes(which));
        ASSERT_TRUE(facts.ok()) << facts.status().message();
        EXPECT_FALSE(facts->exports_symbol) << which;
    }
}

// The System V hash table, other than the GNU one, holds what a file imports as well.
TEST(Elf, DoesNotTakeAFunctionThatIsOnlyImportedForAnExport) {
    const std::string path = test::test_plugin("stranger");
    const std::string bytes = test::read_all(path);
    const Fd file(::memfd_create("elf", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    const auto size = static_cast<std::int64_t>(bytes.size());
    ASSERT_NE(test::output_of("readelf -W --dyn-syms " + path + " | grep 'FUNC.* UND abort'"), "");
    EXPECT_TRUE(read_elf(file.get(), size, "assay_entry_draft_of_something_else")->exports_symbol);
    EXPECT_FALSE(read_elf(file.get(), size, "abort")->exports_symbol);
}

TEST(Elf, ReadsTheBuildIdThatReadelfReads) {
    const std::string said =
        test::output_of("readelf -n " + test::test_plugin("alpha") + " | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
    ASSERT_EQ(said.size(), 40u) << "a SHA-1 build id in hexadecimal";
    EXPECT_EQ(look_at(plugin_bytes("alpha"))->build_id, said);
    EXPECT_EQ(look_at(plugin_bytes("sysv"))->build_id, "") << "linked without one";
}

TEST(Elf, SaysThatATextFileIsNoSharedObject) {
    EXPECT_EQ(refusal("#!/bin/sh\necho I am a plugin\n"),
              "is not a shared object: it does not start with the ELF magic");
    EXPECT_EQ(refusal("\x7f"), "is not a shared object: it does not start with the ELF magic");
}

TEST(Elf, SaysWhichMachineAForeignFileIsFor) {
    std::string bytes = plugin_bytes("alpha");
    header_of(bytes).e_machine = EM_S390;
    EXPECT_NE(refusal(bytes).find("for another machine (ELF class 2, machine 22)"), std::string::npos)
        << refusal(bytes);
    bytes = plugin_bytes("alpha");
    header_of(bytes).e_ident[EI_CLASS] = ELFCLASS32;
    EXPECT_NE(refusal(bytes).find("for another machine (ELF class 1"), std::string::npos) << refusal(bytes);
}

TEST(Elf, SaysThatAnObjectFileOrAnExecutableIsNoSharedObject) {
    for (const int type : {ET_REL, ET_EXEC, ET_CORE}) {
        std::string bytes = plugin_bytes("alpha");
        header_of(bytes).e_type = static_cast<Elf64_Half>(type);
        EXPECT_NE(refusal(bytes).find("is an ELF file but no shared object"), std::string::npos) << refusal(bytes);
    }
}

// dlopen() would map what the headers promise and die of SIGBUS on the missing pages.
TEST(Elf, NoticesAFileThatWasCutShortAnywhere) {
    const std::string bytes = plugin_bytes("alpha");
    ASSERT_TRUE(look_at(bytes).ok());
    for (std::size_t length = SELFMAG; length < bytes.size(); length += 97)
        EXPECT_NE(refusal(bytes.substr(0, length)).find("is cut short"), std::string::npos)
            << length << " of " << bytes.size() << " bytes: " << refusal(bytes.substr(0, length));
    EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)).find("is cut short"), std::string::npos);
}

TEST(Elf, RefusesASegmentWhoseEndOverflows) {
    std::string bytes = plugin_bytes("alpha");
    auto* segment = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header_of(bytes).e_phoff);
    segment->p_offset = UINT64_MAX - 8;
    segment->p_filesz = 64;
    EXPECT_NE(refusal(bytes).find("is cut short"), std::string::npos) << refusal(bytes);
}

TEST(Elf, RefusesASegmentTableThatIsMissingOrTooLong) {
    std::string bytes = plugin_bytes("alpha");
    header_of(bytes).e_phnum = 0;
    EXPECT_NE(refusal(bytes).find("malformed ELF header: 0 segments"), std::string::npos);
    header_of(bytes).e_phnum = 60000;
    EXPECT_NE(refusal(bytes).find("malformed ELF header: 60000 segments"), std::string::npos);
    header_of(bytes).e_phnum = 5;
    header_of(bytes).e_phoff = UINT64_MAX;
    EXPECT_NE(refusal(bytes).find("segment table starts at 18446744073709551615"), std::string::npos);
}

TEST(Elf, ReturnsFromAnyDamageWithoutReadingOutside) {
    const std::string good = plugin_bytes("alpha");
    std::mt19937 random(20261130);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = good;
        // Most of what is read lies near the front; the rest of the damage goes anywhere.
        for (int i = 0; i < 8; ++i) {
            const std::size_t limit = i % 2 == 0 ? 0x1000 : bytes.size();
            bytes[random() % limit] = static_cast<char>(random());
        }
        std::memcpy(bytes.data(), good.data(), 20); // still an ELF file for this machine
        const auto facts = look_at(bytes);
        EXPECT_LE(facts ? facts->build_id.size() : 0, 128u);
    }
}

// A hash chain that leads into half a gigabyte of zeros (a sparse file) must not be followed to its end.
TEST(Elf, GivesUpOnAHashChainWithoutEnd) {
    std::string bytes = plugin_bytes("alpha");
    bool changed = false;
    Elf64_Ehdr& header = header_of(bytes);
    for (int i = 0; i < header.e_shnum; ++i) {
        auto* section = reinterpret_cast<Elf64_Shdr*>(bytes.data() + header.e_shoff) + i;
        auto* words = reinterpret_cast<std::uint32_t*>(bytes.data() + section->sh_offset);
        if (section->sh_type == SHT_HASH) words[0] = 0; // no other way to the symbol
        if (section->sh_type != SHT_GNU_HASH) continue;
        words[0] = 1;      // one bucket
        words[1] = 0;      // for symbols from 0 on
        words[2] = 0;      // no filter before it
        words[4] = 500000; // the chain starts two megabytes on, where every word says "go on"
        changed = true;
    }
    ASSERT_TRUE(changed);
    const Fd file(::memfd_create("elf", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    constexpr std::int64_t size = std::int64_t{512} << 20;
    ASSERT_EQ(::ftruncate(file.get(), size), 0);
    const auto start = std::chrono::steady_clock::now();
    const auto facts = read_elf(file.get(), size, ASSAY_ENTRY_SYMBOL);
    ASSERT_TRUE(facts.ok()) << facts.status().message();
    EXPECT_FALSE(facts->exports_symbol);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

} // namespace
} // namespace assay
