#include "tools/assay/sample_arguments.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <optional>

namespace assay::cli {
namespace {

constexpr std::int64_t interval_min_ns = 100'000'000;
constexpr std::int64_t interval_max_ns = 600'000'000'000;

constexpr const char* help_text =
    R"(assay sample [OPTIONS] [-- COMMAND ARGUMENT ...]

Samples the machine: CPUs and the busiest core by name, the busiest thread, disks, network interfaces and whatever else
the sampler plugins read; alone, or around a command of any kind.

  --interval D      between samples, 100ms to 10min (1s)
  --duration D      sample so long; without it until the command ends, or Ctrl-C. A command is never cut short
  --plugin NAME     sampler plugin by name or path; may be repeated (host)
  --set KEY=VALUE   option of the plugin (PLUGIN.KEY=VALUE where several are used); `assay plugins show host` lists them
  --select GLOB     only series whose metric, or metric{labels}, matches; may be repeated
  --json            one JSON object a line for each interval
  --csv             rows time_s,metric,labels,unit,value
  --output DIR      write samples.csv and samples.json there
  --replace         overwrite those of an earlier time
  --quiet           nothing at each interval; the summary remains

Without a command, intervals and summary go to standard output (with --json and --csv the summary goes to standard
error). With a command, standard output is the command's alone and all of this goes to standard error; use --output to
have the numbers apart from what the command prints there.

Counters are shown as rates over the true time between two readings. CPU busy is user, nice, system, irq and softirq
time, without iowait.

The exit code is the command's (128+N if signal N ended it, 127 not found, 126 not executable), else 0, also after
Ctrl-C; 2 for a wrong option, 3 if nothing can be sampled or written. Ctrl-C reaches the command; assay waits for it and
then writes its summary. SIGTERM and SIGHUP are handed on to the command.

Examples:
  assay sample --interval 100ms --duration 10s
  assay sample --select 'disk.*{device=nvme0n1}' --csv > disk.csv
  assay sample --output results/copy -- cp -r /data /mnt/backup
)";

class Parser {
public:
    explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    Result<SampleArguments> parse() {
        for (; at_ < arguments_.size(); ++at_) {
            if (arguments_[at_] == "--") {
                made_.command.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, arguments_.end());
                if (made_.command.empty() || made_.command[0].empty())
                    return usage_error("there is no command after '--'");
                break;
            }
            if (Status bad = take(); !bad.ok()) return bad;
        }
        if (made_.plugins.empty()) made_.plugins.emplace_back("host");
        return made_;
    }

private:
    Status take() {
        std::string name = arguments_[at_];
        std::optional<std::string> value;
        if (const std::size_t equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.resize(equals);
        }
        if (name == "--help" || name == "-h") return set(made_.help);
        if (name == "--quiet") return set(made_.quiet);
        if (name == "--replace") return set(made_.replace);
        if (name == "--json" || name == "--csv") {
            const SampleFormat format = name == "--json" ? SampleFormat::json : SampleFormat::csv;
            if (made_.format != SampleFormat::lines && made_.format != format)
                return usage_error("--json and --csv exclude each other: give one of them");
            made_.format = format;
            return {};
        }
        if (!name.starts_with("-"))
            return usage_error("'" + name + "' is not an option; a command to sample around comes after '--'");
        static const std::vector<std::string> with_value = {"--interval", "--duration", "--plugin",
                                                            "--set",      "--select",   "--output"};
        bool known = false;
        for (const std::string& each : with_value)
            known = known || each == name;
        if (!known)
            return usage_error("unknown option '" + name + "' for `assay sample`" + did_you_mean(name, sample_flags()) +
                               " (`assay sample --help` lists them)");
        if (!value) {
            if (at_ + 1 >= arguments_.size() || arguments_[at_ + 1] == "--")
                return usage_error(name + " needs a value");
            value = arguments_[++at_];
        }
        return store(name, *value);
    }

    Status store(const std::string& name, const std::string& value) {
        if (value.empty()) return usage_error(name + " needs a value");
        if (name == "--plugin") made_.plugins.push_back(value);
        if (name == "--set") made_.settings.push_back(value);
        if (name == "--select") made_.select.push_back(value);
        if (name == "--output") made_.output = value;
        if (name != "--interval" && name != "--duration") return {};
        Result<std::int64_t> duration = parse_duration(value);
        if (!duration) return duration.status().wrap(name);
        if (name == "--duration") {
            if (*duration <= 0) return usage_error("--duration " + value + " is too short: it must be over 0s");
            made_.duration_ns = *duration;
            return {};
        }
        if (*duration < interval_min_ns || *duration > interval_max_ns)
            return usage_error("--interval " + value + " is out of range: 100ms to 10min");
        made_.interval_ns = *duration;
        return {};
    }

    static Status set(bool& flag) {
        flag = true;
        return {};
    }

    const std::vector<std::string>& arguments_;
    std::size_t at_ = 0;
    SampleArguments made_;
};

} // namespace

Result<SampleArguments> parse_sample_arguments(const std::vector<std::string>& arguments) {
    return Parser(arguments).parse();
}

const char* sample_help() { return help_text; }

const std::vector<std::string>& sample_flags() {
    static const std::vector<std::string> flags = {"--interval", "--duration", "--plugin", "--set",
                                                   "--select",   "--json",     "--csv",    "--output",
                                                   "--replace",  "--quiet",    "--help"};
    return flags;
}

} // namespace assay::cli
