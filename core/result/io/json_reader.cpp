#include "core/result/io/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace assay::result {
namespace {

// A result of 500 points with five repeats, full histograms and a 100 ms series is about 0.3 GiB.
constexpr std::size_t max_document_bytes = std::size_t{1} << 30U;
// The format nests 19 deep.
constexpr std::size_t max_nesting = 32;
// A parsed value takes 16 bytes and more: this bounds what parsing may allocate to a few GiB.
constexpr std::size_t max_values = 60'000'000;
constexpr std::size_t max_text_bytes = std::size_t{16} << 20U;

std::string excerpt(const nlohmann::json& value) {
    switch (value.type()) {
        case nlohmann::json::value_t::object:
            return "an object";
        case nlohmann::json::value_t::array:
            return "an array of " + std::to_string(value.size());
        default:
            break;
    }
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

} // namespace

void check_json_cost(std::string_view text) {
    if (text.size() > max_document_bytes)
        throw ReadError{"the document has " + std::to_string(text.size()) + " bytes; at most " +
                        std::to_string(max_document_bytes) + " are read"};
    std::size_t depth = 0;
    std::size_t values = 1;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\') ++at;
            if (c == '"') in_string = false;
            continue;
        }
        if (c == '"') in_string = true;
        if (c == ',' || c == '[' || c == '{') ++values;
        if (c == '[' || c == '{') ++depth;
        if ((c == ']' || c == '}') && depth > 0) --depth;
        if (depth > max_nesting)
            throw ReadError{"byte " + std::to_string(at) + " opens level " + std::to_string(depth) +
                            " of nesting; a result has at most " + std::to_string(max_nesting)};
    }
    if (values > max_values)
        throw ReadError{"the document holds about " + std::to_string(values) + " values; at most " +
                        std::to_string(max_values) + " are read"};
}

bool Node::has(const char* key) const { return value_->is_object() && value_->contains(key); }

Node Node::member(const char* key) const {
    if (!value_->is_object()) refuse("an object is needed");
    const auto found = value_->find(key);
    if (found == value_->end()) throw ReadError{path() + " has no \"" + key + "\", which every result has"};
    return {*found, this, key, 0};
}

std::size_t Node::size() const { return value_->size(); }
Node Node::element(std::size_t at) const { return {(*value_)[at], this, nullptr, at}; }

void Node::check_array(std::size_t limit) const {
    if (!value_->is_array()) refuse("an array is needed");
    if (value_->size() > limit) refuse("at most " + std::to_string(limit) + " elements are read");
}

std::string Node::text() const {
    if (!value_->is_string()) refuse("a string is needed");
    const auto& text = value_->get_ref<const std::string&>();
    if (text.size() > max_text_bytes) refuse("at most " + std::to_string(max_text_bytes) + " bytes of text are read");
    return text;
}

bool Node::boolean() const {
    if (!value_->is_boolean()) refuse("true or false is needed");
    return value_->get<bool>();
}

std::int64_t Node::integer(std::int64_t lowest, std::int64_t highest) const {
    const bool fits =
        value_->is_number_integer() &&
        !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
    if (!fits || number < lowest || number > highest)
        refuse("a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest) + " is needed");
    return number;
}

std::uint64_t Node::count(std::uint64_t highest) const {
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > highest)
        refuse("a whole number from 0 to " + std::to_string(highest) + " is needed");
    return value_->get<std::uint64_t>();
}

double Node::real() const {
    if (value_->is_number()) return value_->get<double>();
    if (!has("non_finite")) refuse("a number is needed");
    const Node word = member("non_finite");
    const std::string text = word.text();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    word.refuse("one of nan, inf, -inf is needed");
}

std::string Node::path() const {
    if (parent_ == nullptr) return "$";
    if (key_ == nullptr) return parent_->path() + "[" + std::to_string(index_) + "]";
    return parent_->path() + "." + key_;
}

void Node::refuse(std::string_view rule) const {
    throw ReadError{path() + " is " + excerpt(*value_) + "; " + std::string(rule)};
}

} // namespace assay::result
