#include "tools/assay/dialects/fio/command_line.hpp"

#include "core/base/text.hpp"
#include "tools/assay/dialects/fio/job_file.hpp"
#include "tools/assay/dialects/fio/option_table.hpp"
#include "tools/assay/dialects/fio/to_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace assay::cli::fio {
namespace {

constexpr std::size_t arguments_max = 65'536;

enum class Action {
    help,
    version,
    parse_only,
    show_command,
    output,
    output_format,
    terse,
    eta,
    read_only,
    section,
    list_options,
    bundle,
    verdict_exit,
    ignore, // it cannot change the result
    refuse,
};

struct CommandOption {
    std::string_view name;
    bool value; // whether it takes one
    Action action;
    std::string_view why; // of refused and ignored ones
};

constexpr CommandOption command_options[] = {
    {"help", false, Action::help, ""},
    {"h", false, Action::help, ""},
    {"version", false, Action::version, ""},
    {"v", false, Action::version, ""},
    {"parse-only", false, Action::parse_only, ""},
    {"showcmd", false, Action::show_command, ""},
    {"output", true, Action::output, ""},
    {"output-format", true, Action::output_format, ""},
    {"minimal", false, Action::terse, ""},
    {"eta", true, Action::eta, ""},
    {"readonly", false, Action::read_only, ""},
    {"section", true, Action::section, ""},
    {"list-options", false, Action::list_options, ""},
    {"assay-output", true, Action::bundle, ""},
    {"verdict-exit", true, Action::verdict_exit, ""},
    {"eta-newline", true, Action::ignore, "progress has a line of its own each second where it is no terminal"},
    {"eta-interval", true, Action::ignore, "progress is shown once a second"},
    {"warnings-fatal", false, Action::ignore, "what would be a warning is an error or a note"},
    {"max-jobs", true, Action::ignore, "4096 sections of 4096 clones are the limit"},
    {"alloc-size", true, Action::ignore, "memory is had as needed"},
    {"aux-path", true, Action::ignore, "no state is kept"},
    {"debug", true, Action::ignore, "there is no such log"},
    {"status-interval", true, Action::refuse, "results are written once, at the end"},
    {"terse-version", true, Action::refuse, "the terse format is version 3"},
    {"append-terse", false, Action::refuse, "use --output-format=normal,terse"},
    {"bandwidth-log", false, Action::refuse, "the series is in the bundle: --assay-output=DIR"},
    {"server", true, Action::refuse, "run the jobs on each host"},
    {"daemonize", true, Action::refuse, "run the jobs on each host"},
    {"client", true, Action::refuse, "run the jobs on each host"},
    {"remote-config", true, Action::refuse, "run the jobs on each host"},
    {"idle-prof", true, Action::refuse, "the CPUs are sampled beside the run: --assay-output=DIR"},
    {"inflate-log", true, Action::refuse, "logs are not compressed"},
    {"trigger-file", true, Action::refuse, "triggers are not offered"},
    {"trigger-timeout", true, Action::refuse, "triggers are not offered"},
    {"trigger", true, Action::refuse, "triggers are not offered"},
    {"trigger-remote", true, Action::refuse, "triggers are not offered"},
    {"merge-blktrace-only", false, Action::refuse, "traces are not merged"},
    {"cpuclock-test", false, Action::refuse, "the kernel's clock is used"},
    {"crctest", true, Action::refuse, "contents are not verified by this version"},
    {"cmdhelp", true, Action::refuse, "assay fio --list-options lists the options"},
    {"enghelp", true, Action::refuse, "assay fio --list-options lists the options"},
};

const CommandOption* find_command_option(std::string_view name) {
    for (const CommandOption& option : command_options)
        if (option.name == name) return &option;
    return nullptr;
}

class Parser {
public:
    explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    Result<CommandLine> run() {
        if (arguments_.size() > arguments_max) return usage_error("too many arguments");
        for (next_ = 0; next_ < arguments_.size();) {
            const std::string& argument = arguments_[next_++];
            if (argument == "--") {
                files_.insert(files_.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(next_), arguments_.end());
                break;
            }
            if (argument.size() < 2 || argument.front() != '-') {
                files_.push_back(argument);
                continue;
            }
            if (Status status = option(argument); !status.ok()) return status;
        }
        Invocation& invocation = line_.invocation;
        if (invocation.help || invocation.version || line_.list_options) return std::move(line_);
        if (Status status = read_files(); !status.ok()) return status;
        if (line_.sections.all().empty())
            return usage_error("no job is defined: name a job file, or begin one with --name=NAME");
        if (invocation.show_command) return std::move(line_);
        if (Status status = make_plan(line_.sections, line_.read_only, invocation); !status.ok()) return status;
        return std::move(line_);
    }

private:
    Status option(const std::string& argument) {
        std::string_view rest = argument;
        rest.remove_prefix(rest.starts_with("--") ? 2 : 1);
        const std::size_t equals = rest.find('=');
        const std::string_view name = rest.substr(0, equals);
        std::optional<std::string> value;
        if (equals != std::string_view::npos) value = rest.substr(equals + 1);
        if (const CommandOption* command = find_command_option(name)) {
            if (command->value && !value && command->action != Action::refuse) {
                if (Status status = next_argument(name, value); !status.ok()) return status;
            }
            if (!command->value && value) return usage_error(fmt::format("--{} takes no value", name));
            return act(*command, value.value_or(""));
        }
        return job_option(name, std::move(value));
    }

    Status next_argument(std::string_view name, std::optional<std::string>& value) {
        if (next_ == arguments_.size() || arguments_[next_].starts_with("--"))
            return usage_error(fmt::format("--{} needs a value: --{}=VALUE", name, name));
        value = arguments_[next_++];
        return {};
    }

    Status job_option(std::string_view name, std::optional<std::string> value) {
        const Result<const OptionRecord*> record = find_option(name);
        if (!record) return unknown(name);
        if (!value && (*record)->type != Type::toggle) {
            if (Status status = next_argument(name, value); !status.ok()) return status;
        }
        const Result<std::string> expanded = with_environment(value.value_or(""));
        if (!expanded) return expanded.status().wrap(name);
        if ((*record)->name == "name") {
            if (Status status = line_.sections.begin(*expanded, "the command line"); !status.ok()) return status;
        }
        return line_.sections.set((*record)->name, *expanded);
    }

    static Status unknown(std::string_view name) {
        std::vector<std::string> known;
        for (const OptionRecord& record : option_table()) {
            known.emplace_back(record.name);
            if (!record.alias.empty()) known.emplace_back(record.alias);
        }
        for (const CommandOption& option : command_options)
            known.emplace_back(option.name);
        return usage_error(fmt::format("unknown option --{}{}", name, did_you_mean(name, known)));
    }

    Status act(const CommandOption& option, const std::string& value) {
        Invocation& invocation = line_.invocation;
        switch (option.action) {
            case Action::help:
                invocation.help = true;
                return {};
            case Action::version:
                invocation.version = true;
                return {};
            case Action::parse_only:
                invocation.parse_only = true;
                return {};
            case Action::show_command:
                invocation.show_command = true;
                return {};
            case Action::output:
                if (value.empty()) return usage_error("--output needs the name of a file");
                invocation.output = value;
                return {};
            case Action::output_format:
                return formats(value);
            case Action::terse:
                invocation.formats = {Format::terse};
                return {};
            case Action::eta:
                return eta(value);
            case Action::read_only:
                line_.read_only = true;
                return {};
            case Action::section:
                selected_.push_back(value);
                return {};
            case Action::list_options:
                line_.list_options = true;
                return {};
            case Action::bundle:
                if (value.empty()) return usage_error("--assay-output needs the name of a directory");
                line_.bundle_directory = value;
                return {};
            case Action::verdict_exit:
                if (value != "on" && value != "off")
                    return usage_error(fmt::format("--verdict-exit: {} is neither on nor off", in_quotes(value)));
                line_.verdict_exit = value == "on";
                return {};
            case Action::ignore:
                invocation.notes.push_back(fmt::format("--{} is ignored: {}", option.name, option.why));
                return {};
            case Action::refuse:
                break;
        }
        return usage_error(fmt::format("--{} is not supported: {}", option.name, option.why));
    }

    Status formats(const std::string& value) {
        std::vector<Format>& formats = line_.invocation.formats;
        formats.clear();
        for (const std::string_view one : split(value, ',')) {
            const std::optional<Format> format = one == "normal"                      ? std::optional(Format::normal)
                                                 : one == "json"                      ? std::optional(Format::json)
                                                 : one == "json+"                     ? std::optional(Format::json_plus)
                                                 : one == "terse" || one == "minimal" ? std::optional(Format::terse)
                                                                                      : std::nullopt;
            if (!format)
                return usage_error(
                    fmt::format("--output-format: {} is not one of normal, json, json+ and terse", in_quotes(one)));
            if (std::find(formats.begin(), formats.end(), *format) == formats.end()) formats.push_back(*format);
        }
        return {};
    }

    Status eta(const std::string& value) {
        if (value != "auto" && value != "always" && value != "never")
            return usage_error(fmt::format("--eta: {} is not one of auto, always and never", in_quotes(value)));
        line_.eta = value == "always" ? Eta::always : value == "never" ? Eta::never : Eta::automatic;
        return {};
    }

    Status read_files() {
        for (const std::string& file : files_) {
            line_.sections.begin_global();
            if (Status status = read_job_file(file == "-" ? "/dev/stdin" : file, line_.sections); !status.ok())
                return status;
        }
        return line_.sections.select(selected_);
    }

    const std::vector<std::string>& arguments_;
    std::size_t next_ = 0;
    CommandLine line_;
    std::vector<std::string> files_;
    std::vector<std::string> selected_;
};

void append(std::string& text, const Pairs& pairs) {
    for (const auto& [name, value] : pairs) {
        if (name == "name") continue;
        text += value.empty() ? fmt::format("--{} ", name) : fmt::format("--{}={} ", name, value);
    }
}

} // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) { return Parser(arguments).run(); }

std::string command_text(const Sections& sections) {
    std::string text = "fio ";
    append(text, sections.global());
    for (const Section& section : sections.all()) {
        text += fmt::format("--name={} ", section.name);
        append(text, section.own);
    }
    return text;
}

std::vector<std::string> flags() {
    std::vector<std::string> names;
    for (const CommandOption& option : command_options)
        if (option.action != Action::refuse && option.name.size() > 1)
            names.push_back(fmt::format("--{}", option.name));
    for (const OptionRecord& record : option_table())
        if (record.support != Support::refused) names.push_back(fmt::format("--{}", record.name));
    return names;
}

std::string command_reference() {
    std::string text = "\n## Of the command itself\n\n| option | here |\n|---|---|\n";
    for (const CommandOption& option : command_options) {
        const std::string_view state = option.action == Action::refuse   ? "refused: "
                                       : option.action == Action::ignore ? "ignored: "
                                                                         : "supported";
        if (option.name.size() == 1) continue; // short for another
        text += fmt::format("| `--{}{}` | {}{} |\n", option.name, option.value ? "=" : "", state, option.why);
    }
    return text;
}

} // namespace assay::cli::fio
