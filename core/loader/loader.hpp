// Finds, vets and loads plugins. The only place that touches Boost.DLL.
//
// A plugin is loaded once, RTLD_NOW | RTLD_LOCAL, and stays until the process ends. Before it is loaded the file and
// its directory are vetted (sdk.md's permission rules), and it must have the entry symbol; what was opened is what was
// hashed. Control thread only.
#pragma once

#include "assay/abi/entry.h"
#include "core/base/status.hpp"
#include "core/schema/schema.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct PluginFile {
    std::string path; // absolute, resolved
    std::string sha256;
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

// A file in a plugin directory that could not be used, and why.
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
    };
    explicit Loader(Options options);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    // Every plugin that can be loaded, by name; broken ones are reported beside them.
    struct Listing {
        std::vector<const LoadedPlugin*> plugins;
        std::vector<BrokenPlugin> broken;
    };
    Listing list();

    // By name ("block"), id ("org.assay.block") or path. Usage error that names the places looked at and the nearest
    // name; the refusal's reason if a file of that name exists but was refused.
    Result<const LoadedPlugin*> find(std::string_view name);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Directories that hold assay's own plugins, from the running executable: BUILD/plugins, PREFIX/lib*/assay/0.
std::vector<std::string> default_plugin_directories();

} // namespace assay
