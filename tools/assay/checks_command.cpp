#include "core/verdict/check.hpp"
#include "tools/assay/command.hpp"

#include <cstdio>

namespace assay::cli {

int checks_command(const Arguments& arguments) {
    if (!arguments.empty() && arguments[0] != "list") {
        const bool help = arguments[0] == "--help" || arguments[0] == "-h";
        std::fputs("assay checks list    every check a result is put through, and what it looks for\n",
                   help ? stdout : stderr);
        return help ? 0 : 2;
    }
    for (const verdict::Check& check : verdict::catalogue())
        std::printf("%-18.*s %.*s\n", static_cast<int>(check.id.size()), check.id.data(),
                    static_cast<int>(check.summary.size()), check.summary.data());
    return 0;
}

} // namespace assay::cli
