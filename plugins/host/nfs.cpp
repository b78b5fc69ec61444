// NFS mounts, from /proc/self/mountstats: bytes by path through the client, and each RPC operation with its times.
//
// Counters belong to a mount and start again with the next. An operation that was never used is left out, except
// reading, writing and committing.
#include "plugins/host/labels.hpp"
#include "plugins/host/sources.hpp"
#include "plugins/host/tables.hpp"

#include <algorithm>
#include <optional>

namespace assay::host {
namespace {

using sdk::counter;

constexpr std::size_t mounts_max = 1024;
constexpr double ms = 1e-3;

constexpr ColumnSeries bytes_columns[] = {
    {0, counter("nfs.app_read", "B", "Bytes programs read through the page cache.")},
    {1, counter("nfs.app_written", "B", "Bytes programs wrote through the page cache.")},
    {2, counter("nfs.direct_read", "B", "Bytes programs read with O_DIRECT.")},
    {3, counter("nfs.direct_written", "B", "Bytes programs wrote with O_DIRECT.")},
    {4, counter("nfs.read", "B", "Bytes read from the server.")},
    {5, counter("nfs.written", "B", "Bytes written to the server.")},
};
constexpr ColumnSeries operation_columns[] = {
    {0, counter("nfs.operations", "operations", "Requests completed.")},
    {1, counter("nfs.transmissions", "requests", "Requests sent; more than operations means sent again.")},
    {2, counter("nfs.timeouts", "timeouts", "Requests that the server was too slow for.")},
    {3, counter("nfs.sent", "B", "Bytes of requests, headers included.")},
    {4, counter("nfs.received", "B", "Bytes of replies, headers included.")},
    {5, counter("nfs.queue_time", "s", "Time before requests were sent, summed.", ms)},
    {6, counter("nfs.round_trip_time", "s", "Time from sending to the reply, summed.", ms)},
    {7, counter("nfs.execute_time", "s", "Time from issue to completion, summed.", ms)},
    {8, counter("nfs.errors", "operations", "Requests that ended with an error.")},
};

// "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1"
bool is_nfs(std::string_view line) {
    const std::size_t at = line.rfind(" with fstype nfs");
    if (!line.starts_with("device ") || at == std::string_view::npos) return false;
    const std::string_view kind = Scan(line.substr(at + 13)).word();
    return kind == "nfs" || kind == "nfs4";
}

struct Mount {
    DeviceTable bytes{bytes_columns};
    DeviceTable operations{operation_columns};
};

class NfsSource final : public Source {
public:
    explicit NfsSource(const Roots& roots) : file_(roots.proc + "/self/mountstats") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        headers_.clear();
        mounts_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        std::string which;
        walk(
            text.value_or(std::string_view()),
            [&](std::string_view header) -> Mount* {
                if (mounts_.size() == mounts_max) return nullptr;
                which = mount_labels(header);
                headers_.add(header);
                return &mounts_.emplace_back();
            },
            [&](Mount& mount, bool bytes, std::string_view name, Scan numbers) {
                std::uint64_t used = 0;
                Scan first(numbers);
                if (bytes) {
                    mount.bytes.list_device(name, columns_in(numbers), list, 0, list.keep(which));
                } else if (name == "READ" || name == "WRITE" || name == "COMMIT" || (first.field(used) && used != 0)) {
                    const char* labelled = list.keep(which + "," + labels({{"operation", name}}));
                    mount.operations.list_device(name, columns_in(numbers), list, 0, labelled);
                } else {
                    mount.operations.ignore_device(name);
                }
            });
        if (list.size() > 0) list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        headers_.rewind();
        std::size_t seen = 0;
        walk(
            text.value_or(std::string_view()),
            [&](std::string_view header) -> Mount* {
                const std::size_t index = headers_.take(header);
                if (index == npos) {
                    changed_ = changed_ || mounts_.size() < mounts_max;
                    return nullptr;
                }
                ++seen;
                mounts_[index].bytes.rewind();
                mounts_[index].operations.rewind();
                return &mounts_[index];
            },
            [&](Mount& mount, bool bytes, std::string_view name, Scan numbers) {
                const auto what = (bytes ? mount.bytes : mount.operations).read_line(name, numbers, reading);
                std::uint64_t used = 0;
                if (what != DeviceTable::Seen::listed && numbers.field(used) && used != 0) changed_ = true;
            });
        changed_ = changed_ || seen != mounts_.size();
    }

    // Without a mount nothing reads the file, so a first one is looked for here.
    bool stale(Buffer& buffer) override {
        if (!mounts_.empty()) return changed_;
        const auto text = file_.read(buffer);
        Scan lines(text.value_or(std::string_view()));
        for (std::string_view line; lines.line(line);)
            changed_ = changed_ || is_nfs(line);
        return changed_;
    }

private:
    std::string mount_labels(std::string_view header) {
        constexpr std::string_view on = " mounted on ";
        constexpr std::size_t device_word = 7; // "device "
        const std::size_t at = header.find(on);
        const std::size_t with = header.rfind(" with fstype ");
        if (at == std::string_view::npos || with < at + on.size()) return labels({{"mount", header}});
        const std::string place = without_octal_escapes(header.substr(at + on.size(), with - at - on.size()));
        const std::string device = without_octal_escapes(header.substr(device_word, at - device_word));
        std::size_t same = 1; // the same export at the same place, one over the other
        for (std::size_t i = 0; i < headers_.size(); ++i)
            same += headers_[i] == header ? 1 : 0;
        return labels({{"mount", place}, {"device", device}, {"number", same == 1 ? "" : std::to_string(same)}});
    }

    // Calls on_mount for each NFS mount, and on_line for its lines if that gave one.
    template <class OnMount, class OnLine>
    static void walk(std::string_view text, OnMount&& on_mount, OnLine&& on_line) {
        Scan lines(text);
        Mount* mount = nullptr;
        bool operations = false;
        for (std::string_view line; lines.line(line);) {
            if (line.starts_with("device ")) {
                mount = is_nfs(line) ? on_mount(line) : nullptr;
                operations = false;
                continue;
            }
            if (mount == nullptr) continue;
            Scan scan(line);
            std::string_view name;
            operations = operations || trimmed(line) == "per-op statistics";
            if (!scan.until(':', name)) continue;
            name = trimmed(name);
            if (operations || name == "bytes") on_line(*mount, !operations, name, scan);
        }
    }

    KernelFile file_;
    NameOrder headers_; // of each mount, the whole line
    std::vector<Mount> mounts_;
    bool changed_ = false;
};

} // namespace

SourcePointer make_nfs_source(const Roots& roots) { return std::make_unique<NfsSource>(roots); }

} // namespace assay::host
