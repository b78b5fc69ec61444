// Finds, vets and loads plugins. The only part that touches Boost.DLL.
//
// A plugin is loaded once, RTLD_NOW | RTLD_LOCAL, and stays until the process ends. Before it is loaded the file and
// its directory are vetted (vet.hpp), the file is whole and has the entry symbol (elf.hpp), and what was loaded is what
// was hashed. Control thread only.
#pragma once

#include "assay/abi/entry.h"
#include "assay/abi/host.h"
#include "core/base/status.hpp"
#include "core/schema/schema.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct PluginFile {
    std::string path;     // absolute, resolved
    std::string sha256;   // of the file before it was loaded; empty in a listing until find() has given the plugin
    std::string build_id; // hexadecimal; empty where the file has none
};

// One descriptor of a loaded plugin.
struct LoadedPlugin {
    PluginFile file;
    const assay_entry* entry = nullptr;
    const assay_descriptor* descriptor = nullptr;
    std::string name;
    std::shared_ptr<const Schema> schema;
};

// A file in a plugin directory that could not be used, and why. The reason's message begins with the path.
struct BrokenPlugin {
    std::string path;
    Status reason;
};

class Loader {
public:
    struct Options {
        std::vector<std::string> plugin_paths; // --plugin PATH: a file or a directory, looked at first
        bool use_environment = true;           // ASSAY_PLUGIN_PATH (colon-separated; ignored under AT_SECURE)
        std::vector<std::string> directories;  // where ours are: beside the executable, or under the install prefix
        // What plugins log from init() and deinit(): severity, path, text. Any thread. Dropped if empty.
        std::function<void(assay_severity, const std::string&, const std::string&)> log;
    };
    explicit Loader(Options options);
    // Calls deinit() of what no other Loader uses. Plugin code stays mapped; instances must be gone.
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    // Every plugin that can be loaded, by name; broken ones are reported beside them, in the order of the search. Of
    // two plugins with one name or id the first place wins, within a directory the file that is called like the plugin.
    // Does not hash: a listing of many large files stays quick.
    struct Listing {
        std::vector<const LoadedPlugin*> plugins;
        std::vector<BrokenPlugin> broken;
    };
    Listing list();

    // By name ("block"), id ("org.assay.block") or path (anything with a '/'). Looks at <place>/<name>.so first, so
    // that a run loads what it uses and no more. Usage error that names the places looked at and the nearest name; the
    // refusal's reason if a file of that name, or one that was named with --plugin, was refused: another one is never
    // taken in its place.
    Result<const LoadedPlugin*> find(std::string_view name);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Directories that hold assay's own plugins, from the running executable: BUILD/plugins, PREFIX/lib*/assay/0. They need
// not exist.
std::vector<std::string> default_plugin_directories();

} // namespace assay
