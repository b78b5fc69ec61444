// How plugin code reports failure inside the comfort layer: a value with the option at fault and a finished sentence.
#pragma once

#include "assay/abi/base.h"

#include <string>
#include <utility>

namespace assay::sdk::inline v0 {

class [[nodiscard]] Status {
public:
    Status() = default; // fine
    // `text` names the thing, the value, the rule and what to do; `option` is the key at fault, or empty.
    Status(assay_status code, std::string text, std::string option = {})
        : code_(code), text_(std::move(text)), option_(std::move(option)) {}

    [[nodiscard]] bool ok() const { return code_ == ASSAY_OK; }
    [[nodiscard]] assay_status code() const { return code_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::string& option() const { return option_; }

private:
    assay_status code_ = ASSAY_OK;
    std::string text_;
    std::string option_;
};

} // namespace assay::sdk::inline v0
