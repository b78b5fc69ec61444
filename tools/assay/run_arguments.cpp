#include "tools/assay/run_arguments.hpp"

#include "core/base/clock.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/schema/help.hpp"
#include "tools/assay/run_support.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include <unistd.h>

namespace assay::cli {
namespace {

constexpr std::size_t max_plan_bytes = 1U << 20;

// Flags of every run, whatever is run.
struct CommonFlags {
    std::vector<std::string> targets;
    std::string workers;
    std::string cpus;
    std::string warmup;
    std::string measure;
    std::string repeat;
    std::string rate;
    std::string arrival;
    std::vector<std::string> samplers;
    std::vector<std::string> sweeps;
    std::vector<std::string> sets;
    std::string output;
    bool no_bundle = false;
    bool replace = false;
    std::string interval = "1s";
    std::vector<std::string> destroy;
    std::vector<std::string> plugins;
    bool strict = false;
    bool quiet = false;
    bool no_screen = false;
    bool help = false;
};

constexpr const char* load_group = "The run";
constexpr const char* output_group = "Result and safety";

// One value each time it is given, and never the next flag: `--target --no-bundle` has forgotten something.
CLI::Option* one_value(CLI::Option* option) {
    const std::string name = "--" + option->get_lnames().front();
    option->type_size(1)->allow_extra_args(false);
    option->check([name](const std::string& value) {
        if (value.empty()) return name + " is empty: leave it out or give it a value";
        return value.starts_with("--") ? name + " needs a value, and '" + value + "' is the next option"
                                       : std::string();
    });
    return option;
}

void add_run_flags(CLI::App& app, CommonFlags& flags) {
    app.set_help_flag();
    app.add_flag("--help,-h", flags.help, "Show this help")->group(output_group);
    one_value(app.add_option("--output", flags.output, "Directory for the bundle [assay-results/NAME-TIME]"))
        ->group(output_group);
    app.add_flag("--no-bundle", flags.no_bundle, "Keep no bundle, print the summary only")->group(output_group);
    app.add_flag("--replace", flags.replace, "Let --output replace an earlier bundle")->group(output_group);
    one_value(app.add_option("--interval", flags.interval, "Time between points of the series [1s]"))
        ->group(output_group);
    one_value(app.add_option("--sampler", flags.samplers,
                             "What watches the machine meanwhile; none: nothing [as the plan says, else host]"))
        ->group(output_group);
    one_value(app.add_option("--destroy", flags.destroy, "Block device that may be overwritten although it holds data"))
        ->group(output_group);
    one_value(app.add_option("--plugin", flags.plugins, "Plugin file or directory to look at first"))
        ->group(output_group);
    app.add_flag("--strict", flags.strict, "Exit with 4 if a verdict is suspect")->group(output_group);
    app.add_flag("--quiet,-q", flags.quiet, "Show nothing while it runs")->group(output_group);
    app.add_flag("--no-screen", flags.no_screen, "While it runs, show one line instead of a screen")
        ->group(output_group);
}

void add_workload_flags(CLI::App& app, CommonFlags& flags) {
    one_value(app.add_option("--target", flags.targets, "What to measure: a path; may be given several times"))
        ->group(load_group);
    one_value(app.add_option("--workers", flags.workers, "Threads that generate load [1]"))->group(load_group);
    one_value(app.add_option("--cpus", flags.cpus, "CPUs to pin workers to, e.g. 0-3,8 [not pinned]"))
        ->group(load_group);
    one_value(app.add_option("--warmup", flags.warmup, "Time before measuring that is cut out [0s]"))
        ->group(load_group);
    one_value(app.add_option("--measure", flags.measure,
                             "Time to measure [until the work is done: one pass over the region]"))
        ->group(load_group);
    one_value(app.add_option("--repeat", flags.repeat, "Times to run each point [1]"))->group(load_group);
    one_value(app.add_option("--rate", flags.rate,
                             "Requests started a second, over all workers, whatever the target does (open loop),\n"
                             "e.g. 10k/s; curve: as fast as it goes, then 10 % to 100 % of that [max: closed loop]"))
        ->group(load_group);
    one_value(app.add_option("--arrival", flags.arrival, "When they start: constant or poisson [constant]"))
        ->group(load_group);
    one_value(
        app.add_option("--sweep", flags.sweeps, "KEY=A,B,C: run once for each value; several give all combinations"))
        ->group(load_group);
}

void add_plan_flags(CLI::App& app, CommonFlags& flags) {
    app.add_option("--set", flags.sets,
                   "KEY=VALUE: override an option of every job, workers, cpus, rate, arrival, repeat, targets,\n"
                   "time.measure, time.warmup, or a path such as stages.0.options.block_size")
        ->group(load_group);
}

std::string flag_of(const std::string& key) {
    std::string flag = "--" + key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

Result<std::pair<std::string, std::string>> key_and_value(const std::string& flag, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        return usage_error(flag + " '" + text + "' is not KEY=VALUE, e.g. " + flag + " block_size=4KiB");
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

using Options = std::vector<std::pair<std::string, std::string>>;

Result<Plan> plan_of(const std::string& workload, const CommonFlags& flags, Options options) {
    Plan plan = single_job_plan({.workload = workload,
                                 .targets = flags.targets,
                                 .options = std::move(options),
                                 .workers = flags.workers,
                                 .cpus = flags.cpus,
                                 .warmup = flags.warmup,
                                 .measure = flags.measure,
                                 .repeat = flags.repeat,
                                 .rate = flags.rate,
                                 .arrival = flags.arrival});
    for (const std::string& text : flags.sweeps) {
        auto sweep = key_and_value("--sweep", text);
        if (!sweep) return sweep.status();
        std::vector<PlanText> values;
        for (const std::string_view value : split(sweep->second, ','))
            values.push_back({std::string(value), 0, 0});
        plan.stages.back().sweep.emplace_back(sweep->first, std::move(values));
    }
    return plan;
}

// "20261130-203216" of now, for a directory name.
std::string compact_time() {
    std::string text = utc_now_text(); // 2026-11-30T20:32:16Z
    std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
    std::replace(text.begin(), text.end(), 'T', '-');
    return text;
}

std::string default_bundle(const std::string& name) {
    std::string safe = name.empty() ? "run" : name.substr(0, 64);
    for (char& c : safe) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '-';
    }
    // The process id keeps apart what starts within one second.
    return "assay-results/" + safe + "-" + compact_time() + "-" + std::to_string(::getpid());
}

bool is_plan_name(const std::string& what) {
    return what.find('/') != std::string::npos || what.ends_with(".yaml") || what.ends_with(".yml") ||
           what.ends_with(".json");
}

std::string plan_help(const CLI::App& app) {
    return "assay run PLAN.yaml [--set KEY=VALUE ...]      run every stage of a plan file\n"
           "assay run WORKLOAD --target PATH [OPTIONS]     run one workload; options come from its plugin:\n"
           "                                               `assay run block --help`\n" +
           CLI::Formatter().make_groups(&app, CLI::AppFormatMode::Normal) +
           "\nExamples:\n  assay run nightly.yaml --output results/nightly\n"
           "  assay run nightly.yaml --set block_size=8KiB --set time.measure=10s\n";
}

std::string workload_help(const CLI::App& app, const LoadedPlugin& plugin) {
    std::string text = "assay run " + plugin.name + " --target PATH [OPTIONS]\n\n" + plugin.descriptor->help + "\n";
    text += CLI::Formatter().make_groups(&app, CLI::AppFormatMode::Normal);
    text += "\nOptions of " + plugin.name + ":\n" + schema_help(*plugin.schema, 100);
    if (plugin.descriptor->example != nullptr && *plugin.descriptor->example != '\0')
        text += "\nExample:\n  assay " + std::string(plugin.descriptor->example) + "\n";
    return text;
}

// CLI11 names no option when one that takes a single value is given twice.
std::string explained(const CLI::ParseError& error, const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_lnames().empty() && option->get_items_expected_max() == 1 && option->count() > 1)
            return "--" + option->get_lnames().front() + " is given " + std::to_string(option->count()) +
                   " times: give it once";
    }
    return error.what();
}

// CLI11 wants the arguments in reverse.
Status parse(CLI::App& app, std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError& error) {
        return usage_error(explained(error, app) + " (`assay run --help` explains)");
    }
    return {};
}

std::vector<SamplerPlan> samplers_of(const std::vector<std::string>& names) {
    std::vector<SamplerPlan> samplers;
    for (const std::string& name : names)
        if (name != "none") samplers.push_back({{name, 0, 0}, {}, {}});
    return samplers;
}

class Parser {
public:
    Parser(const std::vector<std::string>& arguments, const std::vector<std::string>& command_line)
        : arguments_(arguments) {
        result_.session.command_line = command_line;
    }

    Result<RunArguments> parse_all() {
        // First look: only what is common, to learn what is run and where plugins are.
        CommonFlags flags;
        CLI::App first("assay run");
        std::string what;
        first.add_option("what", what);
        first.allow_extras();
        add_run_flags(first, flags);
        Status status = parse(first, arguments_);
        if (!status.ok()) return status;
        Loader::Options places;
        places.plugin_paths = flags.plugins;
        places.directories = default_plugin_directories();
        result_.loader = std::make_unique<Loader>(std::move(places));
        status = what.empty() ? without_subject(flags) : is_plan_name(what) ? plan_run(what) : workload_run(what);
        if (!status.ok()) return status;
        return std::move(result_);
    }

private:
    Status without_subject(const CommonFlags& flags) {
        if (!flags.help)
            return usage_error(
                "say what to run: `assay run PLAN.yaml`, or `assay run WORKLOAD --target PATH ...` "
                "(`assay plugins list` shows the workloads)");
        CommonFlags unused;
        CLI::App app("assay run");
        add_plan_flags(app, unused);
        add_run_flags(app, unused);
        result_.help = plan_help(app);
        return {};
    }

    Status plan_run(const std::string& path) {
        CommonFlags flags;
        CLI::App app("assay run");
        std::string what;
        app.add_option("what", what)->group("");
        add_plan_flags(app, flags);
        add_run_flags(app, flags);
        app.allow_extras();
        Status status = parse(app, arguments_);
        if (!status.ok()) return status;
        if (flags.help) {
            result_.help = plan_help(app);
            return {};
        }
        if (status = no_extras(app, nullptr, "a plan's options are changed with --set KEY=VALUE"); !status.ok())
            return status;
        Result<std::string> yaml = read_text_file(path, max_plan_bytes);
        if (!yaml) return usage_error(yaml.status().message());
        Result<Plan> plan = parse_plan(*yaml, path, flags.sets);
        if (!plan) return plan.status();
        return take(flags, std::move(*plan));
    }

    Status workload_run(const std::string& name) {
        Result<const LoadedPlugin*> plugin = result_.loader->find(name);
        if (!plugin) return plugin.status();
        const Schema& schema = *(*plugin)->schema;

        CommonFlags flags;
        CLI::App app("assay run " + name);
        std::string what;
        app.add_option("what", what)->group("");
        add_workload_flags(app, flags);
        add_run_flags(app, flags);
        std::vector<std::string> texts(schema.options().size());
        std::vector<CLI::Option*> added;
        app.allow_extras();
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const OptionSpec& option = schema.options()[i];
            if (app.get_option_no_throw(flag_of(option.key)) != nullptr)
                return internal_error("plugin " + name + " has an option '" + option.key +
                                      "' that `assay run` uses itself; put it into a plan file");
            added.push_back(one_value(app.add_option(flag_of(option.key), texts[i]))->group(""));
        }
        Status status = parse(app, arguments_);
        if (!status.ok()) return status;
        if (flags.help) {
            result_.help = workload_help(app, **plugin);
            return {};
        }
        if (status = no_extras(app, &schema, "`assay run " + name + " --help` lists the options"); !status.ok())
            return status;
        Options options;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const OptionSpec& option = schema.options()[i];
            if (added[i]->count() == 0) continue;
            if (option.has(ASSAY_OPTION_SECRET))
                return usage_error("option " + option.key +
                                   " is a secret, which a command line would show to everyone; "
                                   "put it into a plan file that only you can read");
            options.emplace_back(option.key, texts[i]);
        }
        Result<Plan> plan = plan_of(name, flags, std::move(options));
        if (!plan) return plan.status();
        return take(flags, std::move(*plan));
    }

    // Whatever CLI11 did not know.
    static Status no_extras(const CLI::App& app, const Schema* schema, const std::string& hint) {
        const std::vector<std::string> extras = app.remaining();
        if (extras.empty()) return {};
        const std::string& first = extras.front();
        if (!first.starts_with("--")) return usage_error("unexpected argument '" + first + "'; " + hint);
        const std::string name = first.substr(0, first.find('='));
        std::vector<std::string> known;
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames())
                known.push_back("--" + name);
        }
        if (schema != nullptr) {
            for (const OptionSpec& option : schema->options())
                known.push_back(flag_of(option.key));
        }
        std::string message = "unknown option " + name;
        if (schema != nullptr) message += " for workload " + schema->plugin_name();
        if (auto near = closest_match(name, known)) message += "; did you mean " + *near + "?";
        return usage_error(message + " (" + hint + ")");
    }

    Status take(const CommonFlags& flags, Plan plan) {
        SessionRequest& session = result_.session;
        Result<std::int64_t> interval = parse_duration(flags.interval);
        if (!interval) return interval.status().wrap("--interval");
        if (*interval < 100'000'000 || *interval > 600'000'000'000)
            return usage_error("--interval " + flags.interval + " is out of range: 100ms to 10min");
        session.interval_ns = *interval;
        if (flags.no_bundle && !flags.output.empty())
            return usage_error("--output and --no-bundle exclude each other: give one of them");
        if (!flags.no_bundle)
            session.bundle_directory = flags.output.empty() ? default_bundle(plan.name) : flags.output;
        session.replace_bundle = flags.replace;
        session.destroy = flags.destroy;
        for (std::string& device : devices_to_destroy())
            session.destroy.push_back(std::move(device));
        if (flags.samplers.size() > 1 && std::count(flags.samplers.begin(), flags.samplers.end(), "none") > 0)
            return usage_error("--sampler none excludes any other --sampler: give one or the other");
        if (!flags.samplers.empty()) plan.samplers = samplers_of(flags.samplers);
        session.default_samplers = default_samplers();
        session.plan = std::move(plan);
        result_.strict = flags.strict;
        result_.quiet = flags.quiet;
        result_.screen = !flags.no_screen;
        return {};
    }

    const std::vector<std::string>& arguments_;
    RunArguments result_;
};

} // namespace

const std::vector<std::string>& common_run_flags() {
    static const std::vector<std::string> flags = [] {
        CommonFlags unused;
        CLI::App app("assay run");
        add_workload_flags(app, unused);
        add_plan_flags(app, unused);
        add_run_flags(app, unused);
        std::vector<std::string> names;
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames())
                names.push_back("--" + name);
        }
        return names;
    }();
    return flags;
}

Result<RunArguments> parse_run_arguments(const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& command_line) {
    return Parser(arguments, command_line).parse_all();
}

} // namespace assay::cli
