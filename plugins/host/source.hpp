// One group of counters: what every source of this sampler can do.
//
// Life: discover(), then read() any number of times, stale() now and then; discover() again when stale() said so. All
// on the host's one sampling thread. read() is the part that runs every 100 ms: it does not look for new things, it
// only remembers having seen them, and where it is not slowed down by period_min_ns() it allocates nothing.
#pragma once

#include "assay/sdk/series.hpp"
#include "plugins/host/kernel_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::host {

// More series than this are left out of a source: nobody reads them, and a hostile file must not fill the memory.
inline constexpr std::size_t series_max = 32768;
inline constexpr std::size_t npos = static_cast<std::size_t>(-1);

class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    // Adds to an empty list what there is now; nothing where the machine has no such thing. A source that adds no
    // timestamp group is not read.
    virtual void discover(sdk::SeriesList& list, Buffer& buffer) = 0;
    // Fills values in the order of the last discover().
    virtual void read(const sdk::Reading& reading, Buffer& buffer) = 0;
    // Whether discover() would now list something else.
    virtual bool stale(Buffer& buffer) = 0;
    // A source that disturbs what it asks is asked no more often than this, and its values keep their old instant.
    [[nodiscard]] virtual std::int64_t period_min_ns() const { return 0; }
};

// Names in the order they were listed in, which is nearly always the order they come in again: a look-up is one
// comparison then.
class NameOrder {
public:
    void clear() {
        names_.clear();
        taken_.clear();
        next_ = 0;
    }
    std::size_t add(std::string_view name) {
        names_.emplace_back(name);
        taken_.push_back(0);
        return names_.size() - 1;
    }
    // Before each pass over the file.
    void rewind() {
        next_ = 0;
        ++pass_;
    }
    // The index of `name`, or npos.
    std::size_t find(std::string_view name) {
        for (std::size_t tried = 0; tried < names_.size(); ++tried) {
            const std::size_t index = next_ < names_.size() ? next_ : 0;
            next_ = index + 1;
            if (names_[index] == name) return index;
        }
        return npos;
    }
    // The same, for names that may occur several times: each index is given once a pass, so that the second of a name
    // in the file is the second of that name here, and one too many is npos.
    std::size_t take(std::string_view name) {
        for (std::size_t tried = 0; tried < names_.size(); ++tried) {
            const std::size_t index = find(name);
            if (index == npos) return npos;
            if (std::exchange(taken_[index], pass_) != pass_) return index;
        }
        return npos;
    }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& operator[](std::size_t index) const { return names_[index]; }

private:
    std::vector<std::string> names_;
    std::vector<std::uint64_t> taken_; // the pass in which it was
    std::uint64_t pass_ = 1;
    std::size_t next_ = 0;
};

// Patterns that a device's name must match one of (shell globs).
class DeviceFilter {
public:
    DeviceFilter() = default; // everything
    explicit DeviceFilter(std::vector<std::string> globs) : globs_(std::move(globs)) {}
    [[nodiscard]] bool admits(const std::string& name) const;

private:
    std::vector<std::string> globs_;
};

} // namespace assay::host
