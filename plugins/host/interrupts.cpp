// /proc/interrupts: interrupts by CPU and device. 32-bit counters that wrap.
//
// A big machine prints thousands of lines times hundreds of CPUs, and nearly all of it is zero: a vector is served by
// one CPU. So what is listed is each (line, CPU) that ever counted anything; another one that starts to count makes the
// list stale, and is in the next.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {
namespace {

constexpr std::size_t lines_max = 16384;
constexpr std::size_t cells_max = 4u << 20;
constexpr std::uint32_t not_listed = 0xffffffff;
constexpr assay_series handled =
    sdk::counter("interrupt.count", "interrupts", "Interrupts of one source that a CPU handled.", 1, 32);

// After the counts: "PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0" or "Local timer interrupts". The device is what
// follows the last gap of two blanks or more; a vector that nobody requested has none.
std::string_view device_of(std::string_view tail, bool numbered) {
    tail = trimmed(tail);
    const std::size_t gap = tail.rfind("  ");
    if (gap == std::string_view::npos) return numbered ? std::string_view() : tail;
    const std::string_view last = tail.substr(gap + 2);
    const bool trigger = last.ends_with("-edge") || last.ends_with("-level") || last.ends_with("-fasteoi");
    return numbered && trigger && last.find(' ') == std::string_view::npos ? std::string_view() : last;
}

class InterruptSource final : public Source {
public:
    explicit InterruptSource(const Roots& roots) : file_(roots.proc + "/interrupts") {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        names_.clear();
        tails_.clear();
        cells_.clear();
        cpus_.clear();
        changed_ = false;
        full_ = false;
        const auto text = file_.read(buffer);
        if (!text) return;
        Scan lines(*text);
        std::string_view line;
        if (!lines.line(line)) return;
        header_ = line;
        Scan header(header_);
        for (std::string_view cpu = header.word(); cpu.starts_with("CPU"); cpu = header.word())
            cpus_.emplace_back(cpu.substr(3));
        while (lines.line(line)) {
            full_ = full_ || names_.size() == lines_max || cells_.size() + cpus_.size() > cells_max;
            if (!full_) discover_line(line, list);
        }
        list.add_group();
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        const auto text = file_.read(buffer, reading, 0);
        if (!text) return;
        Scan lines(*text);
        std::string_view line;
        if (!lines.line(line) || line != header_) { // a CPU came or went: the columns mean something else
            changed_ = true;
            return;
        }
        names_.rewind();
        while (lines.line(line))
            read_line(line, reading);
    }

    bool stale(Buffer&) override { return changed_; }

private:
    void discover_line(std::string_view line, sdk::SeriesList& list) {
        Scan scan(line);
        std::string_view name;
        if (!scan.until(':', name)) return;
        name = trimmed(name);
        std::vector<std::uint64_t> counts;
        std::uint64_t value = 0;
        while (counts.size() < cpus_.size() && scan.number(value))
            counts.push_back(value);
        const bool numbered = !name.empty() && is_digit(name[0]);
        const std::string_view device = device_of(scan.rest(), numbered);
        names_.add(name);
        tails_.emplace_back(scan.rest());
        const bool of_all = counts.size() < cpus_.size(); // "ERR: 0" has no CPU
        for (std::size_t i = 0; i < cpus_.size(); ++i) {
            full_ = full_ || list.size() == series_max;
            if (full_ || i >= counts.size() || counts[i] == 0) {
                cells_.push_back(not_listed);
                continue;
            }
            const std::string_view cpu = of_all ? std::string_view() : std::string_view(cpus_[i]);
            const char* which = list.keep(labels({{"cpu", cpu}, {"irq", name}, {"device", device}}));
            cells_.push_back(static_cast<std::uint32_t>(list.add(handled, 0, which)));
        }
    }

    void read_line(std::string_view line, const sdk::Reading& reading) {
        Scan scan(line);
        std::string_view name;
        if (!scan.until(':', name)) return;
        const std::size_t row = names_.find(trimmed(name));
        if (row == npos) {
            changed_ = changed_ || !full_;
            return;
        }
        const std::uint32_t* cells = cells_.data() + row * cpus_.size();
        std::uint64_t count = 0;
        for (std::size_t cpu = 0; cpu < cpus_.size() && scan.number(count); ++cpu) {
            if (cells[cpu] != not_listed)
                reading.set(cells[cpu], count);
            else
                changed_ = changed_ || (count != 0 && !full_);
        }
        if (scan.rest() == tails_[row]) return;
        changed_ = true; // the same number, another device: these counts are not its predecessor's
        for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu)
            if (cells[cpu] != not_listed) reading.clear(cells[cpu]);
    }

    KernelFile file_;
    std::string header_;
    std::vector<std::string> cpus_;
    NameOrder names_;                  // of each line
    std::vector<std::string> tails_;   // what follows the counts of each line
    std::vector<std::uint32_t> cells_; // line after line, the series of each CPU's count
    bool changed_ = false;
    bool full_ = false; // something was left out
};

} // namespace

SourcePointer make_interrupt_source(const Roots& roots) { return std::make_unique<InterruptSource>(roots); }

} // namespace assay::host
