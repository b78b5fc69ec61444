// SMB shares, from /proc/fs/cifs/Stats: bytes and requests a share. The counts are 32 bits and printed with a sign; the
// bytes are 64 bits. Reading resets nothing; writing to the file would.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

#include <algorithm>

namespace assay::host {
namespace {

using sdk::counter;

constexpr std::size_t shares_max = 1024;
constexpr std::size_t operations_max = 64; // a share

constexpr assay_series bytes_read = counter("cifs.read", "B", "Bytes read from the share.");
constexpr assay_series bytes_written = counter("cifs.written", "B", "Bytes written to the share.");
constexpr assay_series requests = counter("cifs.requests", "requests", "SMB requests sent.", 1, 32);
constexpr assay_series operations = counter("cifs.operations", "requests", "Requests of one kind sent.", 1, 32);
constexpr assay_series failures = counter("cifs.failures", "requests", "Requests of one kind that failed.", 1, 32);
constexpr assay_series session_reconnects =
    counter("cifs.session_reconnects", "reconnects", "Sessions set up again, all servers.", 1, 32);
constexpr assay_series share_reconnects =
    counter("cifs.share_reconnects", "reconnects", "Shares connected again, all servers.", 1, 32);

// What one line says: up to two values, each with its place in the share's series.
struct Fact {
    std::string_view name; // "Reads"; "" for nothing of interest
    const assay_series* series[2] = {nullptr, nullptr};
    std::uint64_t value[2] = {0, 0};
};

// "%d" of a 32-bit count that has passed 2^31 has a minus.
bool count_32(Scan& scan, std::uint64_t& value) {
    scan.skip_blanks();
    const std::string_view word = scan.word();
    const bool negative = word.starts_with('-');
    if (!only_number(word.substr(negative ? 1 : 0), value) || value > 0xffffffff) return false;
    if (negative) value = (std::uint64_t{1} << 32) - value;
    return true;
}

// "Bytes read: 1  Bytes written: 2", "SMBs: 3", "Reads: 4 total 0 failed", "Writes: 5 sent 0 failed", and of SMB 1
// "Reads:  6 Bytes: 7".
Fact fact_of(std::string_view line) {
    Scan scan(line);
    std::string_view name;
    if (!scan.until(':', name)) return {};
    Fact fact{name};
    if (name == "Bytes read") {
        std::string_view between;
        if (!scan.number(fact.value[0]) || !scan.until(':', between) || !scan.number(fact.value[1])) return {};
        fact.series[0] = &bytes_read;
        fact.series[1] = &bytes_written;
        return fact;
    }
    if (!count_32(scan, fact.value[0])) return {};
    if (name == "SMBs") {
        fact.series[0] = &requests;
        return fact;
    }
    const std::string_view next = scan.word();
    if (next == "total" || next == "sent") {
        if (!count_32(scan, fact.value[1]) || scan.word() != "failed") return {}; // "Open files" is a gauge of its own
        fact.series[0] = &operations;
        fact.series[1] = &failures;
        return fact;
    }
    const bool reads = name == "Reads";
    if (next != "Bytes:" || (!reads && name != "Writes") || !scan.number(fact.value[1])) return {};
    fact.series[0] = &operations;
    fact.series[1] = reads ? &bytes_read : &bytes_written;
    return fact;
}

// "1) \\server\share", possibly with a tab and DISCONNECTED.
bool is_share(std::string_view line, std::string_view& share) {
    Scan scan(line);
    std::uint64_t number = 0;
    if (line.empty() || !is_digit(line[0]) || !scan.number(number) || !scan.rest().starts_with(") ")) return false;
    share = scan.rest().substr(2);
    share = trimmed(share.substr(0, share.find('\t')));
    return true;
}

struct Share {
    NameOrder lines;                // "Reads"
    std::vector<std::size_t> first; // series of each, one or two from here
};

class CifsSource final : public Source {
public:
    explicit CifsSource(const Roots& roots) : file_(roots.proc + "/fs/cifs/Stats") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        names_.clear();
        shares_.clear();
        reconnects_ = npos;
        changed_ = false;
        const auto text = file_.read(buffer);
        std::string which;
        Scan lines(text.value_or(std::string_view()));
        for (std::string_view line, share; lines.line(line);) {
            std::uint64_t values[2];
            if (is_share(line, share)) {
                if (shares_.size() == shares_max) break;
                which = share_labels(share);
                names_.add(share);
                shares_.emplace_back();
            } else if (shares_.empty() && is_reconnects(line, values)) {
                reconnects_ = list.add(session_reconnects, 0);
                list.add(share_reconnects, 0);
            } else if (!shares_.empty()) {
                add(fact_of(line), which, list);
            }
        }
        if (list.size() > 0) list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        names_.rewind();
        std::size_t seen = 0;
        Share* share = nullptr;
        Scan lines(text.value_or(std::string_view()));
        for (std::string_view line, name; lines.line(line);) {
            std::uint64_t values[2];
            if (is_share(line, name)) {
                const std::size_t index = names_.take(name);
                share = index == npos ? nullptr : &shares_[index];
                seen += share == nullptr ? 0 : 1;
                changed_ = changed_ || (share == nullptr && names_.size() < shares_max);
                if (share != nullptr) share->lines.rewind();
            } else if (share != nullptr) {
                const Fact fact = fact_of(line);
                const std::size_t at = fact.series[0] != nullptr ? share->lines.find(fact.name) : npos;
                if (at == npos) continue;
                reading.set(share->first[at], fact.value[0]);
                if (fact.series[1] != nullptr) reading.set(share->first[at] + 1, fact.value[1]);
            } else if (reconnects_ != npos && is_reconnects(line, values)) {
                reading.set(reconnects_, values[0]);
                reading.set(reconnects_ + 1, values[1]);
            }
        }
        changed_ = changed_ || seen < names_.size();
    }

    // Where there is no share yet, the first is looked for here; without the module there is no file.
    bool stale(Buffer& buffer) override {
        if (!shares_.empty() || changed_) return changed_;
        const auto text = file_.read(buffer);
        Scan lines(text.value_or(std::string_view()));
        for (std::string_view line, share; lines.line(line);)
            changed_ = changed_ || is_share(line, share);
        return changed_;
    }

private:
    // "0 session 0 share reconnects"
    static bool is_reconnects(std::string_view line, std::uint64_t (&values)[2]) {
        Scan scan(line);
        return count_32(scan, values[0]) && scan.word() == "session" && count_32(scan, values[1]) &&
               scan.word() == "share";
    }
    std::string share_labels(std::string_view share) const {
        std::size_t same = 1; // the same share in another session
        for (std::size_t i = 0; i < names_.size(); ++i)
            same += names_[i] == share ? 1 : 0;
        return labels({{"share", share}, {"number", same == 1 ? "" : std::to_string(same)}});
    }
    void add(const Fact& fact, const std::string& which, sdk::SeriesList& list) {
        Share& share = shares_.back();
        if (fact.series[0] == nullptr || share.lines.size() == operations_max || list.size() + 2 > series_max) return;
        share.lines.add(fact.name);
        share.first.push_back(list.size());
        for (const assay_series* series : fact.series) {
            if (series == nullptr) continue;
            const bool by_kind = series == &operations || series == &failures;
            list.add(*series, 0, list.keep(by_kind ? which + "," + labels({{"operation", fact.name}}) : which));
        }
    }

    KernelFile file_;
    NameOrder names_; // of each share
    std::vector<Share> shares_;
    std::size_t reconnects_ = npos;
    bool changed_ = false;
};

} // namespace

SourcePointer make_cifs_source(const Roots& roots) { return std::make_unique<CifsSource>(roots); }

} // namespace assay::host
