// One instance of a sampler plugin: every call across the ABI is made here, with its errors turned into values.
//
// The plugin's table of functions is read only as far as its struct_size reaches, its series list is checked and copied
// (series.hpp), and it writes into arrays of ours. One thread at a time.
#pragma once

#include "assay/abi/descriptor.h"
#include "assay/abi/sampler.h"
#include "core/base/status.hpp"
#include "core/sample/sampler_host.hpp"
#include "core/sample/series.hpp"
#include "core/schema/schema.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::sample {

class Sampler {
public:
    // Creates, configures and lists. `descriptor` is of a loaded plugin, `options` of its table.
    static Result<std::unique_ptr<Sampler>> create(const assay_descriptor& descriptor, const OptionSet& options,
                                                   Log log);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    ~Sampler();

    // One reading of everything. Lists again where the plugin says that what is there changed, at most a few times.
    Status read();

    [[nodiscard]] const std::string& name() const { return name_; }
    // Of the last reading; value i belongs to series i, group_ns to its group.
    [[nodiscard]] const SeriesTable& table() const { return table_; }
    // Grows when table() was replaced.
    [[nodiscard]] std::uint64_t lists() const { return lists_; }
    [[nodiscard]] const std::vector<assay_sample_value>& values() const { return values_; }
    // CLOCK_MONOTONIC; 0 where the plugin gave no instant, or one that cannot be.
    [[nodiscard]] const std::vector<std::int64_t>& group_ns() const { return group_ns_; }

private:
    Sampler(std::string name, const assay_sampler& functions, const OptionSet& options, Log log);
    Status list();
    [[nodiscard]] Status failed(const char* call, assay_status status);

    const std::string name_;
    const assay_sampler& functions_;
    AbiValues options_;
    SamplerHost host_;
    void* instance_ = nullptr;
    bool created_ = false;
    SeriesTable table_;
    std::uint64_t lists_ = 0;
    std::vector<assay_sample_value> values_;
    std::vector<std::int64_t> group_ns_;
};

} // namespace assay::sample
