// Looks into an ELF file without loading it: is it a whole shared object for this machine, which build is it, and does
// it export a given function?
//
// dlopen() maps what the headers say and touches it, so a file that was cut short kills the process with SIGBUS, and
// the constructors of a library that is no plugin would run before anybody could ask for its entry. Every number in
// the file is hostile: each read is checked against the file's size and every table is bounded. Any thread.
#pragma once

#include "core/base/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

struct ElfFacts {
    std::string build_id; // hexadecimal; empty if the file has no GNU build id
    bool exports_symbol = false;
};

// Messages are what is wrong, without the path ("is not a shared object: ...").
Result<ElfFacts> read_elf(int file, std::int64_t size_bytes, std::string_view function);

} // namespace assay
