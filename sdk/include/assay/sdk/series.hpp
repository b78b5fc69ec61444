// The list of what a sampler reads, and the place its values go: the two tables behind abi/sampler.h.
//
//   constexpr assay_series disk_read = sdk::counter("disk.read", "B", "Bytes read from the device.", 512);
//   ...
//   const std::uint32_t group = list.add_group();          // values read at one instant
//   list.add(disk_read, group, list.keep("device=vda"));   // value 0
//
// No thread of its own: used inside list() and read(), which the host calls one at a time.
#pragma once

#include "assay/abi/sampler.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::sdk::inline v0 {

// A series without its group and labels. A value times `scale` is in `unit`; values are unsigned 64-bit unless `value`
// is set to something else afterwards.
constexpr assay_series counter(const char* metric, const char* unit, const char* help, double scale = 1,
                               std::uint32_t width_bits = 64, assay_overflow overflow = ASSAY_OVERFLOW_WRAPS) {
    return {sizeof(assay_series),
            ASSAY_SERIES_COUNTER,
            ASSAY_VALUE_U64,
            overflow,
            width_bits,
            0,
            metric,
            unit,
            "",
            help,
            scale,
            0};
}
constexpr assay_series gauge(const char* metric, const char* unit, const char* help, double scale = 1,
                             assay_series_value value = ASSAY_VALUE_U64) {
    return {
        sizeof(assay_series), ASSAY_SERIES_GAUGE, value, ASSAY_OVERFLOW_WRAPS, 64, 0, metric, unit, "", help, scale, 0};
}
// The same counter, which may step back by so many raw units without having been reset.
constexpr assay_series stepping_back(assay_series series, std::uint64_t step_back_max) {
    series.step_back_max = step_back_max;
    return series;
}

class SeriesList {
public:
    // The index of a new timestamp.
    std::uint32_t add_group() { return groups_++; }
    // Adds a series and returns the index of its value. All texts must outlive the list: literals, or what keep() gave.
    std::size_t add(assay_series series, std::uint32_t group, const char* labels = "") {
        series.group = group;
        series.labels = labels;
        series_.push_back(series);
        return series_.size() - 1;
    }
    // Owns the text as long as the list lives. The same pointer may serve any number of series.
    const char* keep(std::string text) { return kept_.emplace_back(std::move(text)).c_str(); }

    [[nodiscard]] std::span<const assay_series> series() const { return series_; }
    [[nodiscard]] std::size_t size() const { return series_.size(); }
    [[nodiscard]] std::uint32_t groups() const { return groups_; }

private:
    std::vector<assay_series> series_;
    std::deque<std::string> kept_; // its elements never move
    std::uint32_t groups_ = 0;
};

// Where read() puts values and instants. What is not set counts as unreadable this time.
class Reading {
public:
    Reading(std::span<assay_sample_value> values, std::span<std::int64_t> group_ns)
        : values_(values), group_ns_(group_ns) {}

    void set(std::size_t series, std::uint64_t value) const { present(series).as.u64 = value; }
    void set_signed(std::size_t series, std::int64_t value) const { present(series).as.i64 = value; }
    void set_real(std::size_t series, double value) const { present(series).as.f64 = value; }
    void set_wide(std::size_t series, std::uint64_t high, std::uint64_t low) const {
        assay_sample_value& value = present(series);
        value.high = high;
        value.as.u64 = low;
    }
    void clear(std::size_t series) const { values_[series].present = 0; }
    // CLOCK_MONOTONIC. The instant the source was read, not that of the call: they differ for a source that is costly
    // to ask and therefore answers with what it said before.
    void stamp(std::uint32_t group, std::int64_t monotonic_ns) const { group_ns_[group] = monotonic_ns; }

    [[nodiscard]] std::span<assay_sample_value> values() const { return values_; }
    [[nodiscard]] std::span<std::int64_t> group_ns() const { return group_ns_; }
    // The part of it that belongs to one of several sources, with its indices from 0.
    [[nodiscard]] Reading slice(std::size_t series, std::size_t count, std::size_t group, std::size_t groups) const {
        return {values_.subspan(series, count), group_ns_.subspan(group, groups)};
    }

private:
    [[nodiscard]] assay_sample_value& present(std::size_t series) const {
        values_[series].present = 1;
        return values_[series];
    }
    std::span<assay_sample_value> values_;
    std::span<std::int64_t> group_ns_;
};

} // namespace assay::sdk::inline v0
