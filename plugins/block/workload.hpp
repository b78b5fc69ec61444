// The block workload: takes options, finds out about targets, and runs its phases. See sdk/workload.hpp for the calls
// and assay/abi/workload.h for their threads.
#pragma once

#include "assay/sdk/host.hpp"
#include "assay/sdk/job.hpp"
#include "assay/sdk/status.hpp"
#include "assay/sdk/worker.hpp"
#include "plugins/block/config.hpp"
#include "plugins/block/layout.hpp"
#include "plugins/block/loop.hpp"
#include "plugins/block/share.hpp"
#include "plugins/block/target.hpp"
#include "plugins/common/mapping.hpp"
#include "plugins/common/unique_fd.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::block {

class BlockWorkload {
public:
    explicit BlockWorkload(sdk::Host host) : host_(host) {}

    sdk::Status configure(const sdk::Job& job);
    [[nodiscard]] const std::vector<assay_phase>& phases() const { return phases_; }
    sdk::Status prepare();
    sdk::Status run(sdk::Worker worker, std::uint32_t phase);
    sdk::Status finish();

private:
    // What one worker works with. Touched by its own thread once prepare() is over.
    struct Seat {
        std::vector<WorkerPart> parts;
        std::vector<common::UniqueFd> fds; // by part
        std::vector<int> files;            // the same, plain
        std::vector<std::string> names;
        std::vector<char> devices; // by part: is it a block device
        std::vector<common::Part> extents;
        common::Mapping memory;
        std::unique_ptr<common::Request[]> requests;
        std::vector<common::Buffer> buffers; // one for each request, then the spare ones
        LoopReport report;
    };
    enum class PhaseRole { prepare, measure, unlink };

    sdk::Status check_zones(const std::vector<std::vector<WorkerPart>>& parts) const;
    void report_target(const Target& target) const;
    void declare_phases();
    sdk::Status probe_engine() const;
    sdk::Status create_missing();
    sdk::Status open_seat(Seat& seat) const;
    void raise_file_limit() const;
    void report_facts() const;
    void report_shape() const;
    sdk::Status ready(Seat& seat, const sdk::Worker& worker) const;
    sdk::Status measure(Seat& seat, const sdk::Worker& worker);
    sdk::Status sync_targets(const Seat& seat, const sdk::Worker& worker) const;
    sdk::Status unlink_targets() const;
    void report_engine(const LoopReport& report) const;

    sdk::Host host_;
    Config config_;
    std::vector<Target> targets_;
    std::vector<Seat> seats_; // by worker
    std::unique_ptr<Layout> layout_;
    std::vector<common::UniqueFd> guards_; // exclusive claims on devices that are written
    std::vector<assay_phase> phases_;
    std::vector<PhaseRole> roles_; // by phase
    std::uint64_t data_salt_ = 0;
};

} // namespace assay::block
