// SHA-256 of an open file, for the record of what ran. Any thread.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <string>

namespace assay {

// Lower-case hexadecimal digest of bytes 0 .. size_bytes-1 of the file. Fails (run) if they cannot all be read. Does
// not move the file position.
Result<std::string> sha256_hex(int file, std::int64_t size_bytes);

} // namespace assay
