#include "core/result/io.hpp"
#include "core/result/io/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <array>

// Reads what to_json writes. Members this version does not know are skipped, so that a later version may add some
// without a new format number; members it knows must be there, but for the optional ones.
namespace assay::result {
namespace {

constexpr std::size_t max_elements = 1'000'000; // of any list; the whole document is bounded by check_json_cost()
constexpr std::int64_t max_time_ns = std::int64_t{1} << 61U; // differences of two stay in range

template <class Enum, std::size_t N>
Enum one_of(const Node& node, const std::array<Enum, N>& values, std::string_view (*name)(Enum)) {
    const std::string text = node.text();
    std::string names;
    for (const Enum value : values) {
        if (text == name(value)) return value;
        names += (names.empty() ? "" : ", ") + std::string(name(value));
    }
    node.refuse("one of " + names + " is needed");
}

std::int64_t time_ns(const Node& node) { return node.integer(-max_time_ns, max_time_ns); }
std::int64_t duration_ns(const Node& node) { return node.integer(0, max_time_ns); }
std::uint32_t count32(const Node& node) { return static_cast<std::uint32_t>(node.count(UINT32_MAX)); }

template <class T>
std::vector<T> list(const Node& array, T (*read)(const Node&)) {
    std::vector<T> items;
    array.each(max_elements, [&](const Node& node) { items.push_back(read(node)); });
    return items;
}

std::string text(const Node& node) { return node.text(); }

std::pair<std::string, std::string> pair(const Node& node) {
    return {node.member("key").text(), node.member("value").text()};
}

Value value(const Node& node) {
    const nlohmann::json& raw = node.raw();
    if (raw.is_string()) return node.text();
    if (raw.is_boolean()) return node.boolean();
    if (raw.is_number_integer()) return node.integer(INT64_MIN, INT64_MAX);
    if (raw.is_number() || node.has("non_finite")) return node.real();
    node.refuse("a string, number or boolean is needed");
}

Fact fact(const Node& node) {
    return {node.member("key").text(), value(node.member("value")), node.member("unit").text(),
            node.member("source").text()};
}

Plugin plugin(const Node& node) {
    return {node.member("name").text(), node.member("id").text(),     node.member("version").text(),
            node.member("path").text(), node.member("sha256").text(), node.member("build_id").text()};
}

ErrorCount error_count(const Node& node) {
    return {node.member("what").text(), count32(node.member("domain")), count32(node.member("code")),
            node.member("count").count()};
}

std::pair<std::string, Histogram> histogram(const Node& node) {
    Histogram histogram;
    std::uint64_t total = 0;
    std::int64_t previous = -1;
    const Node buckets = node.member("buckets");
    buckets.each(ASSAY_HISTOGRAM_BUCKETS, [&](const Node& bucket) {
        if (!bucket.raw().is_array() || bucket.size() != 2) bucket.refuse("a pair [bucket index, count] is needed");
        const auto index = static_cast<std::uint32_t>(bucket.element(0).count(ASSAY_HISTOGRAM_BUCKETS - 1));
        const std::uint64_t count = bucket.element(1).count(UINT64_MAX - total);
        if (index <= previous) bucket.element(0).refuse("bucket indices grow from pair to pair");
        if (count == 0) bucket.element(1).refuse("only buckets that hold something are listed");
        previous = index;
        total += count;
        histogram.add_bucket(index, count);
    });
    const std::uint64_t sum_ns = node.member("sum_ns").count();
    const std::uint64_t min_ns = node.member("min_ns").count();
    const std::uint64_t max_ns = node.member("max_ns").count();
    if (min_ns > max_ns) node.member("min_ns").refuse("it is at most max_ns, " + std::to_string(max_ns));
    // An empty histogram has no extremes to restore.
    if (total > 0) histogram.set_extremes(sum_ns, min_ns, max_ns, node.member("extremes_exact").boolean());
    return {node.member("name").text(), std::move(histogram)};
}

Operation operation(const Node& node) {
    Operation operation;
    operation.name = node.member("name").text();
    operation.kind =
        one_of(node.member("kind"), std::array{OperationKind::read, OperationKind::write, OperationKind::other},
               operation_kind_name);
    operation.operations = node.member("operations").count();
    operation.bytes = node.member("bytes").count();
    operation.errors = node.member("errors").count();
    operation.error_counts = list(node.member("error_counts"), error_count);
    operation.histograms = list(node.member("histograms"), histogram);
    return operation;
}

bool is_counter(const Node& kind) {
    const std::string word = kind.text();
    if (word != "counter" && word != "gauge") kind.refuse("one of counter, gauge is needed");
    return word == "counter";
}

Metric metric(const Node& node) {
    return {node.member("key").text(), node.member("unit").text(), is_counter(node.member("kind")),
            node.member("value").count()};
}

Worker worker(const Node& node) {
    Worker worker;
    worker.index = count32(node.member("index"));
    worker.cpu = static_cast<int>(node.member("cpu").integer(-1, INT32_MAX));
    worker.operations = node.member("operations").count();
    worker.bytes = node.member("bytes").count();
    worker.started_ns = time_ns(node.member("started_ns"));
    worker.ended_ns = time_ns(node.member("ended_ns"));
    worker.cpu_user_ns = time_ns(node.member("cpu_user_ns"));
    worker.cpu_system_ns = time_ns(node.member("cpu_system_ns"));
    worker.mean_in_flight = node.member("mean_in_flight_requests").real();
    if (node.has("run_wait_ns")) worker.run_wait_ns = time_ns(node.member("run_wait_ns"));
    if (node.has("each_operation")) worker.each_operation = list(node.member("each_operation"), operation);
    return worker;
}

SeriesPoint::PerOperation interval_operation(const Node& node) {
    SeriesPoint::PerOperation operation{node.member("operations").count(), node.member("bytes").count(),
                                        node.member("errors").count(),     node.member("mean_ns").count(),
                                        node.member("p50_ns").count(),     node.member("p99_ns").count(),
                                        node.member("max_ns").count()};
    if (node.has("response_p50_ns"))
        operation.response = {node.member("response_p50_ns").count(), node.member("response_p99_ns").count(),
                              node.member("response_max_ns").count()};
    return operation;
}

SeriesPoint interval(const Node& node) {
    return {time_ns(node.member("start_ns")), time_ns(node.member("end_ns")),
            list(node.member("operations"), interval_operation), node.member("in_flight_requests").real(),
            node.member("warmup").boolean()};
}

Arrival arrival(const Node& node) {
    return {node.member("process").text(), node.member("offered_operations_per_s").real(),
            node.member("late_starts").count(), node.member("missed_starts").count()};
}

SampledSeries::Point sampled_point(const Node& node) {
    if (!node.raw().is_array() || node.size() != 3) node.refuse("a triple [start_ns, end_ns, value] is needed");
    return {time_ns(node.element(0)), time_ns(node.element(1)), node.element(2).real()};
}

SampledSeries sampled(const Node& node) {
    return {node.member("sampler").text(), node.member("metric").text(),    node.member("labels").text(),
            node.member("unit").text(),    is_counter(node.member("kind")), list(node.member("points"), sampled_point),
            node.member("gaps").count()};
}

Phase phase(const Node& node) {
    Phase phase;
    phase.name = node.member("name").text();
    phase.kind = one_of(node.member("kind"), std::array{PhaseKind::setup, PhaseKind::measured, PhaseKind::teardown},
                        phase_kind_name);
    phase.end = one_of(node.member("end"),
                       std::array{PhaseEnd::time, PhaseEnd::work, PhaseEnd::stopped, PhaseEnd::failed, PhaseEnd::hung},
                       phase_end_name);
    phase.warmup_ns = duration_ns(node.member("warmup_ns"));
    phase.window_start_ns = time_ns(node.member("window_start_ns"));
    phase.window_end_ns = time_ns(node.member("window_end_ns"));
    phase.process_cpu_ns = time_ns(node.member("process_cpu_ns"));
    phase.mean_in_flight = node.member("mean_in_flight_requests").real();
    if (node.has("generator_ns_per_operation"))
        phase.generator_ns_per_operation = node.member("generator_ns_per_operation").real();
    if (node.has("arrival")) phase.arrival = arrival(node.member("arrival"));
    phase.operations = list(node.member("operations"), operation);
    phase.metrics = list(node.member("metrics"), metric);
    phase.workers = list(node.member("workers"), worker);
    const Node series = node.member("series");
    phase.series = list(series, interval);
    for (std::size_t at = 0; at < phase.series.size(); ++at) {
        if (phase.series[at].operations.size() > phase.operations.size())
            series.element(at)
                .member("operations")
                .refuse("the phase has " + std::to_string(phase.operations.size()) + " operations");
    }
    return phase;
}

Extents extents(const Node& node) {
    return {node.member("known").boolean(),         node.member("why_unknown").text(),
            node.member("region_bytes").count(),    node.member("written_bytes").count(),
            node.member("unwritten_bytes").count(), node.member("hole_bytes").count()};
}

Target target(const Node& node) {
    Target target;
    target.name = node.member("name").text();
    target.kind = node.member("kind").text();
    target.reads = node.member("reads").boolean();
    target.writes = node.member("writes").boolean();
    target.direct = node.member("direct").boolean();
    target.offset_bytes = node.member("offset_bytes").count();
    target.length_bytes = node.member("length_bytes").count();
    target.unique_bytes = node.member("unique_bytes").count();
    target.context = list(node.member("context"), fact);
    target.devices = list(node.member("devices"), text);
    if (node.has("extents")) target.extents = extents(node.member("extents"));
    return target;
}

DeviceDelta device(const Node& node) {
    return {node.member("device").text(),
            node.member("read_bytes").count(),
            node.member("written_bytes").count(),
            node.member("read_operations").count(),
            node.member("write_operations").count(),
            node.member("valid").boolean(),
            node.member("source").text(),
            time_ns(node.member("window_ns"))};
}

Job job(const Node& node) {
    Job job;
    job.name = node.member("name").text();
    job.workload = node.member("workload").text();
    job.options = list(node.member("options"), pair);
    job.given_options = list(node.member("given_options"), text);
    job.workers = count32(node.member("workers"));
    job.failure = node.member("failure").text();
    job.cut_short = node.member("cut_short").boolean();
    job.targets = list(node.member("targets"), target);
    job.facts = list(node.member("facts"), fact);
    job.phases = list(node.member("phases"), phase);
    job.devices = list(node.member("devices"), device);
    return job;
}

Evidence evidence(const Node& node) {
    return {node.member("name").text(), value(node.member("value")), node.member("unit").text(),
            node.member("source").text()};
}

Verdict verdict(const Node& node) {
    Verdict verdict;
    verdict.check = node.member("check").text();
    verdict.version = static_cast<int>(node.member("version").integer(1, INT32_MAX));
    verdict.level =
        one_of(node.member("level"),
               std::array{Level::pass, Level::note, Level::unknown, Level::suspect, Level::invalid}, level_name);
    verdict.scope = node.member("scope").text();
    verdict.job = node.member("job").text();
    verdict.phase = node.member("phase").text();
    verdict.operation = node.member("operation").text();
    verdict.message = node.member("message").text();
    verdict.arithmetic = node.member("arithmetic").text();
    verdict.threshold = node.member("threshold").text();
    verdict.remedy = node.member("remedy").text();
    verdict.evidence = list(node.member("evidence"), evidence);
    return verdict;
}

Repeat repeat(const Node& node) {
    Repeat repeat;
    repeat.jobs = list(node.member("jobs"), job);
    // Absent in results of version 0.1.0.
    if (node.has("samples")) repeat.samples = list(node.member("samples"), sampled);
    repeat.verdicts = list(node.member("verdicts"), verdict);
    return repeat;
}
Point point(const Node& node) { return {list(node.member("parameters"), pair), list(node.member("repeats"), repeat)}; }
Stage stage(const Node& node) { return {node.member("name").text(), list(node.member("points"), point)}; }

Run run(const Node& node) {
    Run run;
    const Node format = node.member("format_version");
    run.format = static_cast<int>(format.integer(1, INT32_MAX));
    if (run.format > format_version)
        format.refuse("this version of assay reads formats 1 to " + std::to_string(format_version) +
                      ": use the version that wrote it, or a later one");
    run.tool_version = node.member("tool_version").text();
    run.started = node.member("started").text();
    run.duration_ns = duration_ns(node.member("duration_ns"));
    run.command_line = list(node.member("command_line"), text);
    run.plan_name = node.member("plan_name").text();
    run.plan_yaml = node.member("plan_yaml").text();
    run.context = list(node.member("context"), fact);
    run.plugins = list(node.member("plugins"), plugin);
    run.cut_short = node.member("cut_short").boolean();
    run.cut_reason = node.member("cut_reason").text();
    run.stages = list(node.member("stages"), stage);
    return run;
}

// nlohmann prefixes its own error number; what follows names line and column.
std::string parse_message(const nlohmann::json::exception& error) {
    std::string what = error.what();
    const std::size_t end = what.find("] ");
    return end == std::string::npos ? what : what.substr(end + 2);
}

} // namespace

Result<Run> from_json(const std::string& json) {
    try {
        check_json_cost(json);
        const nlohmann::json document = nlohmann::json::parse(json);
        return run(Node(document));
    } catch (const ReadError& refused) {
        return usage_error("not a result that assay wrote: " + refused.message);
    } catch (const nlohmann::json::exception& error) {
        return usage_error("not JSON: " + parse_message(error));
    } catch (const std::bad_alloc&) {
        return run_error("not enough memory to read a result of " + std::to_string(json.size()) + " bytes");
    }
}

} // namespace assay::result
