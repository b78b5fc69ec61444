// NVMe SMART data of each controller, through its admin queue. Needs root.
//
// Some drives stall I/O while they make up the log page, and its data units are too coarse for short runs anyway: each
// controller is asked every 10 s at most.
#include "plugins/common/unique_fd.hpp"
#include "plugins/host/labels.hpp"
#include "plugins/host/nvme_smart.hpp"
#include "plugins/host/sources.hpp"

#include <cstdint>

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

namespace assay::host {
namespace {

constexpr std::size_t controllers_max = 256;

class NvmeSource final : public Source {
public:
    NvmeSource(const Roots& roots, DeviceFilter devices, ReadSmart read)
        : directory_(roots.sys + "/class/nvme"),
          dev_(roots.dev + "/"),
          filter_(std::move(devices)),
          read_(std::move(read)) {}

    void discover(sdk::SeriesList& list, Buffer&) override {
        controllers_.clear();
        names_ = names_in(directory_, controllers_max);
        for (const std::string& name : names_) {
            SmartPage page;
            if (!filter_.admits(name) || !read_(dev_ + name, page)) continue;
            list_smart(list, list.add_group(), list.keep(labels({{"device", name}})));
            controllers_.push_back(dev_ + name);
        }
    }

    void read(const sdk::Reading& reading, Buffer&) override {
        for (std::size_t i = 0; i < controllers_.size(); ++i) {
            SmartPage page;
            const std::int64_t before_ns = monotonic_ns();
            const bool good = read_(controllers_[i], page);
            reading.stamp(static_cast<std::uint32_t>(i), before_ns + (monotonic_ns() - before_ns) / 2);
            if (good) set_smart(page, i * smart_series, reading);
        }
    }

    bool stale(Buffer&) override { return names_ != names_in(directory_, controllers_max); }
    [[nodiscard]] std::int64_t period_min_ns() const override { return 10'000'000'000; }

private:
    std::string directory_;
    std::string dev_;
    DeviceFilter filter_;
    ReadSmart read_;
    std::vector<std::string> names_;       // all controllers there were
    std::vector<std::string> controllers_; // paths of those that answer
};

} // namespace

bool read_smart(const std::string& path, SmartPage& page) {
    const common::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return false;
    constexpr std::uint32_t get_log_page = 0x02;
    constexpr std::uint32_t smart_log = 0x02;
    constexpr std::uint32_t whole_controller = 0xffffffff;
    nvme_admin_cmd command{};
    command.opcode = get_log_page;
    command.nsid = whole_controller;
    command.addr = reinterpret_cast<std::uintptr_t>(page.data());
    command.data_len = static_cast<std::uint32_t>(page.size());
    command.cdw10 = (command.data_len / 4 - 1) << 16 | smart_log; // the length in words, less one
    command.timeout_ms = 1000;
    page.fill(0);
    return ::ioctl(fd.get(), NVME_IOCTL_ADMIN_CMD, &command) == 0;
}

SourcePointer make_nvme_source(const Roots& roots, DeviceFilter devices, ReadSmart read) {
    return std::make_unique<NvmeSource>(roots, std::move(devices), std::move(read));
}

} // namespace assay::host
