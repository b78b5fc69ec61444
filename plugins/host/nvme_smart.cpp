#include "plugins/host/nvme_smart.hpp"

#include <iterator>

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

enum class Zero { counts, not_reported };

struct Field {
    std::size_t offset;
    std::size_t bytes;
    Zero zero;
    assay_series series;
};

constexpr assay_series wide(assay_series series) {
    series.value = ASSAY_VALUE_U128;
    series.width_bits = 128;
    return series;
}

constexpr double data_unit_bytes = 512'000; // a thousand units of 512 B, rounded up
constexpr double minute_s = 60;
constexpr double hour_s = 3600;
constexpr std::size_t temperature_offset = 1;
constexpr std::int64_t kelvin_offset = 273; // as nvme-cli and the kernel's hwmon driver take it

constexpr Field fields[] = {
    {0, 1, Zero::counts, gauge("nvme.critical_warning", "bits", "Critical warnings in force; 0 is none.")},
    {temperature_offset, 2, Zero::not_reported,
     gauge("nvme.temperature", "°C", "Composite temperature.", 1, ASSAY_VALUE_I64)},
    {3, 1, Zero::counts, gauge("nvme.spare", "%", "Spare capacity left.")},
    {4, 1, Zero::counts, gauge("nvme.spare_threshold", "%", "Spare capacity below which it warns.")},
    {5, 1, Zero::counts, gauge("nvme.used", "%", "Life used, by the vendor's estimate; may pass 100.")},
    {32, 16, Zero::not_reported,
     wide(counter("nvme.read", "B", "Bytes read by the host, in steps of 512,000.", data_unit_bytes))},
    {48, 16, Zero::not_reported,
     wide(counter("nvme.written", "B", "Bytes written by the host, in steps of 512,000.", data_unit_bytes))},
    {64, 16, Zero::counts, wide(counter("nvme.reads", "commands", "Read commands completed."))},
    {80, 16, Zero::counts, wide(counter("nvme.writes", "commands", "Write commands completed."))},
    {96, 16, Zero::counts, wide(counter("nvme.busy", "s", "Time busy with I/O, in minutes.", minute_s))},
    {112, 16, Zero::counts, wide(counter("nvme.power_cycles", "times", "Power cycles."))},
    {128, 16, Zero::counts, wide(counter("nvme.power_on", "s", "Time powered on, in hours.", hour_s))},
    {144, 16, Zero::counts, wide(counter("nvme.unsafe_shutdowns", "times", "Power lost without notice."))},
    {160, 16, Zero::counts, wide(counter("nvme.media_errors", "errors", "Unrecovered data integrity errors."))},
    {176, 16, Zero::counts, wide(counter("nvme.error_log_entries", "entries", "Entries ever made in the error log."))},
    {192, 4, Zero::counts,
     counter("nvme.warning_temperature_time", "s", "Time above the warning temperature.", minute_s, 32)},
    {196, 4, Zero::counts,
     counter("nvme.critical_temperature_time", "s", "Time above the critical temperature.", minute_s, 32)},
    {216, 4, Zero::counts, counter("nvme.throttle_light", "times", "Times it slowed down a little to cool.", 1, 32)},
    {220, 4, Zero::counts, counter("nvme.throttle_heavy", "times", "Times it slowed down heavily to cool.", 1, 32)},
    {224, 4, Zero::counts, counter("nvme.throttle_light_time", "s", "Time slowed down a little to cool.", 1, 32)},
    {228, 4, Zero::counts, counter("nvme.throttle_heavy_time", "s", "Time slowed down heavily to cool.", 1, 32)},
};
static_assert(std::size(fields) == smart_series);

std::uint64_t little_endian(const SmartPage& page, std::size_t offset, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;)
        value = value << 8 | page[offset + i];
    return value;
}

} // namespace

void list_smart(sdk::SeriesList& list, std::uint32_t group, const char* labels) {
    for (const Field& field : fields)
        list.add(field.series, group, labels);
}

void set_smart(const SmartPage& page, std::size_t first, const sdk::Reading& reading) {
    for (std::size_t i = 0; i < std::size(fields); ++i) {
        const Field& field = fields[i];
        const std::uint64_t low = little_endian(page, field.offset, field.bytes < 8 ? field.bytes : 8);
        const std::uint64_t high = field.bytes == 16 ? little_endian(page, field.offset + 8, 8) : 0;
        if (field.zero == Zero::not_reported && low == 0 && high == 0) continue;
        if (field.offset == temperature_offset) {
            reading.set_signed(first + i, static_cast<std::int64_t>(low) - kelvin_offset);
        } else {
            reading.set_wide(first + i, high, low);
        }
    }
}

} // namespace assay::host
