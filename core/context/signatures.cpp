#include "core/context/signatures.hpp"

#include "core/context/facts.hpp"

#include <blkid/blkid.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace assay::context {
namespace {

struct ProbeDeleter {
    void operator()(blkid_probe probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<blkid_struct_probe, ProbeDeleter>;

std::string value_of(blkid_probe probe, const char* name) {
    const char* data = nullptr;
    std::size_t length = 0;
    if (blkid_probe_lookup_value(probe, name, &data, &length) != 0 || data == nullptr) return {};
    constexpr std::size_t max_bytes = 128;
    return printable(std::string_view(data, ::strnlen(data, length)), max_bytes);
}

std::string with_article(const std::string& noun) {
    const bool vowel = !noun.empty() && std::strchr("aeiouAEIOUxXM", noun[0]) != nullptr; // "an xfs", "an MBR"
    return (vowel ? "an " : "a ") + noun;
}

// The result that the probe stands on, in words; empty if it is none of interest.
std::string describe(blkid_probe probe) {
    const std::string table = value_of(probe, "PTTYPE");
    if (!table.empty()) return "carries " + with_article(table == "dos" ? "MBR (dos)" : table) + " partition table";
    const std::string type = value_of(probe, "TYPE");
    if (type.empty()) return {};
    const std::string usage = value_of(probe, "USAGE");
    std::string text;
    if (usage == "filesystem")
        text = "carries " + with_article(type) + " file system";
    else if (usage == "raid")
        text = "is part of a RAID or volume group (" + type + ")";
    else if (usage == "crypto")
        text = "is encrypted (" + type + ")";
    else
        text = "carries " + with_article(type) + " signature"; // swap and the like
    const std::string label = value_of(probe, "LABEL");
    if (!label.empty()) text += " labelled \"" + label + "\"";
    return text;
}

} // namespace

Result<std::vector<std::string>> signatures_on(int fd, std::int64_t offset_bytes, std::int64_t size_bytes) {
    const Probe probe(blkid_new_probe());
    if (!probe) return run_error("libblkid has no memory for a probe");
    if (blkid_probe_set_device(probe.get(), fd, offset_bytes, size_bytes) != 0)
        return run_error("libblkid cannot read it: " + std::string(std::strerror(errno)));
    blkid_probe_enable_superblocks(probe.get(), 1);
    // One with a bad checksum may be what somebody wants to rescue.
    blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
                                                       BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe.get(), 1);
    blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);

    constexpr int max_signatures = 64;
    std::vector<std::string> found;
    for (int count = 0; count < max_signatures; ++count) {
        errno = 0;
        const int outcome = blkid_do_probe(probe.get()); // 0: one more, 1: no more
        if (outcome == 1) return found;
        if (outcome < 0) return run_error("libblkid cannot read it: " + std::string(std::strerror(errno)));
        const std::string text = describe(probe.get());
        if (!text.empty() && std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
    }
    return found;
}

} // namespace assay::context
