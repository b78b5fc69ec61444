// Runs one source the way the sampler does, and answers by series name: "disk.read{device=vda}".
#pragma once

#include "plugins/host/sources.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::host {

class Probe {
public:
    explicit Probe(SourcePointer source) : source_(std::move(source)) { discover(); }

    void discover() {
        list_ = {};
        source_->discover(list_, buffer_);
        values_.assign(list_.size(), {});
        group_ns_.assign(list_.groups(), 0);
    }
    void read() {
        values_.assign(list_.size(), {});
        if (list_.groups() > 0) source_->read(sdk::Reading(values_, group_ns_), buffer_);
    }
    bool stale() { return source_->stale(buffer_); }

    [[nodiscard]] std::size_t size() const { return list_.size(); }
    [[nodiscard]] const std::vector<std::int64_t>& group_ns() const { return group_ns_; }
    [[nodiscard]] const assay_series* find(const std::string& name) const {
        for (const assay_series& series : list_.series())
            if (name_of(series) == name) return &series;
        return nullptr;
    }
    [[nodiscard]] bool lists(const std::string& name) const { return find(name) != nullptr; }
    // Nothing if it is not listed or was not set.
    [[nodiscard]] std::optional<std::uint64_t> raw(const std::string& name) const {
        const assay_sample_value* value = present(name);
        return value == nullptr ? std::nullopt : std::optional(value->as.u64);
    }
    [[nodiscard]] std::optional<double> scaled(const std::string& name) const {
        const assay_sample_value* value = present(name);
        if (value == nullptr) return std::nullopt;
        const assay_series& series = *find(name);
        switch (series.value) {
            case ASSAY_VALUE_F64:
                return value->as.f64 * series.scale;
            case ASSAY_VALUE_I64:
                return static_cast<double>(value->as.i64) * series.scale;
            default:
                return static_cast<double>(value->as.u64) * series.scale;
        }
    }
    [[nodiscard]] std::uint64_t high(const std::string& name) const { return present(name)->high; }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const assay_series& series : list_.series())
            names.push_back(name_of(series));
        return names;
    }

private:
    static std::string name_of(const assay_series& series) {
        const std::string labels = series.labels;
        return labels.empty() ? series.metric : std::string(series.metric) + "{" + labels + "}";
    }
    [[nodiscard]] const assay_sample_value* present(const std::string& name) const {
        const assay_series* series = find(name);
        if (series == nullptr) return nullptr;
        const assay_sample_value& value = values_[static_cast<std::size_t>(series - list_.series().data())];
        return value.present != 0 ? &value : nullptr;
    }
    SourcePointer source_;
    Buffer buffer_;
    sdk::SeriesList list_;
    std::vector<assay_sample_value> values_;
    std::vector<std::int64_t> group_ns_;
};

// Kernel views in files: those of tests/unit/host/samples/NAME as they are.
inline Roots sample(const std::string& name) {
    const std::string at = ASSAY_HOST_SAMPLES "/" + name;
    return {at + "/proc", at + "/sys", at + "/dev"};
}

// The same in a directory of its own, to be changed. Files are rewritten in place, as the kernel's change in place.
class OwnRoots {
public:
    OwnRoots() {
        std::string pattern = (std::filesystem::temp_directory_path() / "assay-host-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) std::abort();
        at_ = pattern;
        for (const char* root : {"proc", "sys", "dev"})
            std::filesystem::create_directories(at_ / root);
    }
    explicit OwnRoots(const std::string& name) : OwnRoots() {
        std::filesystem::copy(ASSAY_HOST_SAMPLES "/" + name, at_,
                              std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks |
                                  std::filesystem::copy_options::overwrite_existing);
    }
    OwnRoots(const OwnRoots&) = delete;
    OwnRoots& operator=(const OwnRoots&) = delete;
    ~OwnRoots() { std::filesystem::remove_all(at_); }

    [[nodiscard]] Roots roots() const { return {path("proc"), path("sys"), path("dev")}; }
    [[nodiscard]] std::string path(const std::string& name) const { return (at_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((at_ / name).parent_path());
        std::ofstream(at_ / name, std::ios::binary | std::ios::trunc) << text;
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream file(at_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // Replaces every `from`; fails the test if there is none.
    void edit(const std::string& name, const std::string& from, const std::string& to) const {
        std::string whole = text(name);
        std::size_t count = 0;
        for (std::size_t at = whole.find(from); at != std::string::npos; at = whole.find(from, at + to.size()), ++count)
            whole.replace(at, from.size(), to);
        EXPECT_GT(count, 0u) << "no '" << from << "' in " << name;
        write(name, whole);
    }

private:
    std::filesystem::path at_;
};

} // namespace assay::host
