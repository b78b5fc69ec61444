// What a device carries, told by its content: file systems, RAID and encryption headers, partition tables (libblkid).
//
// Control thread. The content is whatever anyone wrote there: libblkid bounds what it reads, texts are made printable.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::context {

// Phrases such as `carries an ext4 file system labelled "scratch"`, each signature its own; empty for a device without
// any. `fd` is open for reading; its position moves. Looks at `size_bytes` from `offset_bytes`, 0 meaning up to its
// end. Fails if the device cannot be read.
Result<std::vector<std::string>> signatures_on(int fd, std::int64_t offset_bytes = 0, std::int64_t size_bytes = 0);

} // namespace assay::context
