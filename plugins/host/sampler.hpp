// The host sampler: all sources put together into one list and one reading.
//
// Every reading reads what changes fast and may cost at most a few hundred microseconds; the search for what is new
// (busy threads, devices, mounts, interrupts) runs after it, at most once in `discover_every`, and so rarely that it
// stays below 1 % of a CPU. One thread, the host's.
#pragma once

#include "assay/sdk/host.hpp"
#include "assay/sdk/sampler.hpp"
#include "plugins/host/source.hpp"
#include "plugins/host/sources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::host {

// In the order of the option's names, after "all".
enum class Group : std::uint32_t {
    cpu = 1,
    softirqs,
    interrupts,
    threads,
    disks,
    nics,
    tcp,
    ethtool,
    memory,
    pressure,
    cgroup,
    temperature,
    nvme,
    nfs,
    cifs,
    lustre
};

struct Settings {
    std::vector<Group> groups; // empty: all
    std::size_t threads = 10;
    std::int64_t discover_every_ns = 1'000'000'000;
    DeviceFilter devices;
    Roots roots;
};

class HostSampler {
public:
    explicit HostSampler(sdk::Host) {}
    explicit HostSampler(const Settings& settings) { set_up(settings); }

    sdk::Status configure(const sdk::Values& values);
    sdk::Status list(sdk::SeriesList& list);
    sdk::Status read(const sdk::Reading& reading);

private:
    // A source with its part of the list, and where that begins.
    struct Part {
        SourcePointer source;
        sdk::SeriesList list;
        std::size_t first_series = 0;
        std::size_t first_group = 0;
        bool rediscover = true;
        // Of a source that is asked rarely, what it said last.
        std::vector<assay_sample_value> values;
        std::vector<std::int64_t> group_ns;
        std::int64_t next_ns = 0;
    };

    void set_up(const Settings& settings);
    void read_part(Part& part, const sdk::Reading& reading, std::int64_t now_ns);
    void look_for_new();

    std::vector<Part> parts_;
    std::vector<sdk::SeriesList> replaced_; // still pointed at by the list that the host has
    Buffer buffer_;
    std::int64_t discover_every_ns_ = 0;
    std::int64_t next_look_ns_ = 0;
    bool changed_ = false;
};

} // namespace assay::host
