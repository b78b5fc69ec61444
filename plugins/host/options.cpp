#include "plugins/host/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::host {

Settings settings_of(const sdk::Values& values) {
    Settings settings;
    for (const assay_scalar& group : values.items(option_groups)) {
        if (group.as.integer == 0) { // "all", whatever else is named
            settings.groups.clear();
            break;
        }
        settings.groups.push_back(static_cast<Group>(group.as.integer));
    }
    settings.threads = static_cast<std::size_t>(values.integer(option_threads));
    settings.discover_every_ns = values.integer(option_discover_every);
    std::vector<std::string> globs;
    for (const assay_scalar& glob : values.items(option_devices))
        globs.emplace_back(glob.as.text);
    settings.devices = DeviceFilter(std::move(globs));
    return settings;
}

} // namespace assay::host
