// `assay sample`: the samplers alone, or around any command, which notices nothing of it.
#include "core/base/clock.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/loader/loader.hpp"
#include "core/sample/collector.hpp"
#include "core/sample/schedule.hpp"
#include "tools/assay/child.hpp"
#include "tools/assay/command.hpp"
#include "tools/assay/sample_arguments.hpp"
#include "tools/assay/sample_output.hpp"
#include "tools/assay/sample_view.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include <stdio_ext.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace assay::cli {
namespace {

using sample::Collector;
using sample::SeriesSpec;

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

double own_cpu_s() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class SampleSession {
public:
    explicit SampleSession(SampleArguments arguments) : arguments_(std::move(arguments)) {}

    int run() {
        if (Status bad = prepare(); !bad.ok()) return fail(bad);
        const Signals signals(!arguments_.command.empty());
        if (Status bad = collector_->tick(); !bad.ok()) return give_up(bad);
        about_.started = utc_now_text();
        about_.start_ns = last_ns_ = monotonic_ns();
        cpu_before_s_ = own_cpu_s();
        view_.emplace(collector_->timeline(), about_.start_ns, arguments_.interval_ns, !arguments_.select.empty());
        writer_.emplace(collector_->timeline(), about_.start_ns);
        if (!arguments_.command.empty()) {
            int exit_code = 3;
            if (Status bad = child_.start(arguments_.command, signals, exit_code); !bad.ok()) {
                give_up(bad);
                return exit_code;
            }
        }
        sample::Schedule schedule(about_.start_ns, arguments_.interval_ns);
        sample::run_schedule(
            schedule, [&](std::int64_t deadline_ns) { return wait(deadline_ns, signals); }, [&] { tick(); });
        about_.missed = schedule.missed();
        about_.end_ns = monotonic_ns();
        about_.cpu_s = own_cpu_s() - cpu_before_s_;
        while (child_.running()) // sampling ended before the command did
            wait(std::numeric_limits<std::int64_t>::max(), signals);
        return finish();
    }

private:
    Status prepare() {
        lines_ = arguments_.command.empty() ? stdout : stderr;
        summary_ = arguments_.format == SampleFormat::lines ? lines_ : stderr;
        Loader::Options places;
        places.directories = default_plugin_directories();
        loader_ = std::make_unique<Loader>(std::move(places));
        std::vector<std::unique_ptr<sample::Sampler>> samplers;
        std::vector<bool> used(arguments_.settings.size(), false);
        for (const std::string& name : arguments_.plugins) {
            if (std::count(arguments_.plugins.begin(), arguments_.plugins.end(), name) > 1)
                return usage_error("--plugin " + name + " is given twice: its series would be there twice");
            Result<const LoadedPlugin*> plugin = loader_->find(name);
            if (!plugin) return plugin.status();
            Result<OptionSet> options = options_of(**plugin, used);
            if (!options) return options.status();
            auto sampler = sample::Sampler::create(*(*plugin)->descriptor, *options,
                                                   [](assay_severity severity, const std::string& text) {
                                                       if (severity >= ASSAY_LOG_WARNING)
                                                           std::fprintf(stderr, "assay: %s\n", text.c_str());
                                                   });
            if (!sampler) return sampler.status();
            samplers.push_back(std::move(*sampler));
            about_.plugins.emplace_back((*plugin)->name, (*plugin)->descriptor->version);
        }
        for (std::size_t i = 0; i < used.size(); ++i)
            if (!used[i])
                return usage_error("--set " + in_quotes(arguments_.settings[i]) +
                                   ": KEY=VALUE or PLUGIN.KEY=VALUE is wanted, for a plugin that --plugin names");
        Collector::Filter filter;
        if (!arguments_.select.empty())
            filter = [this](const SeriesSpec& spec) { return spec.matches_any(arguments_.select); };
        sample::Timeline::Limits limits;
        limits.max_span_min_ns = arguments_.interval_ns / 2;
        collector_ = std::make_unique<Collector>(std::move(samplers), limits, std::move(filter));
        if (Status bad = check_selection(); !bad.ok()) return bad;
        about_.interval_ns = arguments_.interval_ns;
        if (!arguments_.command.empty()) about_.command = arguments_.command[0];
        return open_output();
    }

    Result<OptionSet> options_of(const LoadedPlugin& plugin, std::vector<bool>& used) const {
        Result<OptionSet> options = OptionSet::defaults(plugin.schema);
        for (std::size_t i = 0; options && i < used.size(); ++i) {
            const std::string& setting = arguments_.settings[i];
            const std::size_t equals = setting.find('=');
            if (equals == std::string::npos) continue;
            std::string key = setting.substr(0, equals);
            if (key.starts_with(plugin.name + "."))
                key.erase(0, plugin.name.size() + 1);
            else if (key.find('.') != std::string::npos || arguments_.plugins.size() > 1)
                continue;
            used[i] = true;
            if (Status bad = options->set(key, setting.substr(equals + 1)); !bad.ok()) return bad.wrap("--set");
        }
        if (options)
            if (Status bad = options->check_required(); !bad.ok()) return bad;
        return options;
    }

    [[nodiscard]] Status check_selection() const {
        if (collector_->admits_any()) return {};
        std::map<std::string, std::size_t> families;
        for (const auto& sampler : collector_->samplers())
            for (const SeriesSpec& spec : sampler->table().series)
                ++families[spec.metric.substr(0, spec.metric.find('.')) +
                           (spec.metric.find('.') == std::string::npos ? "" : ".*")];
        std::vector<std::string> names;
        for (const auto& [family, count] : families)
            names.push_back(family);
        return usage_error("--select " + in_quotes(join(arguments_.select, " ")) + " matches no series; there are " +
                           join(names, ", "));
    }

    Status open_output() {
        if (arguments_.output.empty()) return {};
        const std::string& directory = arguments_.output;
        for (std::size_t at = directory.find('/', 1); at != std::string::npos; at = directory.find('/', at + 1))
            ::mkdir(directory.substr(0, at).c_str(), 0777);
        if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
            return run_error("--output " + directory + " cannot be made: " + std::strerror(errno));
        csv_path_ = directory + "/samples.csv";
        json_path_ = directory + "/samples.json";
        struct stat found {};
        for (const std::string& path : {csv_path_, json_path_})
            if (!arguments_.replace && ::stat(path.c_str(), &found) == 0)
                return usage_error(path + " exists; give another --output, or --replace to overwrite it");
        csv_.reset(std::fopen(csv_path_.c_str(), "we"));
        if (!csv_) return run_error(csv_path_ + " cannot be written: " + std::strerror(errno));
        std::fputs(SampleWriter::csv_header(), csv_.get());
        return {};
    }

    // Nothing was sampled: no file is left that says otherwise.
    int give_up(const Status& bad) {
        if (csv_) std::remove(csv_path_.c_str());
        return fail(bad);
    }

    // True at the deadline; false when sampling is over.
    bool wait(std::int64_t deadline_ns, const Signals& signals) {
        const std::int64_t end_ns = arguments_.duration_ns > 0 && about_.end_ns == 0
                                        ? about_.start_ns + arguments_.duration_ns
                                        : std::numeric_limits<std::int64_t>::max();
        for (;;) {
            if (output_failed_) return false;
            if (sleep_until(std::min(deadline_ns, end_ns), signals.fd(), child_.fd())) return deadline_ns < end_ns;
            if (const int signal = signals.take(); signal != 0) {
                if (arguments_.command.empty()) return false;
                child_.pass_on(signal);
                continue;
            }
            about_.exit_status = child_.finish();
            return false;
        }
    }

    void tick() {
        if (Status bad = collector_->tick(); !bad.ok() && bad.message() != last_failure_) {
            last_failure_ = bad.message();
            std::fprintf(stderr, "assay: %s\n", last_failure_.c_str());
        }
        const std::int64_t now_ns = monotonic_ns();
        const auto points = collector_->new_points();
        const std::string line = view_->line(points, last_ns_, now_ns);
        if (arguments_.format == SampleFormat::json)
            print(writer_->json_line(points, last_ns_, now_ns));
        else if (arguments_.format == SampleFormat::csv)
            print((collector_->ticks() == 2 ? SampleWriter::csv_header() : "") + writer_->csv_rows(points));
        else if (now_ns - last_ns_ >= arguments_.interval_ns / 10)
            print(line);
        if (csv_) std::fputs(writer_->csv_rows(points).c_str(), csv_.get());
        last_ns_ = now_ns;
    }

    void print(const std::string& text) {
        if (arguments_.quiet) return;
        std::fputs(text.c_str(), lines_);
        if (std::fflush(lines_) == 0 || lines_ != stdout) return;
        output_failed_ = true;
        if (errno != EPIPE) return; // main() says what is wrong
        broken_pipe_ = true;
        __fpurge(stdout);
        std::clearerr(stdout);
    }

    int finish() {
        const std::string summary = view_->summary(about_.end_ns, about_.missed, about_.cpu_s);
        Status written;
        if (!output_failed_ || summary_ != stdout) {
            std::fputs(summary.c_str(), summary_);
            std::fflush(summary_);
        }
        if (csv_) {
            const bool failed = std::ferror(csv_.get()) != 0;
            if (std::fclose(csv_.release()) != 0 || failed)
                written = run_error(csv_path_ + " could not be written whole: " + std::strerror(errno));
            if (Status bad = write_file_atomically(json_path_, samples_json(about_, *collector_)); !bad.ok())
                written = bad;
        }
        const int code = written.ok() ? 0 : fail(written);
        if (broken_pipe_) return 128 + SIGPIPE;
        return about_.exit_status != 0 ? about_.exit_status : code;
    }

    const SampleArguments arguments_;
    std::unique_ptr<Loader> loader_; // outlives the collector's samplers
    std::unique_ptr<Collector> collector_;
    std::optional<SampleView> view_;
    std::optional<SampleWriter> writer_;
    SampleAbout about_;
    Child child_;
    std::FILE* lines_ = stdout;
    std::FILE* summary_ = stdout;
    File csv_;
    std::string csv_path_, json_path_;
    std::string last_failure_;
    std::int64_t last_ns_ = 0;
    double cpu_before_s_ = 0;
    bool output_failed_ = false; // standard output is of no use any more
    bool broken_pipe_ = false;   // because its reader went away
};

} // namespace

int sample_command(const Arguments& arguments) {
    Result<SampleArguments> parsed = parse_sample_arguments(arguments);
    if (!parsed) return fail(parsed.status());
    if (parsed->help) {
        std::fputs(sample_help(), stdout);
        return 0;
    }
    return SampleSession(std::move(*parsed)).run();
}

} // namespace assay::cli
