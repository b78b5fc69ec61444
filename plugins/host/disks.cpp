// /proc/diskstats: what each block device and partition did.
//
// Sectors are 512 B whatever the device's own block size. Times are milliseconds that the kernel prints as 32 bits:
// they wrap after 49.7 days. A device that has no size (a loop device without a file) and never did anything is left
// out.
#include "plugins/host/labels.hpp"
#include "plugins/host/sources.hpp"
#include "plugins/host/tables.hpp"

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

constexpr double sector_bytes = 512;
constexpr double ms = 1e-3;

constexpr ColumnSeries columns[] = {
    {0, counter("disk.reads", "requests", "Reads completed.")},
    {1, counter("disk.reads_merged", "requests", "Reads merged into others before they were issued.")},
    {2, counter("disk.read", "B", "Bytes read from the device.", sector_bytes)},
    {3, counter("disk.read_time", "s", "Time of all reads, summed over requests.", ms, 32)},
    {4, counter("disk.writes", "requests", "Writes completed.")},
    {5, counter("disk.writes_merged", "requests", "Writes merged into others before they were issued.")},
    {6, counter("disk.written", "B", "Bytes written to the device.", sector_bytes)},
    {7, counter("disk.write_time", "s", "Time of all writes, summed over requests.", ms, 32)},
    {8, gauge("disk.in_flight", "requests", "Requests issued and not completed.")},
    {9, counter("disk.busy", "s", "Time with at least one request in flight.", ms, 32)},
    {10, counter("disk.queue_time", "s", "Time of all requests, summed: its growth a second is the mean in flight.", ms,
                 32)},
    {11, counter("disk.discards", "requests", "Discards completed.")},
    {13, counter("disk.discarded", "B", "Bytes discarded.", sector_bytes)},
    {14, counter("disk.discard_time", "s", "Time of all discards, summed over requests.", ms, 32)},
    {15, counter("disk.flushes", "requests", "Cache flushes completed.")},
    {16, counter("disk.flush_time", "s", "Time of all flushes, summed over requests.", ms, 32)},
};

bool any_nonzero(Scan scan) {
    while (!scan.rest().empty()) {
        std::uint64_t value = 0;
        if (scan.field(value) && value != 0) return true;
    }
    return false;
}

class DiskSource final : public Source {
public:
    DiskSource(const Roots& roots, DeviceFilter devices)
        : file_(roots.proc + "/diskstats"), sys_(roots.sys), filter_(std::move(devices)), table_(columns) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        table_.clear();
        idle_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        if (!text) return;
        list.add_group();
        Scan lines(*text);
        Buffer other;
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            scan.skip(2);
            const std::string name(scan.word());
            if (name.empty()) continue;
            if (!filter_.admits(name)) {
                table_.ignore_device(name);
            } else if (any_nonzero(scan) || has_size(name, other)) {
                table_.list_device(name, columns_in(scan), list, 0, list.keep(labels({{"device", name}})));
            } else {
                table_.ignore_device(name);
                idle_.push_back(name);
            }
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        if (!text) return;
        table_.rewind();
        Scan lines(*text);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            scan.skip(2);
            const std::string_view name = scan.word();
            if (table_.read_line(name, scan, reading) == DeviceTable::Seen::unknown) changed_ = true;
        }
        changed_ = changed_ || !table_.complete();
    }

    bool stale(Buffer& buffer) override {
        for (const std::string& name : idle_)
            changed_ = changed_ || has_size(name, buffer);
        return changed_;
    }

private:
    // Known before the first request, so that a device attached for a run is listed from its beginning.
    bool has_size(const std::string& name, Buffer& buffer) const {
        const auto text = read_once(sys_ + "/class/block/" + name + "/size", buffer);
        std::uint64_t sectors = 0;
        return text && only_number(*text, sectors) && sectors != 0;
    }

    KernelFile file_;
    std::string sys_;
    DeviceFilter filter_;
    DeviceTable table_;
    std::vector<std::string> idle_; // no size and no request so far
    bool changed_ = false;
};

} // namespace

SourcePointer make_disk_source(const Roots& roots, DeviceFilter devices) {
    return std::make_unique<DiskSource>(roots, std::move(devices));
}

} // namespace assay::host
