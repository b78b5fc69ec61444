#include "core/schema/value.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>

#include <arpa/inet.h>

namespace assay {
namespace {

constexpr std::int64_t kPortMax = 65535;
constexpr std::size_t kHostBytesMax = 253; // RFC 1035

bool is_real(const OptionSpec& option) {
    return option.type == ASSAY_TYPE_FLOAT || option.type == ASSAY_TYPE_PERCENTAGE;
}

template <class Value>
Result<Scalar> as_scalar(const Result<Value>& value) {
    if (!value) return value.status();
    Scalar scalar;
    if constexpr (std::is_same_v<Value, double>) {
        scalar.real = *value;
    } else {
        scalar.integer = *value;
    }
    return scalar;
}

Result<Scalar> parse_enum(const OptionSpec& option, std::string_view text) {
    const auto found = std::find(option.enum_names.begin(), option.enum_names.end(), trim(text));
    if (found == option.enum_names.end()) {
        return usage_error(fmt::format("{} is none of {}{}", in_quotes(text), join(option.enum_names, ", "),
                                       did_you_mean(trim(text), option.enum_names)));
    }
    Scalar scalar;
    scalar.integer = found - option.enum_names.begin();
    return scalar;
}

bool is_ipv6(std::string_view host) {
    in6_addr address;
    return ::inet_pton(AF_INET6, std::string(host).c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
    const bool characters = std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
    return characters && !host.empty() && host.size() <= kHostBytesMax;
}

bool is_endpoint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view host = text.substr(0, colon);
    const Result<std::int64_t> port = parse_integer(text.substr(colon + 1));
    if (!port || *port < 1 || *port > kPortMax) return false;
    if (host.starts_with('[') && host.ends_with(']')) return is_ipv6(host.substr(1, host.size() - 2));
    return is_host_name(host);
}

Result<Scalar> parse_text(const OptionSpec& option, std::string_view text) {
    if (!is_utf8(text)) return usage_error(fmt::format("{} is not UTF-8 text without NUL", in_quotes(text)));
    if (option.type == ASSAY_TYPE_PATH && (text.empty() || text.size() >= PATH_MAX)) {
        return usage_error(fmt::format("{} is not a path: one has 1 to {} bytes", in_quotes(text), PATH_MAX - 1));
    }
    if (option.type == ASSAY_TYPE_ENDPOINT) {
        text = trim(text);
        if (!is_endpoint(text)) {
            return usage_error(
                fmt::format("{} is not an endpoint: write host:port or [IPv6 address]:port with a port from "
                            "1 to {}, for example storage1:9000 or [fd00::1]:9000",
                            in_quotes(text), kPortMax));
        }
    }
    Scalar scalar;
    scalar.text = text;
    return scalar;
}

Result<Scalar> parse_unchecked(const OptionSpec& option, std::string_view text) {
    switch (option.type) {
        case ASSAY_TYPE_BOOL:
            return as_scalar(parse_bool(text));
        case ASSAY_TYPE_INT:
            return as_scalar(parse_integer(text));
        case ASSAY_TYPE_FLOAT:
            return as_scalar(parse_number(text));
        case ASSAY_TYPE_ENUM:
            return parse_enum(option, text);
        case ASSAY_TYPE_SIZE:
            return as_scalar(parse_size(text));
        case ASSAY_TYPE_DURATION:
            return as_scalar(parse_duration(text));
        case ASSAY_TYPE_RATE:
            return as_scalar(option.unit == "op/s" ? parse_operation_rate(text) : parse_byte_rate(text));
        case ASSAY_TYPE_PERCENTAGE:
            return as_scalar(parse_percentage(text));
        default:
            return parse_text(option, text);
    }
}

bool less(const OptionSpec& option, const Scalar& a, const Scalar& b) {
    return is_real(option) ? a.real < b.real : a.integer < b.integer;
}

Result<Scalar> parse_weighted(const OptionSpec& option, std::string_view item, bool& has_weight) {
    const std::size_t colon = item.rfind(':');
    has_weight = colon != std::string_view::npos;
    Result<Scalar> scalar = parse_scalar(option, trim(item.substr(0, colon)));
    if (!scalar || !has_weight) return scalar;
    const Result<double> weight = parse_number(item.substr(colon + 1));
    if (!weight || *weight <= 0) {
        return usage_error(fmt::format("the weight in {} is not a number above 0; write for example {}:70",
                                       in_quotes(item), item.substr(0, colon)));
    }
    scalar->weight = *weight;
    return scalar;
}

Result<std::vector<Scalar>> parse_list(const OptionSpec& option, std::string_view text) {
    const auto pieces = split(text, ',');
    if (pieces.size() > kListItemsMax) {
        return usage_error(fmt::format("a list of {} items is too long: at most {}", pieces.size(), kListItemsMax));
    }
    std::vector<Scalar> items;
    std::size_t with_weight = 0;
    for (const std::string_view piece : pieces) {
        const std::string_view item = trim(piece);
        if (item.empty()) return usage_error(fmt::format("{} has an empty item: write a,b,c", in_quotes(text)));
        bool has_weight = false;
        Result<Scalar> scalar =
            option.has(ASSAY_OPTION_WEIGHTED) ? parse_weighted(option, item, has_weight) : parse_scalar(option, item);
        if (!scalar) return scalar.status();
        with_weight += has_weight ? 1 : 0;
        items.push_back(std::move(*scalar));
    }
    if (with_weight != 0 && with_weight != items.size()) {
        return usage_error(
            fmt::format("{} gives a weight to some items only: give one to each or to none", in_quotes(text)));
    }
    return items;
}

// Shortest decimal text that reads back as the same double, never with an exponent (parse_number takes none).
std::string real_text(double value) {
    std::array<char, 512> buffer;
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
    return {buffer.data(), end};
}

} // namespace

Result<Scalar> parse_scalar(const OptionSpec& option, std::string_view text) {
    Result<Scalar> scalar = parse_unchecked(option, text);
    if (!scalar) return scalar;
    const bool below = option.min && less(option, *scalar, *option.min);
    const bool above = option.max && less(option, *option.max, *scalar);
    if (below || above) {
        const std::string limit = below ? *option.min_text : *option.max_text;
        const std::string allowed = option.min_text && option.max_text
                                        ? fmt::format("; allowed: {} to {}", *option.min_text, *option.max_text)
                                        : std::string();
        return usage_error(
            fmt::format("{} is {} than {}{}", in_quotes(trim(text)), below ? "less" : "more", limit, allowed));
    }
    return scalar;
}

Result<OptionValue> parse_value(const OptionSpec& option, std::string_view text) {
    OptionValue value;
    value.given = true;
    value.text = text;
    if (text.size() > kOptionTextBytesMax) {
        return usage_error(
            fmt::format("a value of {} bytes is too long: at most {}", text.size(), kOptionTextBytesMax));
    }
    std::string secret;
    if (option.has(ASSAY_OPTION_SECRET)) {
        Result<std::string> resolved = resolve_secret(text);
        if (!resolved) return resolved.status();
        secret = std::move(*resolved);
        text = secret;
    }
    if (option.is_list()) {
        Result<std::vector<Scalar>> items = parse_list(option, text);
        if (!items) return items.status();
        value.items = std::move(*items);
    } else {
        Result<Scalar> scalar = parse_scalar(option, text);
        if (!scalar) return scalar.status();
        value.items.push_back(std::move(*scalar));
    }
    return value;
}

std::string scalar_text(const OptionSpec& option, const Scalar& value) {
    switch (option.type) {
        case ASSAY_TYPE_BOOL:
            return value.integer != 0 ? "yes" : "no";
        case ASSAY_TYPE_INT:
            return fmt::format("{}", value.integer);
        case ASSAY_TYPE_FLOAT:
            return real_text(value.real);
        case ASSAY_TYPE_ENUM:
            return option.enum_names[static_cast<std::size_t>(value.integer)];
        case ASSAY_TYPE_SIZE:
            return size_text(static_cast<std::uint64_t>(value.integer));
        case ASSAY_TYPE_DURATION:
            return exact_duration_text(value.integer);
        case ASSAY_TYPE_RATE:
            return option.unit == "op/s" ? fmt::format("{}/s", value.integer)
                                         : size_text(static_cast<std::uint64_t>(value.integer)) + "/s";
        case ASSAY_TYPE_PERCENTAGE:
            return real_text(value.real) + "%";
        default:
            return value.text;
    }
}

std::string canonical_text(const OptionSpec& option, const OptionValue& value) {
    if (value.items.empty()) return {};
    if (option.has(ASSAY_OPTION_SECRET)) return "***";
    const bool weighted =
        std::any_of(value.items.begin(), value.items.end(), [](const Scalar& item) { return item.weight != 1; });
    std::vector<std::string> items;
    for (const Scalar& item : value.items) {
        items.push_back(scalar_text(option, item) +
                        (weighted ? fmt::format(":{}", real_text(item.weight)) : std::string()));
    }
    return join(items, ",");
}

} // namespace assay
