// /proc/net/snmp and /proc/net/netstat: TCP and UDP events of this network namespace, retransmissions first.
//
// Both files are pairs of lines, names and values: "Tcp: RtoAlgorithm RtoMin ..." and "Tcp: 1 200 ...". Which names
// there are differs from kernel to kernel, so positions are looked up, and again when a line of names changed.
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

#include <algorithm>
#include <iterator>

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

struct Wanted {
    const char* protocol;
    const char* name;
    assay_series series;
};

constexpr Wanted snmp[] = {
    {"Tcp", "RetransSegs", counter("tcp.retransmits", "segments", "Segments sent again.")},
    {"Tcp", "InSegs", counter("tcp.received", "segments", "Segments received.")},
    {"Tcp", "OutSegs", counter("tcp.sent", "segments", "Segments sent, without retransmissions.")},
    {"Tcp", "InErrs", counter("tcp.receive_errors", "segments", "Segments received and bad.")},
    {"Tcp", "OutRsts", counter("tcp.resets_sent", "segments", "Resets sent.")},
    {"Tcp", "ActiveOpens", counter("tcp.opens_active", "connections", "Connections opened from here.")},
    {"Tcp", "PassiveOpens", counter("tcp.opens_passive", "connections", "Connections accepted.")},
    {"Tcp", "AttemptFails", counter("tcp.opens_failed", "connections", "Connections that could not be opened.")},
    {"Tcp", "EstabResets", counter("tcp.resets", "connections", "Established connections that were reset.")},
    {"Tcp", "CurrEstab", gauge("tcp.established", "connections", "Connections established now.")},
    {"Udp", "InDatagrams", counter("udp.received", "datagrams", "Datagrams delivered.")},
    {"Udp", "OutDatagrams", counter("udp.sent", "datagrams", "Datagrams sent.")},
    {"Udp", "InErrors", counter("udp.receive_errors", "datagrams", "Datagrams received and not delivered.")},
    {"Udp", "RcvbufErrors", counter("udp.receive_drops", "datagrams", "Datagrams dropped: receive buffer full.")},
    {"Udp", "SndbufErrors", counter("udp.send_drops", "datagrams", "Datagrams dropped: send buffer full.")},
};
constexpr Wanted netstat[] = {
    {"TcpExt", "TCPLostRetransmit", counter("tcp.retransmits_lost", "segments", "Retransmitted segments lost again.")},
    {"TcpExt", "TCPFastRetrans", counter("tcp.retransmits_fast", "segments", "Segments sent again by fast recovery.")},
    {"TcpExt", "TCPSlowStartRetrans",
     counter("tcp.retransmits_slow_start", "segments", "Segments sent again in slow start.")},
    {"TcpExt", "TCPSynRetrans", counter("tcp.retransmits_syn", "segments", "Opening segments sent again.")},
    {"TcpExt", "TCPTimeouts", counter("tcp.timeouts", "timeouts", "Retransmission timers that ran out.")},
    {"TcpExt", "TCPSpuriousRTOs", counter("tcp.timeouts_spurious", "timeouts", "Timeouts that were needless.")},
    {"TcpExt", "TCPOFOQueue", counter("tcp.out_of_order", "segments", "Segments received out of order.")},
    {"TcpExt", "TCPDSACKRecv", counter("tcp.duplicates_reported", "segments", "Segments the peer had twice.")},
    {"TcpExt", "ListenOverflows", counter("tcp.listen_overflows", "connections", "Accept queue was full.")},
    {"TcpExt", "ListenDrops", counter("tcp.listen_drops", "connections", "Incoming connections dropped.")},
    {"TcpExt", "TCPBacklogDrop", counter("tcp.backlog_drops", "segments", "Segments dropped: socket backlog full.")},
    {"TcpExt", "TCPRcvQDrop", counter("tcp.receive_drops", "segments", "Segments dropped: receive queue full.")},
    {"TcpExt", "TCPZeroWindowDrop", counter("tcp.zero_window_drops", "segments", "Segments beyond a closed window.")},
    {"TcpExt", "PruneCalled", counter("tcp.prunes", "times", "Receive buffers that had to be pruned.")},
    {"TcpExt", "TCPMemoryPressures", counter("tcp.memory_pressures", "times", "Entries into TCP memory pressure.")},
};

class PairedFile {
public:
    PairedFile(std::string path, std::span<const Wanted> wanted) : file_(std::move(path)), wanted_(wanted) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) {
        pairs_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        const std::uint32_t group = list.add_group();
        group_ = group;
        Scan lines(text.value_or(std::string_view()));
        for (std::string_view names, values; lines.line(names) && lines.line(values);) {
            Pair pair{std::string(names), {}};
            Scan scan(names);
            std::string_view protocol;
            if (!scan.until(':', protocol)) continue;
            for (std::string_view name = scan.word(); !name.empty(); name = scan.word()) {
                const auto found = std::find_if(wanted_.begin(), wanted_.end(), [&](const Wanted& each) {
                    return protocol == each.protocol && name == each.name;
                });
                pair.series.push_back(found == wanted_.end() ? npos : list.add(found->series, group));
            }
            while (!pair.series.empty() && pair.series.back() == npos)
                pair.series.pop_back();
            pairs_.push_back(std::move(pair));
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) {
        const auto text = file_.read(buffer, reading, group_);
        Scan lines(text.value_or(std::string_view()));
        std::size_t at = 0;
        for (std::string_view names, values; at < pairs_.size() && lines.line(names) && lines.line(values); ++at) {
            const Pair& pair = pairs_[at];
            if (names != pair.names) {
                changed_ = true;
                return;
            }
            Scan scan(values);
            scan.word();
            for (const std::size_t series : pair.series) {
                std::uint64_t value = 0;
                if (scan.field(value) && series != npos) reading.set(series, value);
            }
        }
    }

    [[nodiscard]] bool changed() const { return changed_; }

private:
    struct Pair {
        std::string names;
        std::vector<std::size_t> series; // of each column, or npos
    };
    KernelFile file_;
    std::span<const Wanted> wanted_;
    std::vector<Pair> pairs_;
    std::uint32_t group_ = 0;
    bool changed_ = false;
};

class ProtocolSource final : public Source {
public:
    explicit ProtocolSource(const Roots& roots)
        : files_{PairedFile(roots.proc + "/net/snmp", snmp), PairedFile(roots.proc + "/net/netstat", netstat)} {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        for (PairedFile& file : files_)
            file.discover(list, buffer);
    }
    void read(const sdk::Reading& reading, Buffer& buffer) override {
        for (PairedFile& file : files_)
            file.read(reading, buffer);
    }
    bool stale(Buffer&) override { return files_[0].changed() || files_[1].changed(); }

private:
    PairedFile files_[2];
};

} // namespace

SourcePointer make_protocol_source(const Roots& roots) { return std::make_unique<ProtocolSource>(roots); }

} // namespace assay::host
