// Putting facts together and reading the small text files of /proc and /sys they come from.
//
// Those files are written by drivers, disks and whoever mounted something, so every read is bounded and every text is
// made printable before it becomes a fact. Any thread; no state.
#pragma once

#include "core/result/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::context {

// The file without surrounding white space; nullopt if it cannot be read. Longer files are cut at `max_bytes`.
std::optional<std::string> read_text(const std::string& path, std::size_t max_bytes = 64 * 1024);
// A file that holds one decimal integer and nothing else.
std::optional<std::int64_t> read_integer(const std::string& path);
// Names in a directory, sorted, without "." and ".."; empty if it cannot be read.
std::vector<std::string> list_directory(const std::string& path);
// Where a symbolic link points, resolved to the last component's name; empty if it is none.
std::string link_name(const std::string& path);

std::optional<std::int64_t> to_integer(std::string_view text);
// The kernel's CPU list form, "0-3,8"; what does not parse is left out. At most 2^20 entries.
std::vector<int> parse_cpu_list(std::string_view text);
std::string cpu_list_text(const std::vector<int>& cpus);
// Valid UTF-8 without control characters, of at most `max_bytes`: what is neither becomes \xNN.
std::string printable(std::string_view text, std::size_t max_bytes = 4096);

// Collects facts. An empty text is no fact.
class Facts {
public:
    void text(std::string key, std::string_view value, std::string source);
    void integer(std::string key, std::int64_t value, std::string unit, std::string source);
    void real(std::string key, double value, std::string unit, std::string source);
    void flag(std::string key, bool value, std::string source);

    // From a file whose path is also the source; nothing if it cannot be read.
    void text_file(std::string key, const std::string& path);
    void integer_file(std::string key, const std::string& path, std::string unit, std::int64_t scale = 1);
    void flag_file(std::string key, const std::string& path);

    [[nodiscard]] std::vector<result::Fact> take() { return std::move(facts_); }

private:
    std::vector<result::Fact> facts_;
};

} // namespace assay::context
