#include "core/result/io.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace assay::result {
namespace {

// RFC 4180: a field with a comma, quote or line break is quoted, and quotes in it are doubled.
std::string field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

using Response = SeriesPoint::PerOperation::Response;

std::string real(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string parameters(const Point& point) {
    std::string text;
    for (const auto& [key, value] : point.parameters)
        text += (text.empty() ? "" : " ") + key + "=" + value;
    return text;
}

void append(std::string& csv, const std::string& prefix, const Phase& phase) {
    for (const SeriesPoint& interval : phase.series) {
        const double seconds = static_cast<double>(interval.end_ns - interval.start_ns) * 1e-9;
        const std::size_t count = std::min(interval.operations.size(), phase.operations.size());
        for (std::size_t at = 0; at < count; ++at) {
            const SeriesPoint::PerOperation& values = interval.operations[at];
            csv += prefix + field(phase.name) + "," + std::string(phase_kind_name(phase.kind)) + ",";
            csv += field(phase.operations[at].name) + "," + (interval.warmup ? "1" : "0") + ",";
            csv += std::to_string(interval.start_ns) + "," + std::to_string(interval.end_ns) + ",";
            for (const std::uint64_t value : {values.operations, values.bytes, values.errors})
                csv += std::to_string(value) + ",";
            csv += seconds > 0 ? real(static_cast<double>(values.operations) / seconds) : "";
            csv += ",";
            csv += seconds > 0 ? real(static_cast<double>(values.bytes) / seconds) : "";
            csv += ",";
            // Latencies of nothing are nothing, not zero.
            for (const std::uint64_t value : {values.mean_ns, values.p50_ns, values.p99_ns, values.max_ns})
                csv += (values.operations > 0 ? std::to_string(value) : "") + ",";
            for (const auto member : {&Response::p50_ns, &Response::p99_ns, &Response::max_ns})
                csv += (values.response ? std::to_string(*values.response.*member) : "") + ",";
            csv += real(interval.in_flight) + ",,,,,\r\n";
        }
    }
}

// The same clock and columns for the times; what only load has stays empty.
void append(std::string& csv, const std::string& prefix, const SampledSeries& series) {
    const std::string text = field(series.sampler) + "," + field(series.metric) + "," + field(series.labels) + "," +
                             field(series.unit) + ",";
    for (const SampledSeries::Point& point : series.points)
        csv += prefix + ",,,,," + std::to_string(point.start_ns) + "," + std::to_string(point.end_ns) +
               ",,,,,,,,,,,,,," + text + real(point.value) + "\r\n";
}

} // namespace

std::string to_series_csv(const Run& run) {
    std::string csv =
        "stage,stage_name,point,parameters,repeat,job,phase,phase_kind,operation,warmup,start_ns,end_ns,operations,"
        "bytes,errors,operations_per_s,bytes_per_s,mean_ns,p50_ns,p99_ns,max_ns,response_p50_ns,response_p99_ns,"
        "response_max_ns,job_in_flight_requests,"
        "sampler,metric,labels,unit,value\r\n";
    std::size_t stage_number = 0;
    for (const Stage& stage : run.stages) {
        const std::string stage_text = std::to_string(++stage_number) + "," + field(stage.name) + ",";
        std::size_t point_number = 0;
        for (const Point& point : stage.points) {
            const std::string point_text =
                stage_text + std::to_string(++point_number) + "," + field(parameters(point)) + ",";
            std::size_t repeat_number = 0;
            for (const Repeat& repeat : point.repeats) {
                const std::string repeat_text = point_text + std::to_string(++repeat_number) + ",";
                for (const Job& job : repeat.jobs)
                    for (const Phase& phase : job.phases)
                        append(csv, repeat_text + field(job.name) + ",", phase);
                for (const SampledSeries& series : repeat.samples)
                    append(csv, repeat_text, series);
            }
        }
    }
    return csv;
}

} // namespace assay::result
