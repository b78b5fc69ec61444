// Lustre clients: the llite statistics of each mounted file system, in /proc/fs/lustre or, for newer versions and root
// only, in debugfs. Lines are "name N samples [unit] min max sum sumsq": N and sum only grow, and the rest is left out
// because minimum and maximum are of everything since somebody last reset it.
#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {
namespace {

using sdk::counter;

constexpr std::size_t systems_max = 64;
constexpr std::size_t lines_max = 256;
constexpr std::size_t unit_bytes_max = 16;

constexpr assay_series operations = counter("lustre.operations", "operations", "Operations of one kind.");
constexpr assay_series bytes = counter("lustre.bytes", "B", "Bytes of operations of one kind.");
constexpr assay_series time = counter("lustre.time", "s", "Time of operations of one kind, summed.", 1e-6);
constexpr assay_series sum = counter("lustre.sum", "", "Sum over operations of one kind, in Lustre's own unit.");

struct Line {
    std::string_view name;
    std::string_view unit;
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    bool has_sum = false;
};

bool parse(std::string_view text, Line& line) {
    Scan scan(text);
    line.name = scan.word();
    if (!scan.field(line.count) || scan.word() != "samples") return false;
    line.unit = scan.word();
    if (line.unit.size() < 3 || line.unit.size() > unit_bytes_max + 2) return false;
    line.unit = line.unit.substr(1, line.unit.size() - 2);
    scan.skip(2);
    line.has_sum = scan.field(line.sum);
    return true;
}

class LustreSource final : public Source {
public:
    explicit LustreSource(const Roots& roots)
        : directories_{roots.proc + "/fs/lustre/llite", roots.sys + "/kernel/debug/lustre/llite"} {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        systems_.clear();
        changed_ = false;
        found_ = find();
        for (const auto& [directory, name] : found_) {
            System& system = systems_.emplace_back(directory + "/" + name + "/stats");
            const auto text = system.file.read(buffer);
            const std::uint32_t group = list.add_group();
            Scan lines(text.value_or(std::string_view()));
            for (std::string_view each; lines.line(each) && system.lines.size() < lines_max;) {
                Line line;
                if (!parse(each, line)) continue;
                system.lines.add(line.name);
                const char* which = list.keep(labels({{"filesystem", name}, {"operation", line.name}}));
                system.count.push_back(list.add(operations, group, which));
                system.sum.push_back(line.has_sum ? list.add(sum_of(line, list), group, which) : npos);
            }
        }
    }

    void read(const sdk::Reading& reading, Buffer& buffer) override {
        std::uint32_t group = 0;
        for (System& system : systems_) {
            const auto text = system.file.read(buffer, reading, group++);
            system.lines.rewind();
            Scan lines(text.value_or(std::string_view()));
            for (std::string_view each; lines.line(each);) {
                Line line;
                if (!parse(each, line)) continue;
                const std::size_t at = system.lines.find(line.name);
                if (at == npos) { // an operation counts from its first use
                    changed_ = changed_ || system.lines.size() < lines_max;
                    continue;
                }
                reading.set(system.count[at], line.count);
                if (system.sum[at] != npos && line.has_sum) reading.set(system.sum[at], line.sum);
            }
        }
    }

    bool stale(Buffer&) override { return changed_ || found_ != find(); }

private:
    struct System {
        explicit System(std::string path) : file(std::move(path)) {}
        KernelFile file;
        NameOrder lines;
        std::vector<std::size_t> count; // series of line i
        std::vector<std::size_t> sum;   // or npos
    };

    static assay_series sum_of(const Line& line, sdk::SeriesList& list) {
        if (line.unit == "bytes") return bytes;
        if (line.unit == "usec" || line.unit == "usecs") return time;
        assay_series series = sum;
        series.unit = list.keep(escaped(line.unit));
        return series;
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> find() const {
        std::vector<std::pair<std::string, std::string>> found;
        for (const std::string& directory : directories_)
            for (const std::string& name : names_in(directory, systems_max))
                found.emplace_back(directory, name);
        return found;
    }

    std::string directories_[2];
    std::vector<std::pair<std::string, std::string>> found_;
    std::vector<System> systems_;
    bool changed_ = false;
};

} // namespace

SourcePointer make_lustre_source(const Roots& roots) { return std::make_unique<LustreSource>(roots); }

} // namespace assay::host
