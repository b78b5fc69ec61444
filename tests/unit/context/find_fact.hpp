// Looking facts up in tests.
#pragma once

#include "core/result/model.hpp"

#include <string>
#include <vector>

namespace assay::test {

inline const result::Fact* find_fact(const std::vector<result::Fact>& facts, const std::string& key) {
    for (const result::Fact& fact : facts) {
        if (fact.key == key) return &fact;
    }
    return nullptr;
}

inline std::string text_of(const std::vector<result::Fact>& facts, const std::string& key) {
    const result::Fact* fact = find_fact(facts, key);
    if (fact == nullptr || !std::holds_alternative<std::string>(fact->value)) return "(no text fact " + key + ")";
    return std::get<std::string>(fact->value);
}

inline std::int64_t integer_of(const std::vector<result::Fact>& facts, const std::string& key) {
    const result::Fact* fact = find_fact(facts, key);
    if (fact == nullptr || !std::holds_alternative<std::int64_t>(fact->value)) return -987654321;
    return std::get<std::int64_t>(fact->value);
}

} // namespace assay::test
