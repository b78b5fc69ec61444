// Writes what a run needs to find: real data (incompressible, unless shaped data is asked for) where a region will be
// read, reserved space where it will only be written. Nothing half-done stays: a file that this created is removed
// again, one it extended is cut back.
//
// Data is dealt in chunks to whoever asks next, so a file grows from front to back and never claims a length it has not
// got; even after a kill, a later run finds a short file and goes on. open() and abandon() on the control thread, run()
// on every worker's thread at once.
#pragma once

#include "assay/sdk/host.hpp"
#include "assay/sdk/status.hpp"
#include "assay/sdk/worker.hpp"
#include "plugins/block/target.hpp"
#include "plugins/common/shaped_data.hpp"
#include "plugins/common/unique_fd.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace assay::block {

class Layout {
public:
    // `data`: what is laid out is as compressible, and repeats as much, as what is written later.
    Layout(std::vector<Target>& targets, std::uint32_t workers, const common::DataShape& data = {});
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    ~Layout() { abandon(); }

    // Bytes of data that run() will write, over all targets.
    [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }
    [[nodiscard]] std::uint64_t written_bytes() const { return done_bytes_.load(); }
    // Opens what will be written and sets its space aside, so that a full disk is found now.
    sdk::Status open();
    // One worker's share; the last one to leave syncs, or cleans up after a failure or a stop.
    sdk::Status run(const sdk::Worker& worker, const sdk::Host& host);
    // Takes back what is not complete. Idempotent.
    void abandon();

private:
    struct Task {
        Target* target = nullptr;
        common::UniqueFd plain;
        common::UniqueFd direct; // invalid where the file system refuses
        std::uint64_t unit_bytes = 4096;
        std::atomic<std::uint64_t> next_chunk{0};
    };
    sdk::Status write_chunks(Task& task, const sdk::Worker& worker, const sdk::Host& host);
    sdk::Status write_range(const Task& task, std::span<const std::byte> data, std::uint64_t offset);
    sdk::Status write_failed(const Task& task, int error) const;
    sdk::Status reserve(Target& target);
    sdk::Status finish(const sdk::Host& host);
    void report(const sdk::Host& host, std::uint64_t added_bytes);

    std::vector<Target>& targets_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::uint64_t total_bytes_ = 0;
    common::DataShape data_;
    std::uint64_t salt_;
    std::atomic<std::uint64_t> done_bytes_{0};
    std::atomic<std::uint64_t> reported_at_ns_{0};
    std::atomic<std::uint32_t> running_;
    std::atomic<bool> broken_{false};
};

} // namespace assay::block
