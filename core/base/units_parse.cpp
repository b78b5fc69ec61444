#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <system_error>

namespace assay {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t kTextBytesMax = 100;
constexpr std::size_t kWholeDigitsMax = 19; // of 2^63-1
constexpr std::size_t kFractionDigitsMax = 18;

struct Unit {
    std::string_view name;
    std::uint64_t multiplier;
    std::uint64_t divisor = 1;
};

// What a text is read as: its units, and the words of its messages.
struct Kind {
    std::string_view name;
    std::string_view article;
    std::string_view whole_unit; // what the result counts
    std::string_view example;
    std::span<const Unit> units;
};

constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kMega = kKilo * 1000;
constexpr std::uint64_t kGiga = kMega * 1000;
constexpr std::uint64_t kTera = kGiga * 1000;
constexpr std::uint64_t kPeta = kTera * 1000;
constexpr std::uint64_t kExa = kPeta * 1000;

constexpr Unit kSizeUnits[] = {
    {"B", 1},
    {"KiB", 1ULL << 10},
    {"MiB", 1ULL << 20},
    {"GiB", 1ULL << 30},
    {"TiB", 1ULL << 40},
    {"PiB", 1ULL << 50},
    {"EiB", 1ULL << 60},
    {"kB", kKilo},
    {"KB", kKilo},
    {"MB", kMega},
    {"GB", kGiga},
    {"TB", kTera},
    {"PB", kPeta},
    {"EB", kExa},
};
constexpr Unit kDurationUnits[] = {
    {"ns", 1},           {"us", kKilo},       {"ms", kMega},        {"s", kGiga},
    {"min", 60 * kGiga}, {"h", 3600 * kGiga}, {"d", 86400 * kGiga},
};
constexpr Unit kByteRateUnits[] = {
    {"B/s", 1},
    {"KiB/s", 1ULL << 10},
    {"MiB/s", 1ULL << 20},
    {"GiB/s", 1ULL << 30},
    {"TiB/s", 1ULL << 40},
    {"PiB/s", 1ULL << 50},
    {"EiB/s", 1ULL << 60},
    {"kB/s", kKilo},
    {"KB/s", kKilo},
    {"MB/s", kMega},
    {"GB/s", kGiga},
    {"TB/s", kTera},
    {"PB/s", kPeta},
    {"EB/s", kExa},
    {"bit/s", 1, 8},
    {"kbit/s", kKilo, 8},
    {"Kbit/s", kKilo, 8},
    {"Mbit/s", kMega, 8},
    {"Gbit/s", kGiga, 8},
    {"Tbit/s", kTera, 8},
};
constexpr Unit kOperationRateUnits[] = {
    {"/s", 1},        {"k/s", kKilo},   {"M/s", kMega},    {"G/s", kGiga},    {"IOPS", 1},       {"kIOPS", kKilo},
    {"MIOPS", kMega}, {"GIOPS", kGiga}, {"k IOPS", kKilo}, {"M IOPS", kMega}, {"G IOPS", kGiga},
};
constexpr Unit kPercentageUnits[] = {{"%", 1}};

constexpr Kind kSize = {"size", "a", "bytes", "4KiB (4 x 1024 bytes) or 4KB (4 x 1000 bytes)", kSizeUnits};
constexpr Kind kDuration = {"duration", "a", "nanoseconds", "10s, 250ms or 3min", kDurationUnits};
constexpr Kind kByteRate = {"rate in bytes", "a", "bytes a second", "100MB/s, 1.5GiB/s or 10Gbit/s", kByteRateUnits};
constexpr Kind kOperationRate = {"rate in operations", "a", "operations a second", "5000/s, 10k/s or 5000 IOPS",
                                 kOperationRateUnits};
constexpr Kind kPercentage = {"percentage", "a", "percent", "70%", kPercentageUnits};
constexpr std::array kKinds = {&kSize, &kDuration, &kByteRate, &kOperationRate, &kPercentage};

// A number as written: mantissa / 10^fraction_digits.
struct Decimal {
    Wide mantissa = 0;
    std::size_t fraction_digits = 0;
    std::string_view text;
};

std::string_view take_digits(std::string_view& text) {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9')
        ++count;
    const std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
}

const Unit* find_unit(const Kind& kind, std::string_view name) {
    for (const Unit& unit : kind.units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

Status not_a(const Kind& kind, std::string_view text, std::string_view why) {
    return usage_error(fmt::format("{} is not {} {}: {}; write for example {}", in_quotes(text), kind.article,
                                   kind.name, why, kind.example));
}

Status bad_unit(const Kind& kind, std::string_view text, std::string_view name) {
    if (name.empty()) {
        return usage_error(fmt::format("{} has no unit: {} {} needs one; write for example {}", in_quotes(text),
                                       kind.article, kind.name, kind.example));
    }
    for (const Kind* other : kKinds) {
        if (find_unit(*other, name) != nullptr) {
            return not_a(kind, text, fmt::format("its unit makes it {} {}", other->article, other->name));
        }
    }
    return not_a(kind, text, fmt::format("{} is not one of its units", in_quotes(name)));
}

// Splits "1.5 GiB" into the number and the unit's name; the unit may be set off by one space.
Result<Decimal> take_decimal(const Kind& kind, std::string_view text, std::string_view& rest) {
    if (text.size() > kTextBytesMax) return not_a(kind, text, "the text is too long");
    if (text.empty()) return not_a(kind, text, "it is empty");
    if (text[0] == '-') return not_a(kind, text, "it cannot be negative");
    rest = text;
    std::string_view whole = take_digits(rest);
    if (whole.empty()) return not_a(kind, text, "it does not begin with a digit");
    std::string_view fraction;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fraction = take_digits(rest);
        if (fraction.empty()) return not_a(kind, text, "a digit must follow the point");
    }
    Decimal number;
    number.text = text.substr(0, text.size() - rest.size());
    if (rest.starts_with(' ')) rest.remove_prefix(1);

    while (whole.starts_with('0'))
        whole.remove_prefix(1);
    while (fraction.ends_with('0'))
        fraction.remove_suffix(1);
    if (whole.size() > kWholeDigitsMax) return not_a(kind, text, "it is too large");
    if (fraction.size() > kFractionDigitsMax) {
        return not_a(kind, text, fmt::format("it has more than {} digits after the point", kFractionDigitsMax));
    }
    for (const std::string_view digits : {whole, fraction}) {
        for (const char digit : digits)
            number.mantissa = number.mantissa * 10 + static_cast<unsigned>(digit - '0');
    }
    number.fraction_digits = fraction.size();
    return number;
}

// number x unit as a whole number below 2^63, by exact arithmetic.
Result<std::int64_t> parse_scaled(const Kind& kind, std::string_view given) {
    const std::string_view text = trim(given);
    std::string_view name;
    const Result<Decimal> number = take_decimal(kind, text, name);
    if (!number) return number.status();
    const Unit* unit = find_unit(kind, name);
    if (unit == nullptr) return bad_unit(kind, text, name);

    constexpr auto kMax = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
    Wide divisor = unit->divisor;
    for (std::size_t i = 0; i < number->fraction_digits; ++i)
        divisor *= 10;
    Wide product = 0;
    const bool overflow = __builtin_mul_overflow(number->mantissa, static_cast<Wide>(unit->multiplier), &product);
    if (overflow || product / divisor > kMax) {
        return not_a(kind, text,
                     fmt::format("it is more than {} {}", std::numeric_limits<std::int64_t>::max(), kind.whole_unit));
    }
    if (product % divisor != 0) {
        return not_a(kind, text, fmt::format("it is not a whole number of {}", kind.whole_unit));
    }
    return static_cast<std::int64_t>(product / divisor);
}

// Digits, at most one point between digits, perhaps a minus in front: what std::from_chars would take is wider.
bool is_plain_number(std::string_view text, bool point_allowed) {
    if (text.starts_with('-')) text.remove_prefix(1);
    if (take_digits(text).empty()) return false;
    if (point_allowed && text.starts_with('.')) {
        text.remove_prefix(1);
        if (take_digits(text).empty()) return false;
    }
    return text.empty();
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace

Result<std::int64_t> parse_size(std::string_view text) { return parse_scaled(kSize, text); }
Result<std::int64_t> parse_duration(std::string_view text) { return parse_scaled(kDuration, text); }
Result<std::int64_t> parse_byte_rate(std::string_view text) { return parse_scaled(kByteRate, text); }
Result<std::int64_t> parse_operation_rate(std::string_view text) { return parse_scaled(kOperationRate, text); }

Result<double> parse_percentage(std::string_view given) {
    const std::string_view text = trim(given);
    std::string_view name;
    const Result<Decimal> number = take_decimal(kPercentage, text, name);
    if (!number) return number.status();
    if (find_unit(kPercentage, name) == nullptr) return bad_unit(kPercentage, text, name);
    double value = 0;
    if (!read_whole(number->text, value) || value > 100.0) {
        return not_a(kPercentage, text, "it must lie between 0% and 100%");
    }
    return value;
}

Result<std::int64_t> parse_integer(std::string_view given) {
    const std::string_view text = trim(given);
    std::int64_t value = 0;
    if (text.size() > kTextBytesMax || !is_plain_number(text, false)) {
        return usage_error(fmt::format("{} is not a whole number: write digits only, without a unit, for example 16",
                                       in_quotes(text)));
    }
    if (!read_whole(text, value)) {
        return usage_error(fmt::format("{} is out of range: a whole number lies between {} and {}", in_quotes(text),
                                       std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()));
    }
    return value;
}

Result<double> parse_number(std::string_view given) {
    const std::string_view text = trim(given);
    double value = 0;
    if (text.size() > kTextBytesMax || !is_plain_number(text, true) || !read_whole(text, value)) {
        return usage_error(
            fmt::format("{} is not a number: write digits with at most one point, without a unit, for example 0.5",
                        in_quotes(text)));
    }
    return value;
}

Result<bool> parse_bool(std::string_view given) {
    const std::string text = lower(trim(given));
    for (const std::string_view yes : {"yes", "true", "on", "1"}) {
        if (text == yes) return true;
    }
    for (const std::string_view no : {"no", "false", "off", "0"}) {
        if (text == no) return false;
    }
    return usage_error(
        fmt::format("{} is not yes or no: write yes, no, true, false, on, off, 1 or 0", in_quotes(trim(given))));
}

} // namespace assay
