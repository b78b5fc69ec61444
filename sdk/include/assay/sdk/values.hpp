// Typed option values by index in the plugin's own option table, as configure() of any kind of plugin gets them.
//
// A view; the texts and items behind it live until destroy(). Any thread.
#pragma once

#include "assay/abi/option.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::sdk::inline v0 {

class Values {
public:
    Values() = default; // all absent
    Values(const assay_option_value* values, std::uint32_t count, std::uint32_t stride)
        : values_(reinterpret_cast<const char*>(values)), count_(values != nullptr ? count : 0), stride_(stride) {}

    // An absent option reads as zero / "" (ask present()).
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

private:
    [[nodiscard]] const assay_option_value& value(std::size_t option) const {
        static constexpr assay_option_value absent{sizeof(assay_option_value), 0, 0, 0, nullptr};
        if (option >= count_) return absent;
        const auto& value = *reinterpret_cast<const assay_option_value*>(values_ + option * stride_);
        return ASSAY_HAS(&value, assay_option_value, items) ? value : absent;
    }
    const char* values_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t stride_ = 0;
};

} // namespace assay::sdk::inline v0
