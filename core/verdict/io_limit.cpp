#include "core/verdict/io_limit.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/verdict/thresholds.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace assay::verdict {
namespace {

double rate_of(const result::Phase& phase, bool reads, bool bytes) {
    double sum = 0;
    for (const result::Operation& operation : phase.operations) {
        if (operation.kind != (reads ? result::OperationKind::read : result::OperationKind::write)) continue;
        sum += static_cast<double>(bytes ? operation.bytes : operation.operations);
    }
    return sum / phase.window_s();
}

void try_limit(const result::Phase& phase, std::string_view kind, double value, std::string_view device,
               ReachedLimit& worst) {
    constexpr struct {
        std::string_view v1;
        std::string_view v2;
        bool reads;
        bool bytes;
    } kinds[] = {{"read_bps", "rbps", true, true},
                 {"write_bps", "wbps", false, true},
                 {"read_iops", "riops", true, false},
                 {"write_iops", "wiops", false, false}};
    for (const auto& each : kinds) {
        if (kind != each.v1 && kind != each.v2) continue;
        const double rate = rate_of(phase, each.reads, each.bytes);
        if (value <= 0 || rate < thresholds::io_limit_reached * value || rate > thresholds::io_limit_exceeded * value)
            continue;
        worst = {fmt::format("{} {:.0f} on {}", kind, value, device), value, rate, each.bytes ? "B/s" : "/s"};
    }
}

double number(std::string_view text) {
    const Result<std::int64_t> parsed = parse_integer(text); // "max" is none
    return parsed.ok() ? static_cast<double>(parsed.value()) : 0;
}

// One device's entry of one file.
void try_entry(const result::Phase& phase, std::string_view file, const std::vector<std::string_view>& words,
               ReachedLimit& worst) {
    constexpr std::string_view v1 = "blkio.throttle.";
    const std::size_t at = file.find(v1);
    if (at != std::string_view::npos) {
        std::string_view kind = file.substr(at + v1.size());
        kind = kind.substr(0, kind.find("_device"));
        if (words.size() == 2) try_limit(phase, kind, number(words[1]), words[0], worst);
        return;
    }
    for (const std::string_view word : words) {
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos)
            try_limit(phase, word.substr(0, equals), number(word.substr(equals + 1)), words[0], worst);
    }
}

bool is_ours(const result::Job& job, std::string_view device_number) {
    for (const result::Target& target : job.targets) {
        for (const result::Fact& fact : target.context) {
            const auto* text = std::get_if<std::string>(&fact.value);
            if ((fact.key == "device_number" || fact.key == "disk_number") && text != nullptr && *text == device_number)
                return true;
        }
    }
    return false;
}

} // namespace

ReachedLimit reached_io_limit(const result::Job& job, const result::Phase& phase, const std::string& limits) {
    ReachedLimit worst;
    std::string_view rest = limits;
    while (!rest.empty()) { // "FILE: ENTRY,ENTRY; FILE: ENTRY"
        const std::size_t semicolon = rest.find("; ");
        const std::string_view one = rest.substr(0, semicolon);
        rest = semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon + 2);
        const std::size_t colon = one.find(": ");
        if (colon == std::string_view::npos) continue;
        for (const std::string_view entry : split(one.substr(colon + 2), ',')) {
            const std::vector<std::string_view> words = split(entry, ' ');
            if (!words.empty() && is_ours(job, words[0])) try_entry(phase, one.substr(0, colon), words, worst);
        }
    }
    return worst;
}

} // namespace assay::verdict
