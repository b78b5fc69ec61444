// /proc/meminfo and /proc/vmstat: where memory is, and what paging and reclaim did.
#include "plugins/host/sources.hpp"
#include "plugins/host/tables.hpp"

namespace assay::host {
namespace {

using sdk::counter;
using sdk::gauge;

constexpr double kib = 1024;

constexpr KeyedSeries in_meminfo[] = {
    {"MemTotal", gauge("memory.total", "B", "Memory the kernel manages.", kib)},
    {"MemFree", gauge("memory.free", "B", "Memory nobody uses.", kib)},
    {"MemAvailable", gauge("memory.available", "B", "Memory that could be had without swapping.", kib)},
    {"Buffers", gauge("memory.buffers", "B", "Page cache of block devices.", kib)},
    {"Cached", gauge("memory.cached", "B", "Page cache of files.", kib)},
    {"SwapCached", gauge("memory.swap_cached", "B", "Pages in memory that are also in swap.", kib)},
    {"Active(file)", gauge("memory.active_file", "B", "Page cache used lately.", kib)},
    {"Inactive(file)", gauge("memory.inactive_file", "B", "Page cache that goes first.", kib)},
    {"Dirty", gauge("memory.dirty", "B", "Page cache that waits to be written.", kib)},
    {"Writeback", gauge("memory.writeback", "B", "Page cache being written.", kib)},
    {"AnonPages", gauge("memory.anonymous", "B", "Memory of programs.", kib)},
    {"Mapped", gauge("memory.mapped", "B", "Files mapped by programs.", kib)},
    {"Shmem", gauge("memory.shared", "B", "Shared memory and tmpfs.", kib)},
    {"Slab", gauge("memory.slab", "B", "The kernel's own objects.", kib)},
    {"SReclaimable", gauge("memory.slab_reclaimable", "B", "Kernel objects that can be dropped.", kib)},
    {"Unevictable", gauge("memory.unevictable", "B", "Memory that must stay.", kib)},
    {"SwapTotal", gauge("memory.swap_total", "B", "Swap space.", kib)},
    {"SwapFree", gauge("memory.swap_free", "B", "Swap space nobody uses.", kib)},
    {"HugePages_Free", gauge("memory.huge_pages_free", "pages", "Reserved huge pages nobody uses.")},
    {"HugePages_Total", gauge("memory.huge_pages", "pages", "Reserved huge pages.")},
};

constexpr KeyedSeries in_vmstat[] = {
    {"pgpgin", counter("paging.in", "B", "Read from block devices, the page cache and direct I/O alike.", kib)},
    {"pgpgout", counter("paging.out", "B", "Written to block devices.", kib)},
    {"pswpin", counter("paging.swapped_in", "pages", "Pages read from swap.")},
    {"pswpout", counter("paging.swapped_out", "pages", "Pages written to swap.")},
    {"pgfault", counter("paging.faults", "faults", "Page faults.")},
    {"pgmajfault", counter("paging.faults_major", "faults", "Page faults that needed I/O.")},
    {"nr_dirtied", counter("paging.dirtied", "pages", "Pages made dirty.")},
    {"nr_written", counter("paging.written", "pages", "Dirty pages written back.")},
    {"pgscan_kswapd", counter("paging.scanned_background", "pages", "Pages looked at by background reclaim.")},
    {"pgscan_direct", counter("paging.scanned_direct", "pages", "Pages looked at by programs short of memory.")},
    {"pgsteal_kswapd", counter("paging.reclaimed_background", "pages", "Pages freed by background reclaim.")},
    {"pgsteal_direct", counter("paging.reclaimed_direct", "pages", "Pages freed by programs short of memory.")},
    {"allocstall_normal", counter("paging.stalls", "stalls", "Allocations that had to reclaim first.")},
    {"allocstall_movable", counter("paging.stalls_movable", "stalls", "The same, for movable memory.")},
    {"workingset_refault_file",
     counter("paging.refaults", "pages", "Page cache read again soon after it was dropped.")},
    {"compact_stall", counter("paging.compaction_stalls", "stalls", "Allocations that had to compact memory first.")},
    {"thp_fault_alloc", counter("paging.huge_faults", "faults", "Faults that got a huge page.")},
    {"thp_fault_fallback", counter("paging.huge_fallbacks", "faults", "Faults that should have and did not.")},
    {"numa_hit", counter("paging.numa_hit", "pages", "Pages allocated on the wanted node.")},
    {"numa_miss", counter("paging.numa_miss", "pages", "Pages allocated elsewhere than wanted.")},
    {"numa_local", counter("paging.numa_local", "pages", "Pages allocated on the node of the program.")},
    {"numa_other", counter("paging.numa_other", "pages", "Pages allocated on another node than the program's.")},
    {"drop_pagecache", counter("paging.cache_drops", "times", "Times somebody dropped the page cache.")},
    {"oom_kill", counter("paging.oom_kills", "processes", "Programs killed for want of memory.")},
};

class KeyedSource final : public Source {
public:
    KeyedSource(std::string path, std::span<const KeyedSeries> wanted) : file_(std::move(path)), wanted_(wanted) {}

    void discover(sdk::SeriesList& list, Buffer& buffer) override {
        const auto text = file_.read(buffer);
        if (!text) return;
        table_.discover(*text, wanted_, list, list.add_group(), "");
    }
    void read(const sdk::Reading& reading, Buffer& buffer) override {
        if (const auto text = file_.read(buffer, reading, 0)) table_.read(*text, reading);
    }
    // The kernel fixes these keys when it boots.
    bool stale(Buffer&) override { return false; }

private:
    KernelFile file_;
    std::span<const KeyedSeries> wanted_;
    KeyedTable table_;
};

} // namespace

SourcePointer make_memory_source(const Roots& roots) {
    return std::make_unique<KeyedSource>(roots.proc + "/meminfo", in_meminfo);
}
SourcePointer make_paging_source(const Roots& roots) {
    return std::make_unique<KeyedSource>(roots.proc + "/vmstat", in_vmstat);
}

} // namespace assay::host
