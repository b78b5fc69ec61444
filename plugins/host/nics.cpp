// /proc/net/dev: what each network interface of this network namespace moved, dropped and got wrong.
#include "plugins/host/labels.hpp"
#include "plugins/host/sources.hpp"
#include "plugins/host/tables.hpp"

namespace assay::host {
namespace {

using sdk::counter;

constexpr ColumnSeries columns[] = {
    {0, counter("nic.received", "B", "Bytes received.")},
    {1, counter("nic.received_packets", "packets", "Packets received.")},
    {2, counter("nic.receive_errors", "packets", "Packets received and bad.")},
    {3, counter("nic.receive_drops", "packets", "Packets received and dropped: no buffer, nobody listens, filtered.")},
    {4, counter("nic.receive_overruns", "packets", "Packets lost because the receive queue was full.")},
    {5, counter("nic.receive_frame_errors", "packets", "Packets received with a wrong frame, length or checksum.")},
    {7, counter("nic.received_multicast", "packets", "Multicast packets received.")},
    {8, counter("nic.sent", "B", "Bytes sent.")},
    {9, counter("nic.sent_packets", "packets", "Packets sent.")},
    {10, counter("nic.send_errors", "packets", "Packets that could not be sent.")},
    {11, counter("nic.send_drops", "packets", "Packets dropped before they were sent.")},
    {12, counter("nic.send_overruns", "packets", "Packets lost in the send queue.")},
    {13, counter("nic.collisions", "packets", "Collisions.")},
    {14, counter("nic.carrier_errors", "packets", "Packets lost because the carrier was gone, and other send errors.")},
};

class NicSource final : public Source {
public:
    NicSource(const Roots& roots, DeviceFilter devices)
        : file_(roots.proc + "/net/dev"), filter_(std::move(devices)), table_(columns) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        table_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        if (!text) return;
        list.add_group();
        Scan lines(*text);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            std::string_view name;
            if (!scan.until(':', name)) continue; // the two lines of headings
            const std::string interface(trimmed(name));
            if (filter_.admits(interface))
                table_.list_device(interface, columns_in(scan), list, 0, list.keep(labels({{"device", interface}})));
            else
                table_.ignore_device(interface);
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        if (!text) return;
        table_.rewind();
        Scan lines(*text);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            std::string_view name;
            if (!scan.until(':', name)) continue;
            if (table_.read_line(trimmed(name), scan, reading) == DeviceTable::Seen::unknown) changed_ = true;
        }
        changed_ = changed_ || !table_.complete();
    }

    bool stale(Buffer&) override { return changed_; }

private:
    KernelFile file_;
    DeviceFilter filter_;
    DeviceTable table_;
    bool changed_ = false;
};

constexpr std::size_t interfaces_max = 1024;
constexpr assay_series speed = sdk::gauge("nic.speed", "bit/s", "Speed of the link as negotiated.", 1e6);
constexpr assay_series carrier_changes =
    sdk::counter("nic.carrier_changes", "changes", "Times that the link went up or down.", 1, 32);

// /sys/class/net: the state of the link. Asking for the speed takes a lock of the whole network stack.
class LinkSource final : public Source {
public:
    LinkSource(const Roots& roots, DeviceFilter devices)
        : directory_(roots.sys + "/class/net"), filter_(std::move(devices)) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        links_.clear();
        names_ = names_in(directory_, interfaces_max);
        for (const std::string& name : names_) {
            const std::string path = directory_ + "/" + name;
            // A purely virtual interface has no speed; one that is down says -1, and its value is not set.
            if (!filter_.admits(name) || !read_once(path + "/speed", buffer)) continue;
            const char* which = list.keep(labels({{"device", name}}));
            list.add(speed, 0, which);
            list.add(carrier_changes, 0, which);
            links_.push_back(path);
        }
        if (list.size() > 0) list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        reading.stamp(0, monotonic_ns());
        for (std::size_t i = 0; i < links_.size(); ++i) {
            set(reading, i * 2, links_[i] + "/speed", buffer);
            set(reading, i * 2 + 1, links_[i] + "/carrier_changes", buffer);
        }
    }

    bool stale(Buffer&) override { return names_ != names_in(directory_, interfaces_max); }
    [[nodiscard]] std::int64_t period_min_ns() const override { return 1'000'000'000; }

private:
    static void set(const sdk::Reading& reading, std::size_t series, const std::string& path, Buffer& buffer) {
        const auto text = read_once(path, buffer);
        std::uint64_t value = 0;
        if (text && only_number(*text, value)) reading.set(series, value);
    }

    std::string directory_;
    DeviceFilter filter_;
    std::vector<std::string> names_; // all interfaces there were
    std::vector<std::string> links_; // directories of those that have a speed
};

} // namespace

SourcePointer make_nic_source(const Roots& roots, DeviceFilter devices) {
    return std::make_unique<NicSource>(roots, std::move(devices));
}
SourcePointer make_link_source(const Roots& roots, DeviceFilter devices) {
    return std::make_unique<LinkSource>(roots, std::move(devices));
}

} // namespace assay::host
