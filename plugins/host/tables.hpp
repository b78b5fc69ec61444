// The two shapes that most of the kernel's text has: "key value" lines, and one line of numbers a device.
//
// Each belongs to one source and is used as sources are (source.hpp).
#pragma once

#include "plugins/host/scan.hpp"
#include "plugins/host/source.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace assay::host {

struct KeyedSeries {
    std::string_view key;
    assay_series series;
};

// A file of lines "key value ..." or "key: value ...".
class KeyedTable {
public:
    // Lists those of `wanted` that the text has.
    void discover(std::string_view text, std::span<const KeyedSeries> wanted, sdk::SeriesList& list,
                  std::uint32_t group, const char* labels);
    void read(std::string_view text, const sdk::Reading& reading);
    [[nodiscard]] std::size_t size() const { return count_; }

private:
    NameOrder keys_;                  // every key of the file, wanted or not: the next line is then the next key
    std::vector<std::size_t> series_; // of key i, or npos
    std::size_t count_ = 0;
};

struct ColumnSeries {
    std::size_t column; // counted from the first number after the name
    assay_series series;
};

// Lines of numbers, one a device.
class DeviceTable {
public:
    // `columns` must be in ascending order and outlive the table.
    explicit DeviceTable(std::span<const ColumnSeries> columns) : columns_(columns) {}

    void clear();
    // A device with its series, as many as `columns_present` gives.
    void list_device(std::string_view name, std::size_t columns_present, sdk::SeriesList& list, std::uint32_t group,
                     const char* labels);
    // A device that is known and not listed.
    void ignore_device(std::string_view name);

    void rewind();
    enum class Seen { listed, ignored, unknown };
    // Sets the values of the device on this line; `numbers` stands before the first number.
    Seen read_line(std::string_view name, Scan numbers, const sdk::Reading& reading);
    // Whether every listed device was on a line since rewind().
    [[nodiscard]] bool complete() const { return seen_ == listed_; }

private:
    std::span<const ColumnSeries> columns_;
    NameOrder names_;
    std::vector<std::size_t> first_; // series of device i, or npos
    std::vector<std::size_t> count_; // how many it has
    std::size_t listed_ = 0;
    std::size_t seen_ = 0;
};

// How many columns are left.
std::size_t columns_in(Scan scan);

} // namespace assay::host
