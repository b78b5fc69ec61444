#include "core/plan/overrides.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::tree {
namespace {

using Kind = Node::Kind;

Node& child(Node& map, std::string_view key, Node if_missing) {
    if (Node* found = map.find(key); found != nullptr) return *found;
    return map.entries.emplace_back(Entry{with_underscores(key), {}, std::move(if_missing)}).value;
}

// `container: {key: value}` inside `parent`, made where it is missing.
void put_into(Node& parent, std::string_view container, std::string_view key, const Node& value) {
    Node& map = child(parent, container, empty_map());
    if (map.is(Kind::nothing)) map = empty_map();
    if (map.is(Kind::map)) child(map, key, {}) = value;
}

void put(Node& map, std::string_view key, const Node& value) { child(map, key, {}) = value; }

// [A, B] -> a list; anything else is one text.
Node list_or_text(std::string_view text) {
    text = trim(text);
    if (text.size() < 2 || !text.starts_with('[') || !text.ends_with(']')) return scalar(text);
    Node list;
    list.kind = Kind::sequence;
    const std::string_view inside = trim(text.substr(1, text.size() - 2));
    if (inside.empty()) return list;
    for (const std::string_view item : split(inside, ','))
        list.items.push_back(scalar(trim(item)));
    return list;
}

std::vector<Node*> jobs_of(Node& stage) {
    std::vector<Node*> jobs;
    Node* list = stage.find("jobs");
    if (list == nullptr) return {&stage};
    for (Entry& entry : list->entries) {
        if (entry.value.is(Kind::map)) jobs.push_back(&entry.value);
    }
    return jobs;
}

// The override fixes what the plan sweeps over.
void end_sweep(Node& stage, std::string_view key) {
    Node* sweep = stage.find("sweep");
    if (sweep == nullptr) return;
    const std::string name = with_underscores(key);
    std::erase_if(sweep->entries, [&](const Entry& entry) {
        const std::string swept = with_underscores(entry.key);
        return swept == name || swept.ends_with("." + name);
    });
}

void override_stage(Node& stage, const std::string& key, std::string_view text) {
    const Node value = scalar(text);
    if (key == "repeat") return put(stage, key, value);
    if (key == "time.measure" || key == "time.warmup") {
        const std::string name = key.substr(key.find('.') + 1);
        put_into(stage, "time", name, value);
        for (Node* job : jobs_of(stage)) { // a job's own time goes before the stage's
            if (const Node* time = job->find("time"); time != nullptr && time->find(name) != nullptr) {
                put_into(*job, "time", name, value);
            }
        }
        return;
    }
    end_sweep(stage, key);
    for (Node* job : jobs_of(stage)) {
        if (key == "targets") {
            put(*job, key, list_or_text(text));
        } else if (key == "workers" || key == "cpus" || key == "rate" || key == "arrival" || key == "per_worker") {
            put(*job, key, value);
        } else {
            put_into(*job, "options", key, value);
        }
    }
}

// Follows one step of a path. What is missing is made only where its name is known to be right: an entry of the plan's
// own grammar that holds others.
Status step(Node*& at, const std::string& walked, const std::string& name) {
    if (at->is(Kind::sequence)) {
        const Result<std::int64_t> index = parse_integer(name);
        const auto count = static_cast<std::int64_t>(at->items.size());
        if (!index || *index < 0 || *index >= count) {
            return usage_error(
                fmt::format("{} has entries 0 to {}, {} is none of them", walked, count - 1, in_quotes(name)));
        }
        at = &at->items[static_cast<std::size_t>(*index)];
        return {};
    }
    Node* found = at->find(name);
    if (found == nullptr && (name == "options" || name == "time" || name == "sweep" || name == "context")) {
        found = &child(*at, name, empty_map());
    }
    if (found == nullptr) {
        std::vector<std::string> known;
        for (const Entry& entry : at->entries)
            known.push_back(entry.key);
        return usage_error(fmt::format("{} is not in {}{}", in_quotes(name), walked.empty() ? "the plan" : walked,
                                       did_you_mean(name, known)));
    }
    if (found->is(Kind::nothing)) *found = empty_map();
    at = found;
    return {};
}

Status override_path(Node& root, std::string_view path, std::string_view text) {
    Node* at = &root;
    std::string walked;
    std::string last;
    for (;;) {
        const std::size_t dot = path.find('.');
        const bool sweep_key = walked.ends_with(".sweep"); // holds a point itself: job.option
        if (dot == std::string_view::npos || sweep_key) break;
        const std::string name(path.substr(0, dot));
        if (const Status status = step(at, walked, name); !status.ok()) return status;
        walked += (walked.empty() ? "" : ".") + name;
        path.remove_prefix(dot + 1);
    }
    if (path.empty() || !at->is(Kind::map)) {
        return usage_error(fmt::format("{} is {}, which has no {}", walked, kind_name(at->kind), in_quotes(path)));
    }
    const bool list = walked.ends_with(".sweep") || path == "targets";
    put(*at, path, list ? list_or_text(text) : scalar(text));
    return {};
}

} // namespace

Status apply_override(Node& root, const std::string& set) {
    const std::string context = fmt::format("--set {}", set.substr(0, 200));
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0 || !is_utf8(set)) {
        return usage_error(fmt::format("--set {}: write KEY=VALUE, for example block_size=4KiB", in_quotes(set)));
    }
    const std::string key(trim(std::string_view(set).substr(0, equals)));
    const std::string_view text = std::string_view(set).substr(equals + 1);
    if (!root.is(Kind::map)) return {};
    if (key == "name") {
        put(root, key, scalar(text));
        return {};
    }
    if (key.starts_with("stages.") || key.starts_with("context.")) return override_path(root, key, text).wrap(context);
    if (key.find('.') != std::string::npos && key != "time.measure" && key != "time.warmup") {
        return usage_error(
            fmt::format("{}: {} is neither an option nor a path: write KEY=VALUE, time.measure=VALUE, "
                        "time.warmup=VALUE or a path such as stages.0.jobs.NAME.options.KEY=VALUE",
                        context, in_quotes(key)));
    }
    Node* stages = root.find("stages");
    if (stages == nullptr) return {};
    for (Node& stage : stages->items) {
        if (stage.is(Kind::map)) override_stage(stage, key, text);
    }
    return {};
}

} // namespace assay::tree
