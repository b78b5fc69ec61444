// Where in a result the numbers of one fio job and of the disks are.
//
// Pure functions; pointers live as long as the run.
#pragma once

#include "tools/assay/dialects/fio/entries.hpp"

namespace assay::cli::fio {

struct Measured {
    const result::Job* job = nullptr;     // nothing: it never began
    const result::Phase* phase = nullptr; // the last measured one; nothing: none was reached
};
Measured find_measured(const result::Run& run, const Job& job);

// Over the windows of all stages. Jobs that ran at the same time saw the same device: the one that saw most of it
// speaks for it.
std::vector<Disk> disks_of(const result::Run& run);

} // namespace assay::cli::fio
