#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/schema/value.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace assay {

Result<std::string> resolve_secret(std::string_view reference) {
    const std::string_view text = trim(reference);
    if (text.starts_with("env:") && text.size() > 4) {
        const std::string name(text.substr(4));
        const char* value = std::getenv(name.c_str());
        if (value == nullptr) {
            return usage_error(fmt::format("the environment variable {} is not set", in_quotes(name)));
        }
        return std::string(value);
    }
    if (text.starts_with("file:") && text.size() > 5) {
        Result<std::string> content = read_text_file(std::string(text.substr(5)), kOptionTextBytesMax);
        if (content && content->ends_with('\n')) content->pop_back();
        return content;
    }
    return usage_error("a secret is not given by value: write env:NAME or file:PATH, which says where it is");
}

} // namespace assay
