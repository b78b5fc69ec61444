// `assay fio`, and `assay` called through a link named fio.
#include "core/report/text.hpp"
#include "core/report/verdicts.hpp"
#include "core/session/version.hpp"
#include "tools/assay/command.hpp"
#include "tools/assay/dialects/fio/command_line.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"
#include "tools/assay/dialects/fio/output.hpp"
#include "tools/assay/dialects/fio/shared_files.hpp"
#include "tools/assay/run_support.hpp"
#include "tools/assay/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include <unistd.h>

namespace assay::cli {
namespace {

using fio::CommandLine;

// fio's own: how often it takes the samples that its bandwidth and IOPS statistics are of.
constexpr std::int64_t sample_interval_ns = 500'000'000;

// Progress is for people; whoever redirects stderr does not want it there.
TerminalObserver::Mode progress_mode(fio::Eta eta) {
    if (eta == fio::Eta::never) return TerminalObserver::Mode::quiet;
    if (eta == fio::Eta::always) return TerminalObserver::Mode::line;
    return isatty(STDERR_FILENO) == 1 ? TerminalObserver::Mode::line : TerminalObserver::Mode::quiet;
}

// What is suspect or worse in the stages of fio's jobs; those that only lay files out are no measurements.
result::Run doubts(const fio::Invocation& invocation, const result::Run& run) {
    const std::vector<bool> of_jobs = fio::stages_of_jobs(invocation);
    result::Run bad;
    for (std::size_t i = 0; i < run.stages.size() && i < of_jobs.size(); ++i) {
        if (!of_jobs[i]) continue;
        result::Stage& kept_stage = bad.stages.emplace_back();
        for (const result::Point& point : run.stages[i].points) {
            result::Point& kept_point = kept_stage.points.emplace_back();
            for (const result::Repeat& repeat : point.repeats) {
                result::Repeat& kept = kept_point.repeats.emplace_back();
                std::copy_if(repeat.verdicts.begin(), repeat.verdicts.end(), std::back_inserter(kept.verdicts),
                             [](const result::Verdict& verdict) { return verdict.level >= result::Level::suspect; });
            }
        }
    }
    return bad;
}

// The result in the formats asked for. Nothing else goes into this text.
std::string result_text(const fio::Invocation& invocation, const result::Run& run) {
    std::string text;
    for (const fio::Format format : invocation.formats) {
        switch (format) {
            case fio::Format::normal:
                text += fio::to_normal(invocation, run);
                break;
            case fio::Format::terse:
                text += fio::to_terse(invocation, run);
                break;
            case fio::Format::json:
            case fio::Format::json_plus:
                text += fio::to_json(invocation, run, format == fio::Format::json_plus);
                break;
        }
    }
    return text;
}

// Where the result goes: opened before anything runs, so that no result is lost for want of a place.
class Output {
public:
    Status open(const std::string& path) {
        path_ = path;
        if (path.empty()) return {};
        file_.reset(std::fopen(path.c_str(), "we"));
        return file_ ? Status() : usage_error("--output: " + path + " cannot be written: " + std::strerror(errno));
    }

    Status write(const std::string& text) {
        std::FILE* to = file_ ? file_.get() : stdout;
        if (std::fputs(text.c_str(), to) >= 0 && std::fflush(to) == 0) return {};
        return run_error((path_.empty() ? "standard output" : path_) + " cannot be written: " + std::strerror(errno));
    }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

// Whether the plan would run, as far as can be said without running it.
Status check(const Plan& plan, Loader& loader) {
    const auto schema_of = [&](const std::string& name) -> Result<std::shared_ptr<const Schema>> {
        Result<const LoadedPlugin*> plugin = loader.find(name);
        if (!plugin) return plugin.status();
        return (*plugin)->schema;
    };
    return check_plan(plan, schema_of).status();
}

int fail_as(const Status& status, bool as_fio) {
    const int code = fail(status);
    return as_fio ? 1 : code;
}

int run(const CommandLine& line, const std::vector<std::string>& command_line, bool as_fio) {
    const fio::Invocation& invocation = line.invocation;
    Loader::Options places;
    places.directories = default_plugin_directories();
    Loader loader(std::move(places));
    if (Status status = check(invocation.plan, loader); !status.ok()) return fail_as(status, as_fio);
    if (invocation.parse_only) return 0;

    Output output;
    if (Status status = output.open(invocation.output); !status.ok()) return fail_as(status, as_fio);
    SessionRequest request;
    request.plan = invocation.plan;
    request.default_samplers = default_samplers();
    request.destroy = devices_to_destroy();
    request.bundle_directory = line.bundle_directory;
    request.interval_ns = sample_interval_ns;
    request.command_line = command_line;
    StopFlag& stop = stop_on_signals();
    Result<SessionOutcome> outcome = [&] {
        TerminalObserver observer(progress_mode(line.eta), invocation.plan.name, stop);
        return run_session(request, loader, observer, stop);
    }();
    if (!outcome) return fail_as(outcome.status(), as_fio);

    const Status written = output.write(result_text(invocation, outcome->run));
    const result::Run bad = doubts(invocation, outcome->run);
    std::fputs(report::verdicts_text(bad, false, 100).c_str(), stderr);
    if (!outcome->status.ok()) fail(outcome->status);
    int code = exit_code(*outcome, false, stop);
    if (code == 5 && result::worst_level(bad) != result::Level::invalid) code = 0;
    if (!written.ok()) code = fail(written);
    if (as_fio && !line.verdict_exit.value_or(false))
        code = stop.signal_number() > 0 ? 128 : code == 0 || code == 5 ? 0 : 1;
    else if (!line.verdict_exit.value_or(true) && code == 5)
        code = 0;
    if (outcome->hung) {
        std::fflush(nullptr);
        _exit(code); // a plugin's thread still runs in memory that must not go away under it
    }
    return code;
}

} // namespace

int fio_command(const Arguments& arguments, const std::vector<std::string>& command_line, bool as_fio) {
    const Result<CommandLine> line = fio::parse_command_line(arguments);
    if (!line) return fail_as(line.status(), as_fio);
    if (line->invocation.help) {
        std::fputs(fio::usage_text().c_str(), stdout);
    } else if (line->invocation.version) {
        std::printf("fio-3.33-assay-%s\n", tool_version());
    } else if (line->list_options) {
        std::fputs((fio::option_reference() + fio::command_reference()).c_str(), stdout);
    } else {
        for (const std::string& note : line->invocation.notes)
            std::fprintf(stderr, "assay: note: %s\n", report::printable(note).c_str());
        if (!line->invocation.show_command) return run(*line, command_line, as_fio);
        std::puts(fio::command_text(line->sections).c_str());
    }
    return 0;
}

} // namespace assay::cli
