#include "core/base/clock.hpp"
#include "core/base/text.hpp"
#include "core/context/facts.hpp"
#include "core/context/target.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace assay {
namespace {

constexpr const char* source = "/proc/diskstats";
constexpr std::uint64_t sector_bytes = 512; // whatever the device's own block size (Documentation/admin-guide/iostats)

std::string_view next_word(std::string_view& line) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) return {};
    const std::size_t end = line.find(' ', start);
    const std::string_view word = line.substr(start, end == std::string_view::npos ? end : end - start);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    return word;
}

bool parse_count(std::string_view word, std::uint64_t& count) {
    const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    return !word.empty() && error == std::errc() && stopped == word.data() + word.size();
}

// After the name: reads completed, reads merged, sectors read, ms, writes completed, writes merged, sectors written,
// ms.
bool parse_counters(std::string_view rest, DiskCounters& counters) {
    std::uint64_t ignored = 0;
    for (std::uint64_t* field : {&counters.read_operations, &ignored, &counters.read_sectors, &ignored,
                                 &counters.write_operations, &ignored, &counters.write_sectors}) {
        if (!parse_count(next_word(rest), *field)) return false;
    }
    return true;
}

// False if the counter went backwards, or by more than its bytes can be counted.
bool grown(std::uint64_t later, std::uint64_t earlier, std::uint64_t unit, std::uint64_t& growth) {
    return later >= earlier && !__builtin_mul_overflow(later - earlier, unit, &growth);
}

bool differ(const DiskCounters& later, const DiskCounters& earlier, result::DeviceDelta& delta) {
    return grown(later.read_sectors, earlier.read_sectors, sector_bytes, delta.read_bytes) &&
           grown(later.write_sectors, earlier.write_sectors, sector_bytes, delta.written_bytes) &&
           grown(later.read_operations, earlier.read_operations, 1, delta.read_operations) &&
           grown(later.write_operations, earlier.write_operations, 1, delta.write_operations);
}

} // namespace

DiskReading parse_diskstats(std::string_view text, const std::vector<std::string>& devices) {
    DiskReading reading;
    for (std::string_view line : split(text, '\n')) {
        next_word(line); // major
        next_word(line); // minor
        const std::string name(next_word(line));
        DiskCounters counters;
        if (std::find(devices.begin(), devices.end(), name) != devices.end() && parse_counters(line, counters))
            reading.disks[name] = counters;
    }
    return reading;
}

DiskReading read_disks(const std::vector<std::string>& devices) {
    constexpr std::size_t max_bytes = 16 * 1024 * 1024; // some 100,000 devices
    DiskReading reading;
    if (!devices.empty()) reading = parse_diskstats(context::read_text(source, max_bytes).value_or(""), devices);
    reading.at_ns = monotonic_ns();
    return reading;
}

std::vector<result::DeviceDelta> difference(const DiskReading& later, const DiskReading& earlier) {
    std::set<std::string> names;
    for (const DiskReading* reading : {&later, &earlier}) {
        for (const auto& [name, counters] : reading->disks)
            names.insert(name);
    }
    std::vector<result::DeviceDelta> deltas;
    for (const std::string& name : names) {
        const auto before = earlier.disks.find(name);
        const auto after = later.disks.find(name);
        result::DeviceDelta delta;
        const bool valid =
            before != earlier.disks.end() && after != later.disks.end() && differ(after->second, before->second, delta);
        if (!valid) delta = {}; // no half of a difference
        delta.device = name;
        delta.valid = valid;
        delta.source = source;
        delta.window_ns = later.at_ns - earlier.at_ns;
        deltas.push_back(std::move(delta));
    }
    return deltas;
}

std::optional<std::uint64_t> process_read_bytes() {
    const std::string io = context::read_text("/proc/self/io").value_or("");
    for (const std::string_view line : split(io, '\n')) {
        constexpr std::string_view key = "read_bytes: ";
        std::uint64_t bytes = 0;
        if (line.starts_with(key) && parse_count(line.substr(key.size()), bytes)) return bytes;
    }
    return std::nullopt;
}

} // namespace assay
