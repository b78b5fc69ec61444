#include "core/result/io.hpp"
#include "core/result/io/json_writer.hpp"

#include <utility>

// What a "derived" object holds can be computed from the rest: it is there for people and scripts, and not read back.
namespace assay::result {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::pair<const char*, double> percentiles[] = {{"p50_ns", 50}, {"p90_ns", 90},     {"p95_ns", 95},
                                                          {"p99_ns", 99}, {"p99_9_ns", 99.9}, {"p99_99_ns", 99.99}};

class Writer {
public:
    std::string run(const Run& run) && {
        json_.begin_object();
        integer("format_version", run.format);
        text("tool", "assay");
        text("tool_version", run.tool_version);
        text("started", run.started);
        integer("duration_ns", run.duration_ns);
        texts("command_line", run.command_line);
        text("plan_name", run.plan_name);
        text("plan_yaml", run.plan_yaml);
        list("context", run.context, &Writer::fact);
        list("plugins", run.plugins, &Writer::plugin);
        boolean("cut_short", run.cut_short);
        text("cut_reason", run.cut_reason);
        list("stages", run.stages, &Writer::stage);
        json_.key("derived");
        json_.begin_object(Layout::compact);
        text("worst_level", level_name(worst_level(run)));
        json_.end_object();
        json_.end_object();
        return std::move(json_).take();
    }

private:
    void text(std::string_view key, std::string_view value) {
        json_.key(key);
        json_.text(value);
    }
    void integer(std::string_view key, std::int64_t value) {
        json_.key(key);
        json_.integer(value);
    }
    void count(std::string_view key, std::uint64_t value) {
        json_.key(key);
        json_.count(value);
    }
    void real(std::string_view key, double value) {
        json_.key(key);
        json_.real(value);
    }
    void boolean(std::string_view key, bool value) {
        json_.key(key);
        json_.boolean(value);
    }
    void texts(std::string_view key, const std::vector<std::string>& values) {
        json_.key(key);
        json_.begin_array(Layout::compact);
        for (const std::string& value : values)
            json_.text(value);
        json_.end_array();
    }
    void pairs(std::string_view key, const std::vector<std::pair<std::string, std::string>>& values) {
        json_.key(key);
        json_.begin_array();
        for (const auto& [name, value] : values) {
            json_.begin_object(Layout::compact);
            text("key", name);
            text("value", value);
            json_.end_object();
        }
        json_.end_array();
    }
    template <class T>
    void list(std::string_view key, const std::vector<T>& items, void (Writer::*write)(const T&)) {
        json_.key(key);
        json_.begin_array();
        for (const T& item : items)
            (this->*write)(item);
        json_.end_array();
    }
    void value(const Value& value) {
        json_.key("value");
        if (const auto* as_text = std::get_if<std::string>(&value)) json_.text(*as_text);
        if (const auto* as_integer = std::get_if<std::int64_t>(&value)) json_.integer(*as_integer);
        if (const auto* as_real = std::get_if<double>(&value)) json_.real(*as_real);
        if (const auto* as_bool = std::get_if<bool>(&value)) json_.boolean(*as_bool);
    }

    void fact(const Fact& fact) {
        json_.begin_object(Layout::compact);
        text("key", fact.key);
        value(fact.value);
        text("unit", fact.unit);
        text("source", fact.source);
        json_.end_object();
    }
    void plugin(const Plugin& plugin) {
        json_.begin_object();
        text("name", plugin.name);
        text("id", plugin.id);
        text("version", plugin.version);
        text("path", plugin.path);
        text("sha256", plugin.sha256);
        text("build_id", plugin.build_id);
        json_.end_object();
    }
    void stage(const Stage& stage) {
        json_.begin_object();
        text("name", stage.name);
        list("points", stage.points, &Writer::point);
        json_.end_object();
    }
    void point(const Point& point) {
        json_.begin_object();
        pairs("parameters", point.parameters);
        list("repeats", point.repeats, &Writer::repeat);
        json_.end_object();
    }
    void repeat(const Repeat& repeat) {
        json_.begin_object();
        list("jobs", repeat.jobs, &Writer::job);
        list("samples", repeat.samples, &Writer::sampled);
        list("verdicts", repeat.verdicts, &Writer::verdict);
        json_.end_object();
    }
    void job(const Job& job) {
        json_.begin_object();
        text("name", job.name);
        text("workload", job.workload);
        pairs("options", job.options);
        texts("given_options", job.given_options);
        count("workers", job.workers);
        text("failure", job.failure);
        boolean("cut_short", job.cut_short);
        list("targets", job.targets, &Writer::target);
        list("facts", job.facts, &Writer::fact);
        list("phases", job.phases, &Writer::phase);
        list("devices", job.devices, &Writer::device);
        json_.end_object();
    }
    void target(const Target& target) {
        json_.begin_object();
        text("name", target.name);
        text("kind", target.kind);
        boolean("reads", target.reads);
        boolean("writes", target.writes);
        boolean("direct", target.direct);
        count("offset_bytes", target.offset_bytes);
        count("length_bytes", target.length_bytes);
        count("unique_bytes", target.unique_bytes);
        list("context", target.context, &Writer::fact);
        texts("devices", target.devices);
        if (target.extents) {
            json_.key("extents");
            json_.begin_object(Layout::compact);
            boolean("known", target.extents->known);
            text("why_unknown", target.extents->why_unknown);
            count("region_bytes", target.extents->region_bytes);
            count("written_bytes", target.extents->written_bytes);
            count("unwritten_bytes", target.extents->unwritten_bytes);
            count("hole_bytes", target.extents->hole_bytes);
            json_.end_object();
        }
        json_.end_object();
    }
    void phase(const Phase& phase) {
        window_s_ = phase.window_s();
        json_.begin_object();
        text("name", phase.name);
        text("kind", phase_kind_name(phase.kind));
        text("end", phase_end_name(phase.end));
        integer("warmup_ns", phase.warmup_ns);
        integer("window_start_ns", phase.window_start_ns);
        integer("window_end_ns", phase.window_end_ns);
        integer("process_cpu_ns", phase.process_cpu_ns);
        real("mean_in_flight_requests", phase.mean_in_flight);
        if (phase.generator_ns_per_operation) real("generator_ns_per_operation", *phase.generator_ns_per_operation);
        if (phase.arrival) arrival(*phase.arrival);
        list("operations", phase.operations, &Writer::operation);
        list("metrics", phase.metrics, &Writer::metric);
        list("workers", phase.workers, &Writer::worker);
        list("series", phase.series, &Writer::interval);
        json_.end_object();
    }
    void arrival(const Arrival& arrival) {
        json_.key("arrival");
        json_.begin_object(Layout::compact);
        text("process", arrival.process);
        real("offered_operations_per_s", arrival.offered_per_s);
        count("late_starts", arrival.late_starts);
        count("missed_starts", arrival.missed_starts);
        json_.end_object();
    }
    void sampled(const SampledSeries& series) {
        json_.begin_object(Layout::compact);
        text("sampler", series.sampler);
        text("metric", series.metric);
        text("labels", series.labels);
        text("unit", series.unit);
        text("kind", series.counter ? "counter" : "gauge");
        count("gaps", series.gaps);
        json_.key("points"); // [start_ns, end_ns, value]
        json_.begin_array();
        for (const SampledSeries::Point& point : series.points) {
            json_.begin_array();
            json_.integer(point.start_ns);
            json_.integer(point.end_ns);
            json_.real(point.value);
            json_.end_array();
        }
        json_.end_array();
        json_.end_object();
    }
    void operation(const Operation& operation) {
        json_.begin_object();
        text("name", operation.name);
        text("kind", operation_kind_name(operation.kind));
        count("operations", operation.operations);
        count("bytes", operation.bytes);
        count("errors", operation.errors);
        list("error_counts", operation.error_counts, &Writer::error_count);
        list("histograms", operation.histograms, &Writer::histogram);
        if (window_s_ > 0) {
            json_.key("derived");
            json_.begin_object(Layout::compact);
            real("iops", static_cast<double>(operation.operations) / window_s_);
            real("bandwidth_bytes_per_s", static_cast<double>(operation.bytes) / window_s_);
            json_.end_object();
        }
        json_.end_object();
    }
    void error_count(const ErrorCount& error) {
        json_.begin_object(Layout::compact);
        text("what", error.what);
        count("domain", error.domain);
        count("code", error.code);
        count("count", error.count);
        json_.end_object();
    }
    void histogram(const std::pair<std::string, Histogram>& named) {
        const Histogram& histogram = named.second;
        json_.begin_object();
        text("name", named.first);
        count("sum_ns", histogram.sum_ns());
        count("min_ns", histogram.min_ns());
        count("max_ns", histogram.max_ns());
        boolean("extremes_exact", histogram.extremes_exact());
        json_.key("buckets");
        json_.begin_array(Layout::compact);
        for (const auto& [index, values] : histogram.sparse()) {
            json_.begin_array();
            json_.count(index);
            json_.count(values);
            json_.end_array();
        }
        json_.end_array();
        json_.key("derived");
        json_.begin_object(Layout::compact);
        count("count", histogram.count());
        if (histogram.count() > 0) {
            real("mean_ns", histogram.mean_ns());
            real("stddev_ns", histogram.stddev_ns());
            for (const auto& [key, percent] : percentiles)
                count(key, histogram.percentile_ns(percent));
        }
        json_.end_object();
        json_.end_object();
    }
    void metric(const Metric& metric) {
        json_.begin_object(Layout::compact);
        text("key", metric.key);
        text("unit", metric.unit);
        text("kind", metric.counter ? "counter" : "gauge");
        count("value", metric.value);
        json_.end_object();
    }
    void worker(const Worker& worker) {
        json_.begin_object(Layout::compact);
        count("index", worker.index);
        integer("cpu", worker.cpu);
        count("operations", worker.operations);
        count("bytes", worker.bytes);
        integer("started_ns", worker.started_ns);
        integer("ended_ns", worker.ended_ns);
        integer("cpu_user_ns", worker.cpu_user_ns);
        integer("cpu_system_ns", worker.cpu_system_ns);
        real("mean_in_flight_requests", worker.mean_in_flight);
        if (worker.run_wait_ns) integer("run_wait_ns", *worker.run_wait_ns);
        if (!worker.each_operation.empty()) list("each_operation", worker.each_operation, &Writer::operation);
        json_.end_object();
    }
    void interval(const SeriesPoint& point) {
        json_.begin_object(Layout::compact);
        integer("start_ns", point.start_ns);
        integer("end_ns", point.end_ns);
        boolean("warmup", point.warmup);
        real("in_flight_requests", point.in_flight);
        json_.key("operations");
        json_.begin_array();
        for (const SeriesPoint::PerOperation& operation : point.operations) {
            json_.begin_object();
            count("operations", operation.operations);
            count("bytes", operation.bytes);
            count("errors", operation.errors);
            count("mean_ns", operation.mean_ns);
            count("p50_ns", operation.p50_ns);
            count("p99_ns", operation.p99_ns);
            count("max_ns", operation.max_ns);
            if (operation.response) {
                count("response_p50_ns", operation.response->p50_ns);
                count("response_p99_ns", operation.response->p99_ns);
                count("response_max_ns", operation.response->max_ns);
            }
            json_.end_object();
        }
        json_.end_array();
        json_.end_object();
    }
    void device(const DeviceDelta& device) {
        json_.begin_object(Layout::compact);
        text("device", device.device);
        count("read_bytes", device.read_bytes);
        count("written_bytes", device.written_bytes);
        count("read_operations", device.read_operations);
        count("write_operations", device.write_operations);
        boolean("valid", device.valid);
        text("source", device.source);
        integer("window_ns", device.window_ns);
        json_.end_object();
    }
    void verdict(const Verdict& verdict) {
        json_.begin_object();
        text("check", verdict.check);
        integer("version", verdict.version);
        text("level", level_name(verdict.level));
        text("scope", verdict.scope);
        text("job", verdict.job);
        text("phase", verdict.phase);
        text("operation", verdict.operation);
        text("message", verdict.message);
        text("arithmetic", verdict.arithmetic);
        text("threshold", verdict.threshold);
        text("remedy", verdict.remedy);
        list("evidence", verdict.evidence, &Writer::evidence);
        json_.end_object();
    }
    void evidence(const Evidence& evidence) {
        json_.begin_object(Layout::compact);
        text("name", evidence.name);
        value(evidence.value);
        text("unit", evidence.unit);
        text("source", evidence.source);
        json_.end_object();
    }

    JsonWriter json_;
    double window_s_ = 0; // of the phase being written
};

} // namespace

std::string to_json(const Run& run) { return Writer().run(run); }

} // namespace assay::result
