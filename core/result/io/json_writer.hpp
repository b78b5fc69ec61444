// Writes JSON text piece by piece, so that a result of any size needs no second copy in memory.
//
// Objects and arrays may be marked compact: they and what is in them stay on one line. Text is made valid UTF-8
// (each offending byte becomes U+FFFD). One thread; private to result/io.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

class JsonWriter {
public:
    enum class Layout { lines, compact };

    void begin_object(Layout layout = Layout::lines) { open('{', layout); }
    void end_object() { close('}'); }
    void begin_array(Layout layout = Layout::lines) { open('[', layout); }
    void end_array() { close(']'); }
    void key(std::string_view name);

    void text(std::string_view value);
    void boolean(bool value) { scalar(value ? "true" : "false"); }
    void integer(std::int64_t value) { scalar(std::to_string(value)); }
    void count(std::uint64_t value) { scalar(std::to_string(value)); }
    // Shortest form that reads back to the same value, always recognisable as a real number ("5.0"); infinities and
    // NaN, which JSON has no word for, become {"non_finite": "inf"}.
    void real(double value);

    [[nodiscard]] std::string take() && { return std::move(out_) + "\n"; }

private:
    struct Level {
        bool compact = false;
        bool empty = true;
    };
    void open(char bracket, Layout layout);
    void close(char bracket);
    void scalar(std::string_view text);
    void before_value();
    void new_line();
    void quoted(std::string_view text);

    std::string out_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

} // namespace assay::result
