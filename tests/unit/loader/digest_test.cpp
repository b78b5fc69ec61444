#include "core/loader/digest.hpp"

#include "core/base/fd.hpp"
#include "tests/unit/loader/support.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

std::string digest_of(const std::string& text) {
    const test::TempDir dir;
    const Fd file(::open(dir.file("x", text).c_str(), O_RDONLY | O_CLOEXEC));
    const auto hex = sha256_hex(file.get(), static_cast<std::int64_t>(text.size()));
    return hex ? *hex : hex.status().message();
}

// FIPS 180-4 and the NIST example values.
TEST(Digest, MatchesThePublishedVectors) {
    EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, SaysWhereAFileEndsThatShouldBeLonger) {
    const test::TempDir dir;
    const Fd file(::open(dir.file("x", "abc").c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(sha256_hex(file.get(), 4).status().message(), "ends at byte 3 instead of 4");
}

} // namespace
} // namespace assay
