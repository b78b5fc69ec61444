#include "plugins/host/tables.hpp"

#include <algorithm>

namespace assay::host {
namespace {

constexpr std::size_t keys_max = 4096;
constexpr std::size_t devices_max = 8192;

std::string_view key_of(Scan& scan) {
    std::string_view key = scan.word();
    if (key.ends_with(':')) key.remove_suffix(1);
    return key;
}

} // namespace

void KeyedTable::discover(std::string_view text, std::span<const KeyedSeries> wanted, sdk::SeriesList& list,
                          std::uint32_t group, const char* labels) {
    keys_.clear();
    series_.clear();
    count_ = 0;
    Scan lines(text);
    for (std::string_view line; lines.line(line) && keys_.size() < keys_max;) {
        Scan scan(line);
        const std::string_view key = key_of(scan);
        const auto found =
            std::find_if(wanted.begin(), wanted.end(), [&](const auto& each) { return each.key == key; });
        keys_.add(key);
        series_.push_back(found == wanted.end() ? npos : list.add(found->series, group, labels));
        count_ += found == wanted.end() ? 0 : 1;
    }
}

void KeyedTable::read(std::string_view text, const sdk::Reading& reading) {
    keys_.rewind();
    Scan lines(text);
    for (std::string_view line; lines.line(line);) {
        Scan scan(line);
        const std::size_t key = keys_.find(key_of(scan));
        std::uint64_t value = 0;
        if (key != npos && series_[key] != npos && scan.number(value)) reading.set(series_[key], value);
    }
}

void DeviceTable::clear() {
    names_.clear();
    first_.clear();
    count_.clear();
    listed_ = 0;
}

void DeviceTable::list_device(std::string_view name, std::size_t columns_present, sdk::SeriesList& list,
                              std::uint32_t group, const char* labels) {
    if (names_.size() == devices_max || list.size() + columns_.size() > series_max) return ignore_device(name);
    names_.add(name);
    first_.push_back(list.size());
    std::size_t count = 0;
    for (; count < columns_.size() && columns_[count].column < columns_present; ++count)
        list.add(columns_[count].series, group, labels);
    count_.push_back(count);
    ++listed_;
}

void DeviceTable::ignore_device(std::string_view name) {
    if (names_.size() == devices_max) return;
    names_.add(name);
    first_.push_back(npos);
    count_.push_back(0);
}

void DeviceTable::rewind() {
    names_.rewind();
    seen_ = 0;
}

DeviceTable::Seen DeviceTable::read_line(std::string_view name, Scan numbers, const sdk::Reading& reading) {
    const std::size_t device = names_.find(name);
    if (device == npos) return names_.size() == devices_max ? Seen::ignored : Seen::unknown;
    if (first_[device] == npos) return Seen::ignored;
    ++seen_;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count_[device]; ++i) {
        std::uint64_t value = 0;
        numbers.skip(columns_[i].column - at);
        if (numbers.field(value)) reading.set(first_[device] + i, value);
        at = columns_[i].column + 1;
    }
    return Seen::listed;
}

std::size_t columns_in(Scan scan) {
    std::size_t count = 0;
    while (!scan.word().empty())
        ++count;
    return count;
}

} // namespace assay::host
