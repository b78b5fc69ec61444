#include "tools/assay/dialects/fio/plan_job.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <sys/random.h>

namespace assay::cli::fio {
namespace {

constexpr std::uint64_t count_max = 1'000'000'000;
constexpr std::uint64_t fio_seed = 0x89;

PlanText text(std::string value) { return {std::move(value), 0, 0}; }
PlanText microseconds(std::int64_t us) { return us > 0 ? text(fmt::format("{}us", us)) : PlanText(); }

class Builder {
public:
    Builder(Settings& settings, const Shape& shape, const FileSet& files, const Clones& clones)
        : settings_(settings), shape_(shape), files_(files), clones_(clones) {}

    JobPlan run() {
        plan_.workload = text("block");
        for (const std::string& target : files_.targets)
            plan_.targets.push_back(text(target));
        plan_.workers = text(std::to_string(clones_.count));
        requests();
        order();
        region();
        data();
        durability();
        engine_options();
        pace();
        cpus();
        return std::move(plan_);
    }

private:
    void option(const char* key, std::string value) { plan_.options.emplace_back(key, text(std::move(value))); }

    void requests() {
        option("engine", shape_.engine);
        option("direct", direct() ? "yes" : "no");
        option("pattern", shape_.pattern);
        if (shape_.mixed()) option("read_share", fmt::format("{:g}%", shape_.read_percent));
        if (shape_.mix.empty()) {
            option("block_size", size_text(shape_.block_bytes));
        } else {
            std::vector<std::string> sizes;
            for (const WeightedBytes& size : shape_.mix)
                sizes.push_back(fmt::format("{}:{:g}", size_text(size.bytes), size.percent));
            plan_.options.emplace_back("block_size_mix", PlanText{join(sizes, ","), 0, 0, true});
        }
        const std::uint64_t depth = settings_.count("iodepth", 1, 1, 65'536);
        if (shape_.engine == "psync" && depth > 1)
            settings_.note(
                fmt::format("iodepth={} has no effect with ioengine={}: one request at a time for each clone", depth,
                            settings_.text("ioengine").value_or("psync")));
        option("queue_depth", std::to_string(shape_.engine == "psync" ? 1 : depth));
        reaping(depth);
    }

    // When the queue is full fio takes at least `min`, and goes on until iodepth_low are left.
    void reaping(std::uint64_t depth) {
        const bool batch = settings_.given("iodepth_batch_complete_min");
        const bool low = settings_.given("iodepth_low");
        if (shape_.engine == "psync" || (!batch && !low)) return;
        const std::uint64_t min = settings_.count("iodepth_batch_complete_min", 1, 0, 65'536);
        const std::uint64_t left = settings_.count("iodepth_low", depth, 0, 65'536);
        const std::uint64_t down = low && left > 0 && left < depth ? depth - left : 1;
        option("reap_batch", std::to_string(std::clamp<std::uint64_t>(std::max(min, down), 1, depth)));
    }

    bool direct() {
        const bool direct = settings_.on("direct");
        const bool buffered = settings_.on("buffered", !direct);
        if (settings_.given("direct") && settings_.given("buffered") && direct == buffered)
            settings_.fail("direct", "and buffered contradict each other: give one of them");
        return settings_.given("buffered") ? !buffered : direct;
    }

    void order() {
        const bool free = settings_.on("norandommap");
        if (free && shape_.pattern.starts_with("rand")) option("random_map", "free");
        if (const auto distribution = settings_.text("random_distribution")) distribute(*distribution);
        option("seed", std::to_string(seed()));
    }

    void distribute(const std::string& value) {
        const auto colon = value.find(':');
        const std::string kind = value.substr(0, colon);
        const std::string rest = colon == std::string::npos ? "" : value.substr(colon + 1);
        if (kind == "random" && rest.empty()) return;
        if (!shape_.pattern.starts_with("rand"))
            return settings_.note("random_distribution is ignored: the job is sequential");
        const auto number = [&](double fallback) {
            return rest.empty() ? fallback : settings_.take("random_distribution", parse_float(rest), fallback);
        };
        if (kind == "zipf") {
            option("distribution", "zipf");
            option("zipf_theta", fmt::format("{:g}", number(1.1)));
        } else if (kind == "pareto") {
            option("distribution", "pareto");
            option("pareto_h", fmt::format("{:g}", number(0.2)));
        } else if (kind == "normal") {
            option("distribution", "normal");
            option("normal_deviation", fmt::format("{:g}%", number(0)));
        } else if (kind == "zoned") {
            zones(rest);
        } else {
            settings_.fail(
                "random_distribution",
                fmt::format("{} is not one of random, zipf:THETA, pareto:H, normal:PERCENT and zoned:ACCESS/SIZE:..",
                            in_quotes(value)));
        }
    }

    // "60/10:30/20:10/70": 60% of the requests to the first 10% of the region ..
    void zones(const std::string& rest) {
        std::vector<std::string> zones;
        for (const std::string_view zone : split(rest, ':')) {
            const auto parts = split(zone, '/');
            if (parts.size() != 2)
                return settings_.fail("random_distribution", fmt::format("{} is not ACCESS/SIZE", in_quotes(zone)));
            const double access = settings_.take("random_distribution", parse_float(parts[0]));
            const double size = settings_.take("random_distribution", parse_float(parts[1]));
            zones.push_back(fmt::format("{:g}%:{:g}", size, access));
        }
        option("distribution", "zoned");
        plan_.options.emplace_back("zones", PlanText{join(zones, ","), 0, 0, true});
    }

    // Sections differ, so that they do not all read the same offsets; within one the workers derive their own.
    std::uint64_t seed() {
        if (settings_.given("randseed")) return settings_.count("randseed", 0, 0, INT64_MAX);
        if (settings_.on("randrepeat", true) || settings_.on("allrandrepeat")) return fio_seed + clones_.thread_number;
        std::uint64_t drawn = 0;
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
            settings_.fail("randrepeat", "the system gives no seed");
        return drawn >> 1;
    }

    void region() {
        const std::uint64_t offset = files_.offset_bytes + clones_.more_offset;
        if (offset > 0) option("offset", size_text(offset));
        if (files_.region_bytes) option("size", size_text(*files_.region_bytes * clones_.slices));
        if (files_.targets.size() > 1 || clones_.count > 1)
            option("share", files_.shared && clones_.slices == 1 ? "shared" : "split");
        const std::int64_t runtime_us = settings_.time_us("runtime", 1'000'000);
        if (settings_.on("time_based")) {
            if (runtime_us == 0) settings_.fail("time_based", "needs a runtime: add runtime=SECONDS");
        } else {
            amount(runtime_us > 0);
        }
        plan_.time.measure = microseconds(runtime_us);
        plan_.time.warmup = microseconds(settings_.time_us("ramp_time", 1'000'000));
        plan_.start_after = microseconds(settings_.time_us("startdelay", 1'000'000));
        if (!settings_.on("allow_file_create", true))
            option("layout", "never");
        else if (settings_.on("overwrite") && shape_.writes)
            overwrite();
    }

    void overwrite() {
        // A device has contents already, and fio leaves them.
        if (files_.devices) return settings_.note("overwrite is ignored: a device is never laid out");
        option("layout", "always");
    }

    void amount(bool has_runtime) {
        const std::uint64_t loops = settings_.count("loops", 1, 1, count_max);
        std::optional<std::uint64_t> bytes = files_.limit_bytes;
        if (settings_.share("io_size"))
            return settings_.fail("io_size", "as a percentage is not supported: give bytes");
        if (const auto given = settings_.bytes("io_size"); given && *given > 0) bytes = given;
        if (const std::uint64_t ios = settings_.count("number_ios", 0, 0, INT64_MAX / shape_.block_bytes); ios > 0) {
            if (!shape_.mix.empty()) return settings_.fail("number_ios", "needs one block size: use io_size");
            bytes = std::min(bytes.value_or(files_.pass_bytes), ios * shape_.block_bytes);
        }
        if (!bytes && loops == 1 && !has_runtime) return; // one pass, which is what a job without time makes
        const std::uint64_t one = bytes.value_or(files_.pass_bytes);
        if (one > INT64_MAX / loops) return settings_.fail("loops", "and the size make more than 8 EiB");
        option("amount", size_text(one * loops));
    }

    void data() {
        if (settings_.on("unlink")) option("unlink", "yes");
        if (shape_.trims) return;
        const std::uint64_t compressible = settings_.count("buffer_compress_percentage", 0, 0, 100);
        if (settings_.on("zero_buffers"))
            option("compressible", "100%");
        else if (compressible > 0)
            option("compressible", fmt::format("{}%", compressible));
        if (const std::uint64_t dedupe = settings_.count("dedupe_percentage", 0, 0, 100); dedupe > 0)
            option("dedupe", fmt::format("{}%", dedupe));
    }

    void durability() {
        if (!shape_.writes) return;
        const std::uint64_t fsync = settings_.count("fsync", 0, 0, count_max);
        const std::uint64_t fdatasync = settings_.count("fdatasync", 0, 0, count_max);
        if (fsync > 0 && fdatasync > 0)
            settings_.fail("fsync", "and fdatasync exclude each other here: give one of them");
        if (fsync + fdatasync > 0) {
            option("sync_every", std::to_string(std::max(fsync, fdatasync)));
            option("sync_call", fsync > 0 ? "fsync" : "fdatasync");
        }
        if (settings_.on("end_fsync") || settings_.on("fsync_on_close")) option("sync_at_end", "yes");
        const std::string sync = settings_.text("sync").value_or("none");
        if (sync == "sync" || sync == "1")
            option("sync_writes", "sync");
        else if (sync == "dsync")
            option("sync_writes", "dsync");
        else if (sync != "none" && sync != "0")
            settings_.fail("sync", fmt::format("{} is not one of none, sync and dsync", in_quotes(sync)));
    }

    void engine_options() {
        struct Tuning {
            const char* name;
            const char* option;
            const char* value;
        };
        static constexpr Tuning all[] = {{"fixedbufs", "registered_buffers", "yes"},
                                         {"registerfiles", "registered_files", "yes"},
                                         {"hipri", "poll", "iopoll"},
                                         {"sqthread_poll", "poll", "sqpoll"}};
        for (const Tuning& tuning : all) {
            if (!settings_.on(tuning.name)) continue;
            if (shape_.engine != "io_uring") {
                settings_.fail(tuning.name, "works with ioengine=io_uring only");
            } else {
                option(tuning.option, tuning.value);
            }
        }
        if (settings_.on("hipri") && settings_.on("sqthread_poll"))
            settings_.fail("hipri", "and sqthread_poll exclude each other here: give one of them");
    }

    void pace() {
        if (const std::optional<double> each = rate_of(settings_, shape_)) {
            const double all = *each * clones_.count;
            const auto rounded = static_cast<std::uint64_t>(std::llround(all));
            if (all < 0.5 || all > 1e12)
                return settings_.fail("rate", "makes less than one request a second, or too many");
            if (std::abs(all - static_cast<double>(rounded)) > 1e-6 * all)
                settings_.note(fmt::format("the rate is rounded to {} requests a second over all clones", rounded));
            plan_.rate = text(fmt::format("{}/s", rounded));
        }
        const std::string process = settings_.text("rate_process").value_or("linear");
        if (process == "poisson") {
            if (!plan_.rate.text.empty()) plan_.arrival = text("poisson");
        } else if (process != "linear") {
            settings_.fail("rate_process", fmt::format("{} is neither linear nor poisson", in_quotes(process)));
        }
        const std::int64_t pause_us = settings_.time_us("thinktime", 1);
        if (pause_us == 0) return;
        option("think_time", fmt::format("{}us", pause_us));
        option("think_every", std::to_string(settings_.count("thinktime_blocks", 1, 1, count_max)));
    }

    // Worker i of a plan job is pinned to CPU i of its list, modulo its length.
    void cpus() {
        std::vector<int> cpus;
        if (const auto list = settings_.text("cpus_allowed")) {
            cpus = settings_.take("cpus_allowed", parse_cpu_list(*list));
        } else if (const auto mask = settings_.text("cpumask")) {
            const std::uint64_t bits = settings_.take("cpumask", parse_count(*mask));
            for (int cpu = 0; cpu < 64; ++cpu)
                if ((bits >> cpu & 1) != 0) cpus.push_back(cpu);
            if (cpus.empty()) settings_.fail("cpumask", "0 allows no CPU");
        }
        const std::string policy = settings_.text("cpus_allowed_policy").value_or("shared");
        if (policy != "shared" && policy != "split")
            return settings_.fail("cpus_allowed_policy",
                                  fmt::format("{} is neither shared nor split", in_quotes(policy)));
        if (cpus.empty()) return;
        if (policy == "shared" && cpus.size() > 1)
            settings_.note("cpus_allowed: each clone is pinned to one of the CPUs, as with cpus_allowed_policy=split");
        std::rotate(cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(clones_.thread_number % cpus.size()),
                    cpus.end());
        plan_.cpus = text(fmt::format("{}", fmt::join(cpus, ",")));
    }

    Settings& settings_;
    const Shape& shape_;
    const FileSet& files_;
    const Clones& clones_;
    JobPlan plan_;
};

} // namespace

JobPlan plan_job(Settings& settings, const Shape& shape, const FileSet& files, const Clones& clones) {
    return Builder(settings, shape, files, clones).run();
}

} // namespace assay::cli::fio
