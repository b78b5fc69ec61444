// Label texts of series: "cpu=3,kind=NET_RX".
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace assay::host {

// Names come from the kernel, from mounts and from whoever names a thread: what would break the form (comma, equals,
// percent, control characters, bytes that are not ASCII) is written as %XX, so that different names stay different.
std::string escaped(std::string_view name);

// Values are escaped; an empty one leaves its label out.
std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs);

// "\040" in mount tables stands for a blank.
std::string without_octal_escapes(std::string_view text);

} // namespace assay::host
