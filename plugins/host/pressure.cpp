// Pressure stall information: how long some, or all, who had work waited for a resource. Microseconds, 64 bits.
#include "plugins/host/pressure.hpp"

#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {
namespace {

constexpr assay_series some =
    sdk::counter("pressure.some", "s", "Time in which at least one thread waited for the resource.", 1e-6);
constexpr assay_series full =
    sdk::counter("pressure.full", "s", "Time in which all threads that had work waited for the resource.", 1e-6);
constexpr const char* resources[] = {"cpu", "io", "irq", "memory"};

// "some avg10=2.25 avg60=0.94 avg300=4.40 total=46798994"
bool pressure_total(std::string_view line, std::uint64_t& total_us) {
    const std::size_t at = line.rfind("total=");
    return at != std::string_view::npos && only_number(line.substr(at + 6), total_us);
}

} // namespace

void PressureFile::discover(sdk::SeriesList& list, std::uint32_t group, const char* labels, Buffer& buffer) {
    some_ = full_ = npos;
    const auto text = file_.read(buffer);
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line);) {
        std::uint64_t total_us = 0;
        if (!pressure_total(line, total_us)) continue;
        if (line.starts_with("some ") && some_ == npos) some_ = list.add(some, group, labels);
        if (line.starts_with("full ") && full_ == npos) full_ = list.add(full, group, labels);
    }
}

void PressureFile::read(const sdk::Reading& reading, Buffer& buffer) {
    const auto text = file_.read(buffer);
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line);) {
        std::uint64_t total_us = 0;
        if (!pressure_total(line, total_us)) continue;
        if (line.starts_with("some ") && some_ != npos) reading.set(some_, total_us);
        if (line.starts_with("full ") && full_ != npos) reading.set(full_, total_us);
    }
}

namespace {

class PressureSource final : public Source {
public:
    explicit PressureSource(const Roots& roots) : directory_(roots.proc + "/pressure/") {
        for (const char* resource : resources)
            files_.emplace_back(directory_ + resource);
    }

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        for (std::size_t i = 0; i < files_.size(); ++i)
            files_[i].discover(list, 0, list.keep(labels({{"resource", resources[i]}})), buffer);
        if (list.size() > 0) list.add_group();
    }
    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const std::int64_t before_ns = monotonic_ns();
        for (PressureFile& file : files_)
            file.read(reading, buffer);
        reading.stamp(0, before_ns + (monotonic_ns() - before_ns) / 2);
    }
    bool stale(Buffer&) override { return false; } // fixed when the kernel boots

private:
    std::string directory_;
    std::vector<PressureFile> files_;
};

} // namespace

SourcePointer make_pressure_source(const Roots& roots) { return std::make_unique<PressureSource>(roots); }

} // namespace assay::host
