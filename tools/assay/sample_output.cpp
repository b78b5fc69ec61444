#include "tools/assay/sample_output.hpp"

#include "core/session/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace assay::cli {
namespace {

using sample::Gap;
using sample::NewPoint;
using sample::Point;
using sample::SeriesSpec;

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string labels_json(const SeriesSpec& spec) {
    std::string text = "{";
    for (const auto& [key, value] : spec.label_pairs()) {
        if (text.size() > 1) text += ',';
        text += json_text(std::string(key)) + ':' + json_text(sample::unescaped(value));
    }
    return text + '}';
}

std::string series_json(const sample::Timeline& timeline, std::size_t index, std::int64_t start_ns) {
    const auto seconds = [&](std::int64_t instant_ns) { return static_cast<double>(instant_ns - start_ns) * 1e-9; };
    const SeriesSpec& spec = timeline.spec(index);
    const sample::Totals& totals = timeline.totals(index);
    std::string text = fmt::format(R"({{"plugin":{},"metric":{},"labels":{},"kind":"{}","unit":{})",
                                   json_text(spec.plugin), json_text(spec.metric), labels_json(spec),
                                   spec.counter ? "counter" : "gauge", json_text(spec.rate_unit()));
    auto out = std::back_inserter(text);
    if (spec.counter && totals.values > 0)
        fmt::format_to(out, R"(,"total":{},"total_unit":{},"covered_s":{})", totals.total, json_text(spec.unit),
                       static_cast<double>(totals.covered_ns) * 1e-9);
    if (const auto mean = timeline.mean(index)) fmt::format_to(out, R"(,"mean":{})", *mean);
    if (totals.max_at)
        fmt::format_to(out, R"(,"max":{},"max_at_s":{:.6f})", totals.max_at->value, seconds(totals.max_at->end_ns));
    fmt::format_to(out, R"(,"gaps":{},"points":[)", totals.gaps);
    bool first = true;
    for (const Point& point : timeline.points(index)) {
        fmt::format_to(out, "{}[{:.6f},{:.6f},", first ? "" : ",", seconds(point.start_ns), seconds(point.end_ns));
        first = false;
        if (point.gap == Gap::none)
            fmt::format_to(out, "{}]", point.value);
        else
            fmt::format_to(out, R"(null,"{}"])", sample::gap_name(point.gap));
    }
    return text + "]}";
}

} // namespace

std::string json_text(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void SampleWriter::prepare() {
    for (std::size_t i = csv_.size(); i < timeline_.size(); ++i) {
        const SeriesSpec& spec = timeline_.spec(i);
        csv_.push_back(csv_field(spec.metric) + ',' + csv_field(spec.labels) + ',' + csv_field(spec.rate_unit()) + ',');
        json_.push_back(R"({"metric":)" + json_text(spec.metric) + R"(,"labels":)" + labels_json(spec) + R"(,"unit":)" +
                        json_text(spec.rate_unit()) + ',');
    }
}

std::string SampleWriter::csv_rows(std::span<const NewPoint> points) {
    prepare();
    std::string text;
    for (const NewPoint& each : points)
        if (each.point.gap == Gap::none)
            fmt::format_to(std::back_inserter(text), "{:.6f},{}{}\n", seconds(each.point.end_ns), csv_[each.series],
                           each.point.value);
    return text;
}

std::string SampleWriter::json_line(std::span<const NewPoint> points, std::int64_t from_ns, std::int64_t to_ns) {
    prepare();
    std::string values;
    std::string gaps;
    for (const NewPoint& each : points) {
        std::string& part = each.point.gap == Gap::none ? values : gaps;
        if (!part.empty()) part += ',';
        part += json_[each.series];
        if (each.point.gap == Gap::none)
            fmt::format_to(std::back_inserter(part), R"("value":{}}})", each.point.value);
        else
            fmt::format_to(std::back_inserter(part), R"("gap":"{}"}})", sample::gap_name(each.point.gap));
    }
    return fmt::format(R"({{"time_s":{:.6f},"interval_s":{:.6f},"values":[{}],"gaps":[{}]}})", seconds(to_ns),
                       static_cast<double>(to_ns - from_ns) * 1e-9, values, gaps) +
           '\n';
}

std::string samples_json(const SampleAbout& about, const sample::Collector& collector) {
    std::string text = fmt::format(
        R"({{"schema":"assay.sample/1","version":{},"started":{},"duration_s":{:.6f},"interval_s":{},"ticks":{},)"
        R"("missed":{},"sampling_cpu_s":{:.6f},)",
        json_text(tool_version()), json_text(about.started), static_cast<double>(about.end_ns - about.start_ns) * 1e-9,
        static_cast<double>(about.interval_ns) * 1e-9, collector.ticks(), about.missed, about.cpu_s);
    if (!about.command.empty())
        text += fmt::format(R"("command":{},"exit_status":{},)", json_text(about.command), about.exit_status);
    text += R"("plugins":[)";
    for (std::size_t i = 0; i < about.plugins.size(); ++i)
        text += fmt::format(R"({}{{"name":{},"version":{}}})", i == 0 ? "" : ",", json_text(about.plugins[i].first),
                            json_text(about.plugins[i].second));
    text += "],\"series\":[";
    const sample::Timeline& timeline = collector.timeline();
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        text += i == 0 ? "\n" : ",\n";
        text += series_json(timeline, i, about.start_ns);
    }
    return text + "\n]}\n";
}

} // namespace assay::cli
