// /proc/softirqs: soft interrupts raised, by CPU and kind. 32-bit counters that wrap.
//
// The columns are all CPUs that could ever exist; one that never ran anything is left out.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {
namespace {

constexpr assay_series raised =
    sdk::counter("softirq.count", "softirqs", "Soft interrupts of one kind that a CPU handled.", 1, 32);

class SoftirqSource final : public Source {
public:
    explicit SoftirqSource(const Roots& roots) : file_(roots.proc + "/softirqs") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        kinds_.clear();
        changed_ = false;
        const auto text = file_.read(buffer);
        if (!text) return;
        Scan lines(*text);
        std::string_view header;
        if (!lines.line(header)) return;
        header_ = header;
        find_columns(lines);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            std::string_view kind;
            if (!scan.until(':', kind)) continue;
            kind = trimmed(kind);
            if (list.size() + columns_.size() > series_max) break;
            kinds_.add(kind);
            Scan cpus(header_);
            for (const bool used : columns_) {
                const std::string_view cpu = cpus.word();
                if (used) list.add(raised, 0, list.keep(labels({{"cpu", cpu.substr(3)}, {"kind", kind}})));
            }
        }
        width_ = kinds_.size() == 0 ? 0 : list.size() / kinds_.size();
        list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        if (!text) return;
        Scan lines(*text);
        std::string_view line;
        if (!lines.line(line) || line != header_) {
            changed_ = true;
            return;
        }
        kinds_.rewind();
        while (lines.line(line)) {
            Scan scan(line);
            std::string_view kind;
            if (!scan.until(':', kind)) continue;
            const std::size_t row = kinds_.find(trimmed(kind));
            if (row == npos) continue;
            std::size_t at = row * width_;
            for (const bool used : columns_) {
                std::uint64_t value = 0;
                const bool good = scan.field(value);
                if (used && good) reading.set(at, value);
                changed_ = changed_ || (!used && value != 0);
                at += used ? 1 : 0;
            }
        }
    }

    bool stale(Buffer&) override { return changed_; }

private:
    void find_columns(Scan lines) {
        columns_.clear();
        Scan cpus(header_);
        for (std::string_view cpu = cpus.word(); cpu.starts_with("CPU"); cpu = cpus.word())
            columns_.push_back(false);
        for (std::string_view line; lines.line(line);) {
            Scan scan(line);
            scan.word();
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                std::uint64_t value = 0;
                if (scan.field(value) && value != 0) columns_[i] = true;
            }
        }
    }

    KernelFile file_;
    std::string header_;
    std::vector<bool> columns_; // whether the CPU of column i ever handled one
    NameOrder kinds_;
    std::size_t width_ = 0; // columns listed
    bool changed_ = false;
};

} // namespace

SourcePointer make_softirq_source(const Roots& roots) { return std::make_unique<SoftirqSource>(roots); }

} // namespace assay::host
