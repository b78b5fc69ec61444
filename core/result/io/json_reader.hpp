// Checked access to parsed JSON: every value is tested for presence, type and range, and a refusal names its JSON path.
//
// A Node borrows its value and its parent, so it lives on the stack of whoever walks down. A refusal is a ReadError,
// thrown and caught inside result/io only. One thread; private to result/io.
#pragma once

#include "core/base/status.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::result {

struct ReadError {
    std::string message;
};

// Refuses text that would cost too much to hold: size, nesting, number of values. Throws ReadError.
void check_json_cost(std::string_view text);

class Node {
public:
    explicit Node(const nlohmann::json& root) : value_(&root) {}

    [[nodiscard]] bool has(const char* key) const;
    // Member of an object; refused if this is no object or the member is missing.
    [[nodiscard]] Node member(const char* key) const;
    // Calls visit(Node) for each element of an array of at most `limit`.
    template <class Visit>
    void each(std::size_t limit, const Visit& visit) const {
        check_array(limit);
        for (std::size_t at = 0; at < size(); ++at)
            visit(element(at));
    }
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] Node element(std::size_t at) const;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
    [[nodiscard]] std::uint64_t count(std::uint64_t highest = UINT64_MAX) const;
    [[nodiscard]] double real() const; // finite, or {"non_finite": ...}

    [[nodiscard]] const nlohmann::json& raw() const { return *value_; }
    [[nodiscard]] std::string path() const;
    // Throws "PATH is VALUE; RULE".
    [[noreturn]] void refuse(std::string_view rule) const;

private:
    Node(const nlohmann::json& value, const Node* parent, const char* key, std::size_t index)
        : value_(&value), parent_(parent), key_(key), index_(index) {}
    void check_array(std::size_t limit) const;

    const nlohmann::json* value_;
    const Node* parent_ = nullptr;
    const char* key_ = nullptr;
    std::size_t index_ = 0;
};

} // namespace assay::result
