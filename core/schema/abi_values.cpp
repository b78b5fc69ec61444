#include "core/schema/schema.hpp"

namespace assay {
namespace {

assay_scalar abi_scalar(const OptionSpec& option, const Scalar& value) {
    assay_scalar scalar{};
    scalar.weight = value.weight;
    switch (option.type) {
        case ASSAY_TYPE_FLOAT:
        case ASSAY_TYPE_PERCENTAGE:
            scalar.as.real = value.real;
            break;
        case ASSAY_TYPE_STRING:
        case ASSAY_TYPE_PATH:
        case ASSAY_TYPE_ENDPOINT:
            scalar.as.text = value.text.c_str();
            break;
        default:
            scalar.as.integer = value.integer;
    }
    return scalar;
}

} // namespace

AbiValues::AbiValues(const OptionSet& set) : set_(set) {
    const std::vector<OptionSpec>& options = set_.schema().options();
    for (std::size_t i = 0; i < options.size(); ++i) {
        const OptionValue& value = set_.at(i);
        std::vector<assay_scalar>& items = items_.emplace_back();
        for (const Scalar& item : value.items)
            items.push_back(abi_scalar(options[i], item));
        values_.push_back({sizeof(assay_option_value), value.given ? static_cast<std::uint32_t>(ASSAY_VALUE_GIVEN) : 0u,
                           static_cast<std::uint32_t>(items.size()), 0, items.data()});
    }
}

} // namespace assay
