// Temperatures from /sys/class/hwmon and /sys/class/thermal, in thousandths of a degree.
//
// A sensor may sit behind a slow bus or need an interrupt to another CPU, so each is asked once a second at most.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {
namespace {

constexpr std::size_t chips_max = 256;
constexpr std::size_t files_max = 1024;
constexpr std::size_t sensors_max = 1024;
constexpr std::int64_t absolute_zero = -273'150; // what a drive that reports no temperature comes out as
constexpr assay_series temperature = sdk::gauge("temperature", "°C", "Temperature of a sensor.", 1e-3, ASSAY_VALUE_I64);

std::string text_of(const std::string& path, Buffer& buffer) {
    const auto text = read_once(path, buffer);
    return std::string(trimmed(text.value_or(std::string_view())));
}

class TemperatureSource final : public Source {
public:
    explicit TemperatureSource(const Roots& roots)
        : hwmon_(roots.sys + "/class/hwmon"), thermal_(roots.sys + "/class/thermal") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        sensors_.clear();
        chips_ = names_in(hwmon_, chips_max);
        zones_ = names_in(thermal_, chips_max);
        for (const std::string& chip : chips_) {
            const std::string at = hwmon_ + "/" + chip;
            const std::string name = text_of(at + "/name", buffer);
            for (const std::string& file : names_in(at, files_max)) {
                if (!file.starts_with("temp") || !file.ends_with("_input")) continue;
                const std::string sensor = file.substr(0, file.size() - 6);
                const std::string label = text_of(at + "/" + sensor + "_label", buffer);
                add(at + "/" + file,
                    labels({{"chip", name}, {"device", chip}, {"sensor", label.empty() ? sensor : label}}), list);
            }
        }
        for (const std::string& zone : zones_) {
            if (!zone.starts_with("thermal_zone")) continue;
            const std::string at = thermal_ + "/" + zone;
            add(at + "/temp", labels({{"chip", text_of(at + "/type", buffer)}, {"device", zone}}), list);
        }
        if (list.size() > 0) list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const std::int64_t before_ns = monotonic_ns();
        for (std::size_t i = 0; i < sensors_.size(); ++i) {
            const auto text = read_once(sensors_[i], buffer);
            if (!text) continue;
            std::string_view digits = trimmed(*text);
            const bool below_zero = digits.starts_with('-');
            if (below_zero) digits.remove_prefix(1);
            std::uint64_t value = 0;
            if (!only_number(digits, value) || value > INT32_MAX) continue;
            auto millidegrees = static_cast<std::int64_t>(value);
            if (below_zero) millidegrees = -millidegrees;
            if (millidegrees > absolute_zero) reading.set_signed(i, millidegrees);
        }
        reading.stamp(0, before_ns + (monotonic_ns() - before_ns) / 2);
    }

    bool stale(Buffer&) override {
        return chips_ != names_in(hwmon_, chips_max) || zones_ != names_in(thermal_, chips_max);
    }
    [[nodiscard]] std::int64_t period_min_ns() const override { return 1'000'000'000; }

private:
    void add(std::string path, std::string which, sdk::SeriesList& list) {
        if (sensors_.size() == sensors_max) return;
        sensors_.push_back(std::move(path));
        list.add(temperature, 0, list.keep(std::move(which)));
    }
    std::string hwmon_;
    std::string thermal_;
    std::vector<std::string> chips_;
    std::vector<std::string> zones_;
    std::vector<std::string> sensors_; // paths
};

} // namespace

SourcePointer make_temperature_source(const Roots& roots) { return std::make_unique<TemperatureSource>(roots); }

} // namespace assay::host
