// Reads numbers and words out of what the kernel prints, without allocating: parsing thousands of them every 100 ms is
// most of what this sampler costs.
//
// A cursor over text that lives elsewhere. Nothing is trusted: a number that does not fit is skipped and said so.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace assay::host {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scan {
public:
    Scan() = default;
    explicit Scan(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    // The next line without its newline; false at the end.
    bool line(std::string_view& line) {
        if (at_ == end_) return false;
        const void* found = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
        const char* stop = found != nullptr ? static_cast<const char*>(found) : end_;
        line = {at_, static_cast<std::size_t>(stop - at_)};
        at_ = stop == end_ ? end_ : stop + 1;
        return true;
    }
    void skip_blanks() {
        while (at_ != end_ && is_blank(*at_))
            ++at_;
    }
    // Up to the next blank; empty at the end.
    std::string_view word() {
        skip_blanks();
        const char* from = at_;
        while (at_ != end_ && !is_blank(*at_))
            ++at_;
        return {from, static_cast<std::size_t>(at_ - from)};
    }
    // What lies before the next `stop`, which is skipped. False, and nothing skipped, if there is none.
    bool until(char stop, std::string_view& text) {
        const void* found = at_ == end_ ? nullptr : std::memchr(at_, stop, static_cast<std::size_t>(end_ - at_));
        if (found == nullptr) return false;
        const char* mark = static_cast<const char*>(found);
        text = {at_, static_cast<std::size_t>(mark - at_)};
        at_ = mark + 1;
        return true;
    }
    // A decimal number. False if there is none here (nothing skipped but blanks), or if it needs more than 64 bits (its
    // digits are skipped).
    bool number(std::uint64_t& value) {
        skip_blanks();
        if (at_ == end_ || !is_digit(*at_)) return false;
        const char* from = at_;
        std::uint64_t sum = 0;
        do
            sum = sum * 10 + static_cast<std::uint64_t>(*at_++ - '0');
        while (at_ != end_ && is_digit(*at_));
        value = sum;
        return at_ - from < 20 || fits(from, at_, value); // 19 digits always fit
    }
    // Skips one column, whatever it is.
    void skip(std::size_t columns = 1) {
        while (columns-- > 0)
            word();
    }
    // One whole column as a number; false, and the column skipped, if it is something else.
    bool field(std::uint64_t& value) {
        const bool good = number(value);
        if (at_ == end_ || is_blank(*at_)) return good;
        word();
        return false;
    }
    [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

private:
    static bool fits(const char* from, const char* to, std::uint64_t& value) {
        value = 0;
        for (; from != to; ++from) {
            if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return false;
            if (__builtin_add_overflow(value, static_cast<std::uint64_t>(*from - '0'), &value)) return false;
        }
        return true;
    }
    const char* at_ = "";
    const char* end_ = at_;
};

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && (is_blank(text.back()) || text.back() == '\n'))
        text.remove_suffix(1);
    return text;
}

// The whole text as one number, blanks around it aside.
inline bool only_number(std::string_view text, std::uint64_t& value) {
    Scan scan(trimmed(text));
    return scan.number(value) && scan.rest().empty();
}

} // namespace assay::host
