// YAML text as a bounded tree of plain texts; private to core/plan. tree.cpp is the only place that knows yaml-cpp.
//
// Every scalar stays the text that was written. Refused: anchors, aliases, tags, keys that are not plain texts, keys
// given twice, a second document, nesting past the bound, what is not UTF-8. Any thread; plain data.
#pragma once

#include "core/base/status.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::tree {

// 1-based, columns in characters; 0: not in the file (from the command line).
struct Mark {
    int line = 0;
    int column = 0;
};

struct Entry;

struct Node {
    enum class Kind { nothing, scalar, sequence, map }; // nothing: a key without a value
    Kind kind = Kind::nothing;
    Mark mark;
    std::string text;           // scalar
    std::vector<Node> items;    // sequence
    std::vector<Entry> entries; // map, in the order written

    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
    // The value of `key` in a map (dashes count as underscores); null if there is none or this is not a map.
    [[nodiscard]] Node* find(std::string_view key);
    [[nodiscard]] const Node* find(std::string_view key) const;
};

struct Entry {
    std::string key;
    Mark key_mark;
    Node value;
};

Node scalar(std::string_view text, Mark mark = {});
Node empty_map(Mark mark = {});

// "a text", "a list", "a map", "nothing"
std::string_view kind_name(Node::Kind kind);

// "file:3:7: ", or "" for a mark that is not in the file.
std::string position(const std::string& source, Mark mark);

inline constexpr std::size_t kYamlBytesMax = 1 << 20;
inline constexpr std::size_t kNestingMax = 16;

// Usage errors carry "source:line:column: ". An empty file is a node of kind nothing.
Result<Node> parse_yaml(std::string_view yaml, const std::string& source);

} // namespace assay::tree
