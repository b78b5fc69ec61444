// Whole small files, bounded: plans, /proc and /sys entries, results. Not for data that is measured.
//
// Any thread. Messages name the path, the reason and the rule.
#pragma once

#include "core/base/status.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// The content of a file or pipe; works where the size is not known before (/proc, /sys). A directory, more than
// `bytes_max` bytes, or a failure to open or read is a usage error.
Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

// Replaces `path` by `content` so that a reader, or a crash in between, sees the old file or the new one, never a part:
// writes a new file beside it, syncs it to disk and renames it. Nothing is left behind on failure (run error).
Status write_file_atomically(const std::string& path, std::string_view content);

} // namespace assay
