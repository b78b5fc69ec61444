// The options of one job, its own over those it inherited, with their types.
//
// Reads on after an error, which does no harm, and keeps the first one. Control thread.
#pragma once

#include "core/base/status.hpp"
#include "tools/assay/dialects/fio/sections.hpp"
#include "tools/assay/dialects/fio/values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::fio {

inline constexpr std::uint64_t region_bytes_max = std::uint64_t{1} << 60; // 1 EiB, as block has it

class Settings {
public:
    // Refuses what is refused and notes what is ignored.
    Settings(const Section& section, std::vector<std::string>& notes);

    // As written; nothing where it is not given.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] bool given(std::string_view name) const { return text(name).has_value(); }

    bool on(std::string_view name, bool fallback = false);
    std::uint64_t count(std::string_view name, std::uint64_t fallback, std::uint64_t low, std::uint64_t high);
    std::optional<std::uint64_t> bytes(std::string_view name); // not of a percentage; at most region_bytes_max
    std::optional<unsigned> share(std::string_view name);      // nothing if it is no percentage
    std::int64_t time_us(std::string_view name, std::int64_t bare_us);
    [[nodiscard]] unsigned kb_base() const { return kb_base_; }

    // The value of a result that was made of option `name`; on failure the error is kept and `fallback` comes back.
    template <class T>
    T take(std::string_view name, Result<T> result, T fallback = {}) {
        if (result) return *std::move(result);
        fail(name, result.status().message());
        return fallback;
    }
    void fail(std::string_view name, const std::string& why);
    void note(const std::string& text);
    [[nodiscard]] const Status& status() const { return status_; }
    [[nodiscard]] const Section& section() const { return section_; }

private:
    void refuse_and_note();

    const Section& section_;
    std::vector<std::string>& notes_;
    Status status_;
    unsigned kb_base_ = 1024;
};

} // namespace assay::cli::fio
