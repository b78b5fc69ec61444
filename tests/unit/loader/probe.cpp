// Prints whether the process runs with AT_SECURE and the files of the plugins it finds: what a program sees of the
// environment and of its own place, which a test cannot see from inside its own process. With arguments: finds each by
// name or path and prints its name, version and digest.
#include "core/loader/loader.hpp"

#include <cstdio>

#include <sys/auxv.h>

int main(int count, char** arguments) {
    assay::Loader::Options options;
    options.directories = assay::default_plugin_directories();
    assay::Loader loader(options);
    for (int i = 1; i < count; ++i) {
        const auto found = loader.find(arguments[i]);
        if (!found) {
            std::fprintf(stderr, "%s\n", found.status().message().c_str());
            return 2;
        }
        std::printf("%s %s %s\n", (*found)->name.c_str(), (*found)->descriptor->version, (*found)->file.sha256.c_str());
    }
    if (count > 1) return 0;
    std::printf("secure=%lu\n", ::getauxval(AT_SECURE));
    const auto listing = loader.list();
    for (const auto* plugin : listing.plugins)
        std::printf("plugin %s\n", plugin->file.path.c_str());
    for (const auto& broken : listing.broken)
        std::printf("broken %s\n", broken.reason.message().c_str());
    return 0;
}
