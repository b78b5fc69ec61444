#include "core/loader/digest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

namespace assay {

Result<std::string> sha256_hex(int file, std::int64_t size_bytes) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
        return internal_error("OpenSSL has no SHA-256 on this machine");
    std::vector<unsigned char> chunk(std::size_t{256} << 10);
    for (std::int64_t at = 0; at < size_bytes;) {
        const std::size_t want = std::min(chunk.size(), static_cast<std::size_t>(size_bytes - at));
        const ssize_t got = ::pread(file, chunk.data(), want, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return run_error(fmt::format("reading byte {}: {}", at, std::strerror(errno)));
        if (got == 0) return run_error(fmt::format("ends at byte {} instead of {}", at, size_bytes));
        if (EVP_DigestUpdate(context.get(), chunk.data(), static_cast<std::size_t>(got)) != 1)
            return internal_error("OpenSSL could not continue a SHA-256");
        at += got;
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1)
        return internal_error("OpenSSL could not finish a SHA-256");
    std::string hex;
    for (unsigned i = 0; i < length; ++i)
        hex += fmt::format("{:02x}", digest[i]);
    return hex;
}

} // namespace assay
