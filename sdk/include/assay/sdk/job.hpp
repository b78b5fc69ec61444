// What configure() gets: typed option values by index, targets, and how many workers there will be.
//
// A view; valid during configure() (texts and targets until destroy()).
#pragma once

#include "assay/abi/workload.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::sdk::inline v0 {

class Job {
public:
    explicit Job(const assay_job& job) : job_(&job) {}

    // `option` is the index in the plugin's own table. An absent option reads as zero / "" (ask present()).
    [[nodiscard]] bool present(std::size_t option) const { return value(option).count > 0; }
    [[nodiscard]] bool given(std::size_t option) const { return (value(option).flags & ASSAY_VALUE_GIVEN) != 0; }
    [[nodiscard]] std::int64_t integer(std::size_t option) const {
        return present(option) ? value(option).items[0].as.integer : 0;
    }
    [[nodiscard]] bool flag(std::size_t option) const { return integer(option) != 0; }
    [[nodiscard]] double real(std::size_t option) const {
        return present(option) ? value(option).items[0].as.real : 0.0;
    }
    [[nodiscard]] std::string_view text(std::size_t option) const {
        return present(option) ? value(option).items[0].as.text : "";
    }
    [[nodiscard]] std::span<const assay_scalar> items(std::size_t option) const {
        return {value(option).items, value(option).count};
    }
    // An enum option as the plugin's own enum class, whose values are the indices of the names.
    template <class Enum>
    [[nodiscard]] Enum choice(std::size_t option) const {
        return static_cast<Enum>(integer(option));
    }

    [[nodiscard]] std::vector<std::string> targets() const {
        return {job_->targets, job_->targets + job_->target_count};
    }
    [[nodiscard]] std::uint32_t local_workers() const { return job_->local_workers; }
    [[nodiscard]] std::uint32_t global_workers() const { return job_->global_workers; }
    [[nodiscard]] bool bounded_by_time() const { return job_->bounded_by_time != 0; }
    [[nodiscard]] std::uint64_t seed() const { return job_->seed; }

private:
    [[nodiscard]] const assay_option_value& value(std::size_t option) const {
        static constexpr assay_option_value absent{sizeof(assay_option_value), 0, 0, 0, nullptr};
        if (option >= job_->value_count) return absent; // an older host knows fewer options
        const char* base = reinterpret_cast<const char*>(job_->values);
        return *reinterpret_cast<const assay_option_value*>(base + option * job_->value_stride);
    }
    const assay_job* job_;
};

} // namespace assay::sdk::inline v0
