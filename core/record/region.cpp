#include "core/record/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t page_bytes = 4096;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

constexpr std::size_t histograms_offset = sizeof(assay_op_counters) + ASSAY_ERROR_SLOTS * sizeof(assay_error_slot);

// All operations of a lane lie one stride apart, so every one has room for the most histograms that any has.
std::uint32_t histograms_per_operation(const RecorderShape& shape) {
    std::size_t most = 0;
    for (const OperationShape& operation : shape.operations)
        most = std::max(most, operation.histograms.size());
    return static_cast<std::uint32_t>(most);
}

Status no_memory(std::size_t bytes, std::uint32_t workers, const char* what, int error) {
    const char* remedy = "";
    if (error == EMFILE) remedy = "; raise the limit on open files (ulimit -n)";
    if (error == ENFILE) remedy = "; raise the system's limit on open files (sysctl fs.file-max)";
    if (error == EFBIG) remedy = "; raise the limit on file sizes (ulimit -f), which counts for shared memory too";
    return run_error(fmt::format("cannot get {} bytes of shared memory for the recorders of {} workers: {}: {}{}",
                                 bytes, workers, what, std::strerror(error), remedy));
}

} // namespace

Result<Region::Layout> Region::lay_out(const RecorderShape& shape, std::uint32_t workers) {
    Layout layout;
    layout.op_stride = histograms_offset + histograms_per_operation(shape) * sizeof(assay_histogram);
    layout.metrics_offset = shape.operations.size() * layout.op_stride;
    layout.lane_stride =
        round_up(layout.metrics_offset + shape.metrics.size() * sizeof(std::uint64_t), cache_line_bytes);
    layout.worker_stride = round_up(shape.lanes_per_worker * layout.lane_stride, page_bytes);
    layout.lanes_offset = round_up(sizeof(assay_region) + workers * sizeof(assay_worker_block), page_bytes);
    layout.total = layout.lanes_offset + workers * layout.worker_stride;
    // A shared mapping is backed page by page when touched, where a shortage is a signal and not an error.
    const auto memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes;
    if (layout.total > memory_bytes / 2)
        return run_error(
            fmt::format("the recorders of {} workers with {} lanes each need {} bytes, more than half of "
                        "this machine's memory ({} bytes); use fewer workers",
                        workers, shape.lanes_per_worker, layout.total, memory_bytes));
    return layout;
}

Result<Region> Region::create(const RecorderShape& shape, std::uint32_t workers) {
    Result<Layout> layout = lay_out(shape, workers);
    if (!layout) return layout.status();
    Region region;
    region.shape_ = shape;
    region.layout_ = *layout;
    region.workers_ = workers;
    const std::size_t bytes = layout->total;
    region.memfd_ = Fd(memfd_create("assay-recorders", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!region.memfd_.valid()) return no_memory(bytes, workers, "memfd_create", errno);
    if (ftruncate(region.memfd_.get(), static_cast<off_t>(bytes)) != 0)
        return no_memory(bytes, workers, "ftruncate", errno);
    // Whoever maps it later cannot pull the pages away under the others.
    if (fcntl(region.memfd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return no_memory(bytes, workers, "sealing the memfd", errno);
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region.memfd_.get(), 0);
    if (base == MAP_FAILED) return no_memory(bytes, workers, "mmap", errno);
    region.base_ = static_cast<char*>(base);
    region.write_blocks();
    return region;
}

void Region::write_blocks() {
    auto& header = *reinterpret_cast<assay_region*>(base_);
    header.magic = ASSAY_REGION_MAGIC;
    header.struct_size = sizeof(assay_region);
    header.worker_count = workers_;
    header.region_bytes = layout_.total;
    header.workers_offset = sizeof(assay_region);
    header.worker_stride = sizeof(assay_worker_block);
    for (std::uint32_t worker = 0; worker < workers_; ++worker) {
        assay_worker_block& into = block(worker);
        into.struct_size = sizeof(assay_worker_block);
        into.lanes_offset = layout_.lanes_offset + worker * layout_.worker_stride;
        into.lane_stride = layout_.lane_stride;
        into.metrics_offset = layout_.metrics_offset;
        into.lane_count = shape_.lanes_per_worker;
        into.op_count = static_cast<std::uint32_t>(shape_.operations.size());
        into.op_stride = static_cast<std::uint32_t>(layout_.op_stride);
        into.histogram_count = histograms_per_operation(shape_);
        into.metric_count = static_cast<std::uint32_t>(shape_.metrics.size());
    }
}

Region::Region(Region&& other) noexcept
    : memfd_(std::move(other.memfd_)),
      base_(std::exchange(other.base_, nullptr)),
      layout_(other.layout_),
      workers_(std::exchange(other.workers_, 0)),
      shape_(std::move(other.shape_)) {}

Region& Region::operator=(Region&& other) noexcept {
    std::swap(memfd_, other.memfd_);
    std::swap(base_, other.base_);
    std::swap(layout_, other.layout_);
    std::swap(workers_, other.workers_);
    std::swap(shape_, other.shape_);
    return *this;
}

Region::~Region() {
    if (base_ != nullptr) munmap(base_, layout_.total);
}

assay_worker_block& Region::block(std::uint32_t worker) {
    return *reinterpret_cast<assay_worker_block*>(base_ + sizeof(assay_region) + worker * sizeof(assay_worker_block));
}

char* Region::lane(std::uint32_t worker, std::uint32_t lane) const {
    return base_ + layout_.lanes_offset + worker * layout_.worker_stride + lane * layout_.lane_stride;
}

void Region::touch(std::uint32_t worker) {
    std::memset(lane(worker, 0), 0, shape_.lanes_per_worker * layout_.lane_stride);
    const std::uint32_t histograms = histograms_per_operation(shape_);
    for (std::uint32_t at = 0; at < shape_.lanes_per_worker; ++at) {
        for (std::size_t op = 0; op < shape_.operations.size(); ++op) {
            char* counters = lane(worker, at) + op * layout_.op_stride;
            for (std::uint32_t index = 0; index < histograms; ++index)
                assay_op_histogram(counters, index)->min_ns = UINT64_MAX;
        }
    }
}

void Region::clear() {
    for (std::uint32_t worker = 0; worker < workers_; ++worker)
        touch(worker);
}

} // namespace assay
