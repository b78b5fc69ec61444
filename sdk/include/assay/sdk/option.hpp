// Writes an option table as constant data:
//
//   constexpr assay_option options[] = {
//       sdk::size_option("block_size", "Bytes a request moves.").defaults("4KiB").range("512B", "64MiB"),
//       sdk::enum_option("engine", "How requests are issued.", engine_names).defaults("io_uring"),
//   };
#pragma once

#include "assay/abi/option.h"

#include <cstddef>

namespace assay::sdk::inline v0 {

class OptionBuilder {
public:
    constexpr OptionBuilder(assay_option_type type, const char* key, const char* help) {
        option_.struct_size = sizeof(assay_option);
        option_.type = type;
        option_.key = key;
        option_.help = help;
        option_.unit = "";
        option_.group = "General";
        option_.example = "";
    }
    constexpr OptionBuilder& defaults(const char* text) { return option_.default_text = text, *this; }
    constexpr OptionBuilder& range(const char* min, const char* max) {
        option_.min_text = min;
        option_.max_text = max;
        return *this;
    }
    constexpr OptionBuilder& unit(const char* unit) { return option_.unit = unit, *this; }
    constexpr OptionBuilder& group(const char* group) { return option_.group = group, *this; }
    constexpr OptionBuilder& example(const char* text) { return option_.example = text, *this; }
    constexpr OptionBuilder& flag(unsigned flag) { return option_.flags |= flag, *this; }
    constexpr OptionBuilder& names(const char* const* names, std::size_t count) {
        option_.enum_names = names;
        option_.enum_count = static_cast<uint32_t>(count);
        return *this;
    }
    // One line for each name, in the same order.
    template <std::size_t N>
    constexpr OptionBuilder& explain(const char* const (&help)[N]) {
        option_.enum_help = help;
        return *this;
    }
    constexpr operator assay_option() const { return option_; } // NOLINT(google-explicit-constructor)

private:
    assay_option option_{};
};

constexpr OptionBuilder bool_option(const char* key, const char* help) { return {ASSAY_TYPE_BOOL, key, help}; }
constexpr OptionBuilder int_option(const char* key, const char* help) { return {ASSAY_TYPE_INT, key, help}; }
constexpr OptionBuilder float_option(const char* key, const char* help) { return {ASSAY_TYPE_FLOAT, key, help}; }
constexpr OptionBuilder string_option(const char* key, const char* help) { return {ASSAY_TYPE_STRING, key, help}; }
constexpr OptionBuilder size_option(const char* key, const char* help) {
    return OptionBuilder(ASSAY_TYPE_SIZE, key, help).unit("B");
}
constexpr OptionBuilder duration_option(const char* key, const char* help) {
    return OptionBuilder(ASSAY_TYPE_DURATION, key, help).unit("ns");
}
constexpr OptionBuilder percentage_option(const char* key, const char* help) {
    return OptionBuilder(ASSAY_TYPE_PERCENTAGE, key, help).unit("%");
}
template <std::size_t N>
constexpr OptionBuilder enum_option(const char* key, const char* help, const char* const (&names)[N]) {
    return OptionBuilder(ASSAY_TYPE_ENUM, key, help).names(names, N);
}

template <std::size_t N>
constexpr assay_option_table option_table(const assay_option (&options)[N]) {
    return {sizeof(assay_option_table), N, sizeof(assay_option), 0, options};
}

} // namespace assay::sdk::inline v0
