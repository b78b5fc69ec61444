#include "core/plan/tree.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <unordered_map>

namespace assay::tree {
namespace {

// Leaves the parser from inside an event; caught in parse_yaml.
struct Refusal {
    YAML::Mark mark;
    std::string text;
};

// Builds the tree from the parser's events. Working on events, not on yaml-cpp's own nodes, is what makes the bounds
// hold: an alias or the seventeenth level ends the parse when it is met.
class Builder : public YAML::EventHandler {
public:
    explicit Builder(std::string_view yaml) : yaml_(yaml) {
        for (const std::string_view line : split(yaml, '\n'))
            lines_.push_back(line);
    }

    [[nodiscard]] Node take_root() { return std::move(root_); }
    // yaml-cpp counts from 0, columns in bytes. Marks come in the order of the text, so that counting on from the last
    // one keeps a long line from costing the square of its length.
    Mark mark_of(const YAML::Mark& mark) {
        if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return {};
        const std::string_view line = lines_[static_cast<std::size_t>(mark.line)];
        const std::size_t bytes = std::min(static_cast<std::size_t>(std::max(mark.column, 0)), line.size());
        if (mark.line != last_.line || bytes < last_.bytes) last_ = {mark.line, 0, 0};
        last_.characters += utf8_characters(line.substr(last_.bytes, bytes - last_.bytes));
        last_.bytes = bytes;
        return {mark.line + 1, static_cast<int>(last_.characters) + 1};
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) throw Refusal{mark, "a plan is one YAML document, a second one begins here"};
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, "", Node::Kind::nothing); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        throw Refusal{mark, "YAML aliases (*name) are not used in a plan: write the value out"};
    }
    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        throw Refusal{mark, fmt::format("YAML anchors (&{}) are not used in a plan: write the value out", name)};
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Frame* top = frames_.empty() ? nullptr : &frames_.back();
        refuse_tag(mark, tag);
        refuse_open_quote(mark);
        if (top != nullptr && top->node.is(Node::Kind::map) && !top->has_key) return take_key(*top, mark, value);
        add(mark, anchor, tag, Node::Kind::scalar, value);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Node::Kind::sequence);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Node::Kind::map);
    }
    void OnMapEnd() override { close(); }

private:
    struct Frame {
        Node node;
        bool has_key = false;
        Entry entry;
        std::unordered_map<std::string, Mark> keys;
    };

    static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        if (tag.empty() || tag == "?" || tag == "!") return; // what the parser itself puts on plain and quoted texts
        throw Refusal{mark, "YAML tags (!name) are not used in a plan: every value is a text"};
    }

    // yaml-cpp lets the end of the file close a quote after a line end.
    void refuse_open_quote(const YAML::Mark& mark) const {
        const auto begin = static_cast<std::size_t>(std::max(mark.pos, 0));
        const char quote = begin < yaml_.size() ? yaml_[begin] : '\0';
        if (quote != '\'' && quote != '"') return;
        for (std::size_t at = begin + 1; at < yaml_.size(); ++at) {
            const bool doubled = quote == '\'' && yaml_.substr(at, 2) == "\'\'";
            if (doubled || (quote == '"' && yaml_[at] == '\\')) {
                ++at;
            } else if (yaml_[at] == quote) {
                return;
            }
        }
        throw Refusal{mark, "the quote that opens here is not closed"};
    }

    void take_key(Frame& top, const YAML::Mark& mark, const std::string& key) {
        const Mark at = mark_of(mark);
        const auto [known, inserted] = top.keys.try_emplace(with_underscores(key), at);
        if (!inserted) {
            throw Refusal{
                mark, fmt::format("the key {} is given twice, first in line {}", in_quotes(key), known->second.line)};
        }
        top.entry = {key, at, {}};
        top.has_key = true;
    }

    Node make(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, Node::Kind kind) {
        if (anchor != YAML::NullAnchor) throw Refusal{mark, "YAML anchors are not used in a plan: write the value out"};
        refuse_tag(mark, tag);
        if (!frames_.empty() && frames_.back().node.is(Node::Kind::map) && !frames_.back().has_key) {
            throw Refusal{mark, "a key must be a text"};
        }
        Node node;
        node.kind = kind;
        node.mark = mark_of(mark);
        return node;
    }

    void add(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, Node::Kind kind,
             const std::string& text = {}) {
        Node node = make(mark, anchor, tag, kind);
        node.text = text;
        attach(std::move(node));
    }
    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
        if (frames_.size() >= kNestingMax)
            throw Refusal{mark, fmt::format("nested deeper than {} levels", kNestingMax)};
        Frame frame;
        frame.node = make(mark, anchor, tag, kind);
        frames_.push_back(std::move(frame));
    }
    void close() {
        Node node = std::move(frames_.back().node);
        frames_.pop_back();
        attach(std::move(node));
    }
    void attach(Node node) {
        if (frames_.empty()) {
            root_ = std::move(node);
            return;
        }
        Frame& top = frames_.back();
        if (top.node.is(Node::Kind::sequence)) {
            top.node.items.push_back(std::move(node));
            return;
        }
        top.entry.value = std::move(node);
        top.node.entries.push_back(std::move(top.entry));
        top.has_key = false;
    }

    std::string_view yaml_;
    std::vector<std::string_view> lines_;
    struct {
        int line = 0;
        std::size_t bytes = 0;
        std::size_t characters = 0;
    } last_;
    std::vector<Frame> frames_;
    Node root_;
    int documents_ = 0;
};

// yaml-cpp takes more than YAML allows here, and would report it, if at all, somewhere else.
Status check_characters(std::string_view yaml, const std::string& source) {
    const std::size_t valid = utf8_prefix(yaml);
    const auto is_control = [](char c) {
        return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f';
    };
    const auto end = yaml.begin() + static_cast<std::ptrdiff_t>(valid);
    const auto control = std::find_if(yaml.begin(), end, is_control);
    if (valid == yaml.size() && control == end) return {};
    const auto at = static_cast<std::size_t>(control - yaml.begin());
    const std::string_view before = yaml.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1; // npos + 1 is 0
    const Mark mark = {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                       static_cast<int>(utf8_characters(before.substr(line_begin))) + 1};
    return usage_error(fmt::format("{}the byte 0x{:02x} here cannot be in a plan: it is YAML text in UTF-8",
                                   position(source, mark), static_cast<unsigned char>(yaml[at])));
}

} // namespace

const Node* Node::find(std::string_view key) const {
    const std::string wanted = with_underscores(key);
    for (const Entry& entry : entries) {
        if (with_underscores(entry.key) == wanted) return &entry.value;
    }
    return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

Node scalar(std::string_view text, Mark mark) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.mark = mark;
    node.text = text;
    return node;
}

Node empty_map(Mark mark) {
    Node node;
    node.kind = Node::Kind::map;
    node.mark = mark;
    return node;
}

std::string_view kind_name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::scalar:
            return "a text";
        case Node::Kind::sequence:
            return "a list";
        case Node::Kind::map:
            return "a map";
        default:
            return "nothing";
    }
}

std::string position(const std::string& source, Mark mark) {
    return mark.line == 0 ? std::string() : fmt::format("{}:{}:{}: ", source, mark.line, mark.column);
}

Result<Node> parse_yaml(std::string_view yaml, const std::string& source) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (yaml.starts_with(kByteOrderMark)) yaml.remove_prefix(kByteOrderMark.size());
    if (yaml.size() > kYamlBytesMax) {
        return usage_error(
            fmt::format("{}: a plan of {} bytes is too long: at most {}", source, yaml.size(), kYamlBytesMax));
    }
    if (const Status status = check_characters(yaml, source); !status.ok()) return status;
    Builder builder(yaml);
    try {
        std::istringstream stream{std::string(yaml)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
        return builder.take_root();
    } catch (const Refusal& refusal) {
        return usage_error(position(source, builder.mark_of(refusal.mark)) + refusal.text);
    } catch (const YAML::Exception& error) {
        return usage_error(fmt::format(
            "{}this is not valid YAML: {}; check the indentation, and quote texts that hold \": \" or \" #\"",
            position(source, builder.mark_of(error.mark)), error.msg));
    } catch (const std::exception& error) {
        return usage_error(fmt::format("{}: this is not valid YAML: {}", source, error.what()));
    }
}

} // namespace assay::tree
