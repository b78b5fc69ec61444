// The jobs that job files and command lines describe, as lists of options, before any value has a meaning.
//
// What is global holds for the sections that begin after it. Of an option that is given twice the last one counts, in
// the place of the first, as in fio. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "tools/assay/dialects/fio/invocation.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::fio {

struct Section {
    std::string name;
    Pairs inherited; // global when the section began
    Pairs own;
    std::string origin; // "job.fio:12" or "the command line", for messages
};

class Sections {
public:
    static constexpr std::size_t sections_max = 4096;
    static constexpr std::size_t inherited_bytes_max = 64U << 20; // over all sections: each has a copy

    Status begin(std::string name, std::string origin);
    void begin_global() { in_global_ = true; }
    // For the section that began last, or global. `name` may be an alias; unknown options and values that the type
    // cannot have are usage errors.
    Status set(std::string_view name, std::string_view value);

    [[nodiscard]] const Pairs& global() const { return global_; }
    [[nodiscard]] const std::vector<Section>& all() const { return sections_; }
    // Keeps those named only; a name that no section has is a usage error. No names: keeps all.
    Status select(const std::vector<std::string>& names);

private:
    Pairs global_;
    std::vector<Section> sections_;
    bool in_global_ = true;
    std::size_t inherited_bytes_ = 0;
};

} // namespace assay::cli::fio
