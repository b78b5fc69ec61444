// Shell completion: `assay completion bash` prints a small script that asks `assay completion words` for candidates, so
// that flags, plugin names and enum values always come from the tables in force.
#include "core/loader/loader.hpp"
#include "tools/assay/command.hpp"
#include "tools/assay/dialects/fio/command_line.hpp"
#include "tools/assay/run_arguments.hpp"
#include "tools/assay/sample_arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace assay::cli {
namespace {

constexpr const char* bash_script = R"(_assay() {
    local current="${COMP_WORDS[COMP_CWORD]}"
    local words
    words=$(assay completion words "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _assay assay
)";

void print(const std::vector<std::string>& words) {
    for (const std::string& word : words)
        std::printf("%s\n", word.c_str());
}

std::string key_of(std::string flag) {
    flag.erase(0, 2);
    std::replace(flag.begin(), flag.end(), '-', '_');
    return flag;
}

void complete_run(Loader& loader, const std::vector<std::string>& words, std::size_t at) {
    if (at == 2) {
        for (const LoadedPlugin* plugin : loader.list().plugins)
            std::printf("%s\n", plugin->name.c_str());
        return;
    }
    Result<const LoadedPlugin*> plugin = loader.find(words[2]);
    if (plugin && words[at - 1].starts_with("--")) {
        if (const auto option = (*plugin)->schema->find(key_of(words[at - 1]))) {
            const OptionSpec& spec = (*plugin)->schema->options()[*option];
            print(spec.type == ASSAY_TYPE_BOOL ? std::vector<std::string>{"yes", "no"} : spec.enum_names);
            return;
        }
    }
    if (!words[at].starts_with("-")) return; // a path: the shell's own completion
    print(common_run_flags());
    if (!plugin) return;
    for (const OptionSpec& option : (*plugin)->schema->options()) {
        std::string flag = "--" + option.key;
        std::replace(flag.begin(), flag.end(), '_', '-');
        std::printf("%s\n", flag.c_str());
    }
}

int complete_words(const Arguments& arguments) {
    const std::size_t at = std::strtoul(arguments[1].c_str(), nullptr, 10);
    std::vector<std::string> words(arguments.begin() + 2, arguments.end());
    if (at == 0) return 2;
    words.resize(std::max(words.size(), std::min<std::size_t>(at + 1, 4096)));
    if (at >= words.size()) return 2;
    if (at == 1) {
        print({"run", "fio", "sample", "plugins", "checks", "completion", "help", "version"});
        return 0;
    }
    Loader::Options places;
    places.directories = default_plugin_directories();
    Loader loader(std::move(places));
    if (words[1] == "run") complete_run(loader, words, at);
    if (words[1] == "sample" && words[at].starts_with("-")) print(sample_flags());
    if (words[1] == "fio" && words[at].starts_with("-")) print(fio::flags());
    if (words[1] == "plugins" && at == 2) print({"list", "show"});
    if (words[1] == "plugins" && at == 3 && words[2] == "show") {
        for (const LoadedPlugin* plugin : loader.list().plugins)
            std::printf("%s\n", plugin->name.c_str());
    }
    return 0;
}

} // namespace

int completion_command(const Arguments& arguments) {
    if (arguments.size() == 1 && arguments[0] == "bash") {
        std::fputs(bash_script, stdout);
        return 0;
    }
    if (arguments.size() >= 3 && arguments[0] == "words") return complete_words(arguments);
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
    std::fputs("assay completion bash    print a script; put  eval \"$(assay completion bash)\"  into ~/.bashrc\n",
               help ? stdout : stderr);
    return help ? 0 : 2;
}

} // namespace assay::cli
