// What network drivers count beyond the common counters (`ethtool -S`). Names and units are each driver's own, gauges
// are mixed in, and some drivers ask their firmware for it: once a second at most.
//
// A card with 64 queues has thousands, nearly all zero. Listed are those that ever counted, and those that sound like
// trouble, whose first event must not be missed.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

#include <algorithm>

namespace assay::host {
namespace {

constexpr std::size_t interfaces_max = 256;
constexpr assay_series statistic = sdk::counter("ethtool.statistic", "driver's own", "A statistic of the driver.");
constexpr const char* trouble[] = {"drop", "err",    "disc",   "miss",    "retrans", "pause", "timeout",
                                   "crc",  "no_buf", "out_of", "overrun", "fail",    "full"};

bool sounds_like_trouble(const std::string& name) {
    return std::any_of(std::begin(trouble), std::end(trouble),
                       [&](const char* word) { return name.find(word) != std::string::npos; });
}

class DriverSource final : public Source {
public:
    DriverSource(const Roots& roots, DeviceFilter devices, std::unique_ptr<DriverStatistics> statistics)
        : directory_(roots.sys + "/class/net"), filter_(std::move(devices)), statistics_(std::move(statistics)) {}

    void discover(sdk::SeriesList& list, Buffer&) override {
        interfaces_.clear();
        changed_ = false;
        full_ = false;
        found_ = names_in(directory_, interfaces_max);
        for (const std::string& name : found_) {
            if (!filter_.admits(name)) continue;
            const std::vector<std::string> names = statistics_->names(name);
            Interface interface {
                name, std::vector<std::uint64_t>(names.size()), {}
            };
            if (names.empty() || !statistics_->values(name, interface.values)) continue;
            const std::uint32_t group = list.add_group();
            for (std::size_t i = 0; i < names.size(); ++i) {
                full_ = full_ || list.size() == series_max;
                const bool wanted = !full_ && (interface.values[i] != 0 || sounds_like_trouble(names[i]));
                const char* which = wanted ? list.keep(labels({{"device", name}, {"name", names[i]}})) : nullptr;
                interface.series.push_back(wanted ? list.add(statistic, group, which) : npos);
            }
            interfaces_.push_back(std::move(interface));
        }
    }

    void read(const sdk::Reading& reading, Buffer&) override {
        std::uint32_t group = 0;
        for (Interface& interface : interfaces_) {
            const std::int64_t before_ns = monotonic_ns();
            const bool good = statistics_->values(interface.name, interface.values);
            reading.stamp(group++, before_ns + (monotonic_ns() - before_ns) / 2);
            changed_ = changed_ || !good; // gone, or it has more queues now
            for (std::size_t i = 0; good && i < interface.values.size(); ++i) {
                if (interface.series[i] != npos)
                    reading.set(interface.series[i], interface.values[i]);
                else
                    changed_ = changed_ || (interface.values[i] != 0 && !full_);
            }
        }
    }

    bool stale(Buffer&) override { return changed_ || found_ != names_in(directory_, interfaces_max); }
    [[nodiscard]] std::int64_t period_min_ns() const override { return 1'000'000'000; }

private:
    struct Interface {
        std::string name;
        std::vector<std::uint64_t> values;
        std::vector<std::size_t> series; // of value i, or npos
    };
    std::string directory_;
    DeviceFilter filter_;
    std::unique_ptr<DriverStatistics> statistics_;
    std::vector<std::string> found_; // all interfaces there were
    std::vector<Interface> interfaces_;
    bool changed_ = false;
    bool full_ = false; // something was left out
};

} // namespace

SourcePointer make_driver_source(const Roots& roots, DeviceFilter devices,
                                 std::unique_ptr<DriverStatistics> statistics) {
    return std::make_unique<DriverSource>(roots, std::move(devices), std::move(statistics));
}

} // namespace assay::host
