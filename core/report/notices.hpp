// What a live view has to warn of, in the order in which it arose: verdicts on what was measured so far, and messages
// of plugins. One thread at a time.
#pragma once

#include "assay/abi/workload.h"
#include "core/result/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

struct Notice {
    result::Level level = result::Level::note; // note: only a remark
    std::string label;                         // "SUSPECT cpu.hot", "warning"; may be empty
    std::string text;
    std::uint64_t times = 1;
};

class Notices {
public:
    static constexpr std::size_t messages_max = 100; // the oldest go first

    // The verdicts that hold now. One check of one job is one notice, with its latest message, however many points and
    // repeats it is about; it goes when no verdict says it any more.
    void set(const std::vector<result::Verdict>& verdicts);
    void add(assay_severity severity, const std::string& text);

    [[nodiscard]] std::vector<Notice> all() const; // oldest first

private:
    struct Entry {
        std::string key; // "check job"; empty: a message
        Notice notice;
        bool holds = true;
    };
    std::vector<Entry> entries_;
};

} // namespace assay::report
