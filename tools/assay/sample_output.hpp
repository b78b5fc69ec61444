// Samples for machines: JSON lines, CSV rows, and the whole of them as samples.json (docs/reference/sample.md).
//
// Times are seconds since sampling began; a row or object carries the end of its interval. Control thread.
#pragma once

#include "core/sample/collector.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

std::string json_text(const std::string& text); // in quotes

// Text of points, with what does not change of each series made once.
class SampleWriter {
public:
    SampleWriter(const sample::Timeline& timeline, std::int64_t start_ns) : timeline_(timeline), start_ns_(start_ns) {}

    static const char* csv_header() { return "time_s,metric,labels,unit,value\n"; }
    // A line for each value; gaps have none.
    std::string csv_rows(std::span<const sample::NewPoint> points);
    // One line: {"time_s":..., "values":[...], "gaps":[...]}.
    std::string json_line(std::span<const sample::NewPoint> points, std::int64_t from_ns, std::int64_t to_ns);

private:
    void prepare();
    [[nodiscard]] double seconds(std::int64_t instant_ns) const {
        return static_cast<double>(instant_ns - start_ns_) * 1e-9;
    }

    const sample::Timeline& timeline_;
    const std::int64_t start_ns_;
    std::vector<std::string> csv_;  // "disk.read,device=vda,B/s,"
    std::vector<std::string> json_; // {"metric":...,"labels":{...},"unit":"B/s",
};

struct SampleAbout {
    std::string started; // UTC
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t interval_ns = 0;
    std::uint64_t missed = 0;
    double cpu_s = 0;                                         // that sampling used
    std::string command;                                      // its name; arguments may hold secrets
    int exit_status = 0;                                      // of the command
    std::vector<std::pair<std::string, std::string>> plugins; // name, version
};
std::string samples_json(const SampleAbout& about, const sample::Collector& collector);

} // namespace assay::cli
