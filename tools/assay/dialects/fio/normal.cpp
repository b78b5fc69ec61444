// What fio prints when its jobs are done, with the lines that people grep for.
#include "tools/assay/dialects/fio/entries.hpp"
#include "tools/assay/dialects/fio/numbers.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <iterator>

#include <unistd.h>

namespace assay::cli::fio {
namespace {

constexpr int rate_characters = 4;
constexpr int latency_characters = 6;
constexpr double mebi_in_kibi_per_s = 1024.0 * 1024.0; // above it, bandwidths are in MiB/s

std::uint64_t down(double value) { return static_cast<std::uint64_t>(value + 1e-3); }
std::int64_t milliseconds(std::int64_t ns) { return (ns + 500'000) / 1'000'000; }

std::string both_rates(double bytes_per_s) {
    const std::uint64_t whole = down(bytes_per_s);
    return fmt::format("{}/s ({}/s)", binary_size(whole), decimal_size(whole));
}

std::string local_time(std::int64_t since_1970_ms) {
    const auto seconds = static_cast<std::time_t>(since_1970_ms / 1000);
    std::tm parts{};
    std::array<char, 64> text{};
    if (localtime_r(&seconds, &parts) == nullptr) return {};
    return {text.data(), std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts)};
}

class NormalReport {
public:
    NormalReport(const Invocation& invocation, const result::Run& run) : report_(report_of(invocation, run)) {}

    std::string text() {
        print("\n");
        for (const Entry& one : report_.entries)
            if (!one.idle()) entry(one);
        for (const auto& [id, one] : report_.groups)
            group(id, one);
        disks();
        return std::move(out_);
    }

private:
    template <class... Values>
    void print(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    }

    void entry(const Entry& entry) {
        const Job& job = *entry.job;
        print("{}: (groupid={}, jobs={}): err={:2}", job.name, job.group, entry.clones, entry.error);
        if (entry.error != 0) print(" ({})", std::strerror(entry.error));
        print(": pid={}: {}\n", getpid(), local_time(report_.finished_ms));
        if (!job.description.empty()) print("  Description  : [{}]\n", job.description);
        for (std::size_t at = 0; at < entry.directions.size(); ++at)
            if (entry.directions[at].issued() > 0) direction(entry, at);
        const Reporting& reporting = job.reporting;
        if (entry.syncs > 0 && reporting.latency) {
            print("  fsync/fdatasync/sync_file_range:\n");
            latency("sync", entry.sync_latency);
            if (reporting.clat_percentiles) percentiles("sync", entry.sync_latency, reporting);
        }
        const LatencyTable table = latency_table(entry);
        latency_shares("nsec", table.ns);
        latency_shares("usec", table.us);
        latency_shares("msec", table.ms);
        print("  cpu          : usr={:.2f}%, sys={:.2f}%, ctx=0, majf=0, minf=0\n",
              entry.cpu_percent(entry.cpu_user_ns), entry.cpu_percent(entry.cpu_system_ns));
        depths("  IO depths    ", depth_levels(entry));
        depths("     submit    ", submit_batches(entry));
        depths("     complete  ", complete_batches(entry));
        const auto& [read, write, trim] = entry.directions;
        print("     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0\n", read.issued(), write.issued(),
              trim.issued(), entry.syncs, read.short_transfers, write.short_transfers, trim.short_transfers);
        if (entry.continues)
            print("     errors    : total={}, first_error={}/<{}>\n", entry.failed(), entry.first_error,
                  std::strerror(entry.first_error));
        print("     latency   : target={}, window={}, percentile={:.2f}%, depth={}\n", entry.goal.target_ns,
              entry.goal.window_us, entry.goal.percentile, entry.depth);
    }

    void direction(const Entry& entry, std::size_t at) {
        const Direction& direction = entry.directions[at];
        const Reporting& reporting = entry.job->reporting;
        print("  {}: IOPS={}, BW={}({}/{}msec){}\n", direction_names[at],
              short_number(down(direction.operations_per_s()), rate_characters), both_rates(direction.bytes_per_s()),
              binary_size(direction.bytes), milliseconds(direction.runtime_ns), at == 1 ? "; 0 zone resets" : "");
        const Histogram& histogram = direction.latency;
        if (reporting.latency && histogram.count() > 0) {
            if (reporting.completion) latency("clat", histogram);
            if (reporting.total) latency("lat", histogram);
            if (reporting.completion && reporting.clat_percentiles) percentiles("clat", histogram, reporting);
            if (reporting.total && reporting.lat_percentiles) percentiles("lat", histogram, reporting);
        }
        samples(entry, at);
    }

    void samples(const Entry& entry, std::size_t at) {
        const Samples& bandwidth = entry.directions[at].bandwidth;
        const Samples& iops = entry.directions[at].iops;
        if (bandwidth.count == 0) return;
        const bool mebi = bandwidth.mean > mebi_in_kibi_per_s;
        const double unit = mebi ? 1024 : 1;
        print("   bw (  {}/s): min={:5}, max={:5}, per={:.2f}%, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
              mebi ? "MiB" : "KiB", down(bandwidth.min / unit), down(bandwidth.max / unit),
              report_.percent_of_group(entry, at), bandwidth.mean / unit, bandwidth.deviation / unit, bandwidth.count);
        print("   iops        : min={:5}, max={:5}, avg={:5.2f}, stdev={:5.2f}, samples={}\n", down(iops.min),
              down(iops.max), iops.mean, iops.deviation, iops.count);
    }

    void latency(const char* name, const Histogram& histogram) {
        double deviation = histogram.stddev_ns();
        double mean = histogram.mean_ns();
        std::uint64_t least = histogram.min_ns();
        std::uint64_t most = histogram.max_ns();
        std::size_t unit = 0;
        while (unit < 2 && least > 2000 && most > 99'999 && deviation > 1000) {
            least /= 1000;
            most /= 1000;
            mean /= 1000;
            deviation /= 1000;
            ++unit;
        }
        print("    {:>4} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name, units[unit],
              short_number(least, latency_characters), short_number(most, latency_characters), mean, deviation);
    }

    void percentiles(const char* name, const Histogram& histogram, const Reporting& reporting) {
        const std::vector<double>& list = percentiles_of(reporting);
        std::vector<std::uint64_t> values;
        for (const double percent : list)
            values.push_back(histogram.percentile_ns(percent));
        const std::uint64_t least = *std::min_element(values.begin(), values.end());
        std::uint64_t most = *std::max_element(values.begin(), values.end());
        std::size_t unit = 0;
        if (least > 2000 && most > 99'999) unit = 1;
        if (least > 2'000'000 && most > 99'999'999) unit = 2;
        const std::uint64_t divisor = unit == 0 ? 1 : unit == 1 ? 1000 : 1'000'000;
        for (std::uint64_t& value : values)
            value = (value + divisor - 1) / divisor;
        most = *std::max_element(values.begin(), values.end());
        const int width = std::max(5, static_cast<int>(std::to_string(most).size()));
        const int decimals = decimals_of(list);
        const auto a_line = static_cast<std::size_t>(std::max(1, (80 - 7) / (decimals + 10 + width)));
        print("    {} percentiles ({}):", name, units[unit]);
        for (std::size_t at = 0; at < list.size(); ++at) {
            print("{}{:{}.{}f}th=[{:{}}]", at % a_line == 0 ? "\n     | " : " ", list[at],
                  decimals == 0 ? 3 : decimals + 3, decimals, values[at], width);
            print("{}", at + 1 < list.size() ? "," : "\n");
        }
    }

    // The most decimals that any of them needs.
    static int decimals_of(const std::vector<double>& list) {
        int most = 0;
        for (const double percent : list) {
            std::string text = fmt::format("{:.6f}", percent);
            text.erase(text.find_last_not_of('0') + 1);
            most = std::max(most, static_cast<int>(text.size() - text.find('.') - 1));
        }
        return most;
    }

    void latency_shares(const char* unit, const std::vector<Bucket>& table) {
        int on_line = 0;
        for (const Bucket& bucket : table) {
            if (bucket.percent <= 0) continue;
            if (on_line == 5) {
                print("\n");
                on_line = 0;
            }
            if (on_line == 0) print("  lat ({})   : ", unit);
            print("{}{}={:.2f}%", on_line++ > 0 ? ", " : "", bucket.key, bucket.percent);
        }
        if (on_line > 0) print("\n");
    }

    void depths(const char* title, const std::vector<Bucket>& table) {
        print("{}:", title);
        for (const Bucket& bucket : table)
            print("{} {}={:.1f}%", &bucket == &table.front() ? "" : ",", bucket.key, bucket.percent);
        print("\n");
    }

    void group(unsigned id, const Group& group) {
        static constexpr std::array<const char*, 3> titles = {"   READ", "  WRITE", "   TRIM"};
        print("\nRun status group {} (all jobs):\n", id);
        for (std::size_t at = 0; at < group.size(); ++at) {
            const GroupTotal& total = group[at];
            if (total.longest_ns == 0) continue;
            const std::uint64_t slow = down(total.slowest_bytes_per_s);
            const std::uint64_t fast = down(total.fastest_bytes_per_s);
            print("{}: bw={}, {}/s-{}/s ({}/s-{}/s), io={} ({}), run={}-{}msec\n", titles[at],
                  both_rates(total.bytes_per_s), binary_size(slow), binary_size(fast), decimal_size(slow),
                  decimal_size(fast), binary_size(total.bytes), decimal_size(total.bytes),
                  milliseconds(total.shortest_ns), milliseconds(total.longest_ns));
        }
    }

    void disks() {
        if (report_.disks.empty()) return;
        print("\nDisk stats (read/write):\n");
        for (const Disk& disk : report_.disks)
            print("  {}: ios={}/{}, merge={}/{}, ticks={}/{}, in_queue={}, util={:.2f}%\n", disk.name, disk.reads,
                  disk.writes, disk.reads_merged, disk.writes_merged, disk.read_ms, disk.write_ms, disk.queue_ms,
                  disk.busy_percent);
    }

    static constexpr std::array<const char*, 3> units = {"nsec", "usec", "msec"};
    const Report report_;
    std::string out_;
};

} // namespace

std::string to_normal(const Invocation& invocation, const result::Run& run) {
    return NormalReport(invocation, run).text();
}

} // namespace assay::cli::fio
