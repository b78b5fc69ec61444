// Driver statistics through the SIOCETHTOOL ioctl, in the network namespace of this process. Any user may read them.
#include "plugins/common/unique_fd.hpp"
#include "plugins/host/sources.hpp"

#include <cstring>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace assay::host {
namespace {

constexpr std::uint32_t statistics_max = 16384; // an interface

class EthtoolStatistics final : public DriverStatistics {
public:
    EthtoolStatistics() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

    std::vector<std::string> names(const std::string& interface) override {
        std::vector<std::string> names;
        const std::uint32_t count = count_of(interface);
        if (count == 0 || count > statistics_max) return names;
        // The kernel writes as many as there are, whatever is asked for: room for more in case some were just added.
        std::vector<std::uint64_t> room(1 + (std::size_t{count} * 2 + slack) * ETH_GSTRING_LEN / 8);
        auto* strings = reinterpret_cast<ethtool_gstrings*>(room.data());
        strings->cmd = ETHTOOL_GSTRINGS;
        strings->string_set = ETH_SS_STATS;
        strings->len = count;
        if (!call(interface, strings) || strings->len != count) return names;
        for (std::uint32_t i = 0; i < count; ++i) {
            const char* text = reinterpret_cast<const char*>(strings->data) + std::size_t{i} * ETH_GSTRING_LEN;
            names.emplace_back(text, ::strnlen(text, ETH_GSTRING_LEN));
        }
        return names;
    }

    bool values(const std::string& interface, std::span<std::uint64_t> values) override {
        if (values.empty() || values.size() > statistics_max || count_of(interface) != values.size()) return false;
        room_.resize(std::max(room_.size(), 1 + values.size() * 2 + slack)); // as above
        auto* stats = reinterpret_cast<ethtool_stats*>(room_.data());
        stats->cmd = ETHTOOL_GSTATS;
        stats->n_stats = static_cast<std::uint32_t>(values.size());
        if (!call(interface, stats) || stats->n_stats != values.size()) return false;
        std::memcpy(values.data(), stats->data, values.size_bytes());
        return true;
    }

private:
    static constexpr std::size_t slack = 4096;

    std::uint32_t count_of(const std::string& interface) {
        alignas(8) unsigned char room[sizeof(ethtool_sset_info) + sizeof(std::uint32_t)]{};
        auto* info = reinterpret_cast<ethtool_sset_info*>(room);
        info->cmd = ETHTOOL_GSSET_INFO;
        info->sset_mask = 1ull << ETH_SS_STATS;
        if (!call(interface, info) || info->sset_mask == 0) return 0;
        return info->data[0];
    }
    bool call(const std::string& interface, void* command) const {
        ifreq request{};
        if (!socket_.valid() || interface.size() >= sizeof request.ifr_name) return false;
        std::memcpy(request.ifr_name, interface.data(), interface.size());
        request.ifr_data = static_cast<char*>(command);
        return ::ioctl(socket_.get(), SIOCETHTOOL, &request) == 0;
    }

    common::UniqueFd socket_;
    std::vector<std::uint64_t> room_;
};

} // namespace

std::unique_ptr<DriverStatistics> make_ethtool_statistics() { return std::make_unique<EthtoolStatistics>(); }

} // namespace assay::host
