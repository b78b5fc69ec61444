// What can be said about a block workload: one record an option. Parsing, ranges, help and docs all come from here.
//
// Static data. The enumerators of Option are the indices into `options`, those of the others into their names.
#pragma once

#include "assay/sdk/option.hpp"

#include <cstddef>
#include <iterator>

namespace assay::block {

enum class Engine { psync, libaio, io_uring };
enum class Pattern { read, write, randread, randwrite, readwrite, randrw, trim, randtrim };
enum class RandomMap { once, free };
enum class SyncWrites { none, dsync, sync };
enum class Share { split, shared };
enum class SyncCallName { fsync, fdatasync };
enum class LayoutRule { automatic, always, never };

inline constexpr const char* engine_names[] = {"psync", "libaio", "io_uring"};
inline constexpr const char* engine_help[] = {
    "pread and pwrite: one request at a time for each worker, whatever the queue depth",
    "Linux AIO; asynchronous with direct I/O only: buffered requests finish inside the submission",
    "io_uring: batched, with registered buffers and files where the limits allow"};
inline constexpr const char* pattern_names[] = {"read",      "write",  "randread", "randwrite",
                                                "readwrite", "randrw", "trim",     "randtrim"};
inline constexpr const char* pattern_help[] = {
    "ascending reads",
    "ascending writes",
    "random reads",
    "random writes",
    "ascending reads and writes, mixed by read_share; each direction keeps a position of its own",
    "random reads and writes, mixed by read_share",
    "ascending discards: blocks are given back to the device (BLKDISCARD), a file's to its file system (a punched "
    "hole); one at a time for each worker, whatever the engine. After the first pass there is nothing left to give "
    "back",
    "random discards"};
inline constexpr const char* random_map_names[] = {"once", "free"};
inline constexpr const char* random_map_help[] = {"every block exactly once a pass, in an order that changes each pass",
                                                  "every block equally likely every time; some come twice, some never"};
inline constexpr const char* distribution_names[] = {"uniform", "zipf", "pareto", "normal", "zoned"};
inline constexpr const char* distribution_help[] = {
    "all blocks equally likely",
    "the block of rank k in proportion to 1 / k^zipf_theta; ranks are scattered over the region",
    "self-similar: 1 - pareto_h of the requests go to pareto_h of the blocks, and again so within them; scattered",
    "a bell around the middle of the region, normal_deviation wide",
    "by zones: shares of the region with shares of the requests"};
inline constexpr const char* sync_writes_names[] = {"none", "dsync", "sync"};
inline constexpr const char* sync_writes_help[] = {
    "a write is done when the device or the page cache has it",
    "O_DSYNC: a write is done when its data, and what metadata is needed to read it, is on stable storage",
    "O_SYNC: the same with all metadata"};
inline constexpr const char* share_names[] = {"split", "shared"};
inline constexpr const char* share_help[] = {
    "targets are dealt over the workers; a target with several workers is cut into equal slices",
    "every worker runs over the whole region of every target"};
inline constexpr const char* sync_call_names[] = {"fsync", "fdatasync"};
inline constexpr const char* sync_call_help[] = {"data and all metadata",
                                                 "data, and what metadata is needed to read it"};
inline constexpr const char* layout_names[] = {"auto", "always", "never"};
inline constexpr const char* layout_help[] = {
    "create a missing file and extend a short one; patterns that read get real data first, others reserved space",
    "write the whole region first; also on a block device, whose data is lost",
    "write nothing first; a missing or short file is an error"};
inline constexpr const char* preference_names[] = {"auto", "yes", "no"};
inline constexpr const char* preference_help[] = {"where the limits allow; the result says whether",
                                                  "fail if it cannot be had", "do without"};
inline constexpr const char* poll_names[] = {"none", "iopoll", "sqpoll"};
inline constexpr const char* poll_help[] = {
    "interrupts signal completions",
    "the kernel polls the device for completions; needs direct and a device with polled queues",
    "a kernel thread polls for submissions; it occupies a CPU"};

enum Option : std::size_t {
    option_engine,
    option_direct,
    option_pattern,
    option_read_share,
    option_block_size,
    option_block_size_mix,
    option_queue_depth,
    option_think_time,
    option_think_every,
    option_offset,
    option_size,
    option_amount,
    option_random_map,
    option_distribution,
    option_zipf_theta,
    option_pareto_h,
    option_normal_deviation,
    option_zones,
    option_share,
    option_seed,
    option_layout,
    option_compressible,
    option_dedupe,
    option_unlink,
    option_sync_every,
    option_sync_call,
    option_sync_at_end,
    option_sync_writes,
    option_reap_batch,
    option_registered_buffers,
    option_registered_files,
    option_poll,
    option_count
};

inline constexpr assay_option options[] = {
    sdk::enum_option("engine", "How requests reach the kernel.", engine_names)
        .explain(engine_help)
        .defaults("io_uring")
        .group("Requests")
        .example("libaio"),
    sdk::bool_option("direct",
                     "Bypass the page cache (O_DIRECT). Without it, reads may come from memory and writes end there.")
        .defaults("yes")
        .group("Requests")
        .example("no"),
    sdk::enum_option("pattern", "Order and direction of the requests.", pattern_names)
        .explain(pattern_help)
        .defaults("randread")
        .group("Requests")
        .example("randrw"),
    sdk::percentage_option("read_share",
                           "Share of reads in a mix (readwrite, randrw), drawn for each request by the seed.")
        .defaults("50%")
        .range("0%", "100%")
        .group("Requests")
        .example("70%"),
    sdk::size_option("block_size",
                     "Bytes of one request. With direct it must be a multiple of what the target can address.")
        .defaults("4KiB")
        .range("512B", "1GiB")
        .group("Requests")
        .example("64KiB"),
    sdk::size_option("block_size_mix",
                     "Sizes of requests with weights, drawn for each request, instead of block_size. All are multiples "
                     "of the smallest, to which offsets are aligned.")
        .range("512B", "1GiB")
        .group("Requests")
        .flag(ASSAY_OPTION_WEIGHTED)
        .example("4KiB:60,64KiB:40"),
    sdk::int_option("queue_depth",
                    "Requests that each worker keeps in flight; with a rate, the most of them. Inert with psync, with "
                    "libaio without direct, and for "
                    "trims.")
        .defaults("1")
        .range("1", "65536")
        .unit("requests")
        .group("Requests")
        .example("32"),
    sdk::duration_option("think_time",
                         "Pause after every think_every completed requests of a worker, in which it starts none. "
                         "Others in flight go on; pauses that fall together add up.")
        .defaults("0s")
        .range("0s", "1h")
        .group("Requests")
        .example("1ms"),
    sdk::int_option("think_every", "Completed requests of a worker from one think_time to the next.")
        .defaults("1")
        .range("1", "1000000000")
        .unit("requests")
        .group("Requests")
        .example("16"),
    sdk::size_option("offset", "Where the region begins in each target.")
        .defaults("0B")
        .range("0B", "1EiB")
        .group("Region")
        .flag(ASSAY_OPTION_NEEDS_SETUP)
        .example("1GiB"),
    sdk::size_option("size",
                     "Length of the region in each target; a last part smaller than block_size is left out. Not given: "
                     "to the end of the existing target. Needed where a file is to be created.")
        .range("512B", "1EiB")
        .group("Region")
        .flag(ASSAY_OPTION_NEEDS_SETUP)
        .example("10GiB"),
    sdk::size_option("amount",
                     "Bytes that each worker moves, rounded up to whole requests; then it stops. Not given: one pass "
                     "over its region, or passes until the time is over if the job has a measuring time.")
        .range("1B", "1EiB")
        .group("Region")
        .example("1GiB"),
    sdk::enum_option("random_map", "How a random pattern picks blocks.", random_map_names)
        .explain(random_map_help)
        .defaults("once")
        .group("Region")
        .example("free"),
    sdk::enum_option("distribution",
                     "How often a random pattern visits each block. Any but uniform implies random_map free. It holds "
                     "for each worker's own part: with several workers and share split, each slice has popular blocks, "
                     "a bell or zones of its own; share shared draws over the whole region.",
                     distribution_names)
        .explain(distribution_help)
        .defaults("uniform")
        .group("Region")
        .example("zipf"),
    sdk::float_option("zipf_theta", "Exponent of distribution zipf: larger means fewer popular blocks.")
        .defaults("1.2")
        .range("0.01", "10")
        .group("Region")
        .example("0.9"),
    sdk::float_option("pareto_h",
                      "Share rule of distribution pareto: 0.2 means 80% of the requests to 20% of the blocks.")
        .defaults("0.2")
        .range("0.001", "0.5")
        .group("Region")
        .example("0.1"),
    sdk::percentage_option("normal_deviation",
                           "Standard deviation of distribution normal, as a share of the region. What falls outside "
                           "is drawn again.")
        .defaults("10%")
        .range("0.01%", "100%")
        .group("Region")
        .example("5%"),
    sdk::percentage_option("zones",
                           "Zones of distribution zoned from the region's start on: size, and share of the requests as "
                           "a weight. 10%:60,20%:30,70%:10 sends 60% of the requests to the first 10%. Sizes add up to "
                           "100%.")
        .range("0.01%", "100%")
        .group("Region")
        .flag(ASSAY_OPTION_WEIGHTED)
        .example("10%:60,20%:30,70%:10"),
    sdk::enum_option("share",
                     "How several workers divide the targets. A distribution (normal, zoned and the others) applies to "
                     "what each worker has.",
                     share_names)
        .explain(share_help)
        .defaults("split")
        .group("Region")
        .example("shared"),
    sdk::int_option("seed",
                    "Seed of the offsets and of the mix; workers derive different ones. The same seed gives the same "
                    "requests again.")
        .defaults("1")
        .range("0", "9223372036854775807")
        .group("Region")
        .example("42"),
    sdk::enum_option("layout", "What is written into the targets before anything is measured.", layout_names)
        .explain(layout_help)
        .defaults("auto")
        .group("Data")
        .flag(ASSAY_OPTION_NEEDS_SETUP | ASSAY_OPTION_DESTRUCTIVE)
        .example("never"),
    sdk::percentage_option("compressible",
                           "Share of each 4 KiB written that a compressor removes, as zeros at its end; the rest is "
                           "random. Also of what is laid out. Making such data costs up to 1 us of CPU for each 4 KiB.")
        .defaults("0%")
        .range("0%", "100%")
        .group("Data")
        .flag(ASSAY_OPTION_NEEDS_SETUP)
        .example("50%"),
    sdk::percentage_option("dedupe",
                           "Share of the 4 KiB blocks written that are copies of one that the worker wrote before. "
                           "Also of what is laid out.")
        .defaults("0%")
        .range("0%", "100%")
        .group("Data")
        .flag(ASSAY_OPTION_NEEDS_SETUP)
        .example("30%"),
    sdk::bool_option("unlink", "Remove the target files at the end. Only regular files, only those named as targets.")
        .defaults("no")
        .group("Data")
        .flag(ASSAY_OPTION_DESTRUCTIVE)
        .example("yes"),
    sdk::int_option("sync_every",
                    "Writes to a target between two sync calls on it; 0: none. At queue depths above 1 the call is "
                    "queued among the writes and covers those completed before it.")
        .defaults("0")
        .range("0", "1000000000")
        .unit("writes")
        .group("Durability")
        .example("1"),
    sdk::enum_option("sync_call", "The call that makes writes durable.", sync_call_names)
        .explain(sync_call_help)
        .defaults("fsync")
        .group("Durability")
        .example("fdatasync"),
    sdk::bool_option("sync_at_end", "Each worker syncs its targets once after its last write.")
        .defaults("no")
        .group("Durability")
        .example("yes"),
    sdk::enum_option("sync_writes", "Whether each write waits until it is durable, by how the target is opened.",
                     sync_writes_names)
        .explain(sync_writes_help)
        .defaults("none")
        .group("Durability")
        .example("dsync"),
    sdk::int_option(
        "reap_batch",
        "Completions to wait for once the queue is full. 0 adapts: as many as keep nine tenths of the "
        "depth in flight, and one with a rate or think_time. More costs less CPU a request, but leaves fewer in "
        "flight and blurs latency.")
        .defaults("0")
        .range("0", "65536")
        .unit("requests")
        .group("Tuning")
        .example("16"),
    sdk::enum_option("registered_buffers", "io_uring: pin the buffers once instead of for each request.",
                     preference_names)
        .explain(preference_help)
        .defaults("auto")
        .group("Tuning")
        .example("no"),
    sdk::enum_option("registered_files", "io_uring: look the files up once instead of for each request.",
                     preference_names)
        .explain(preference_help)
        .defaults("auto")
        .group("Tuning")
        .example("no"),
    sdk::enum_option("poll", "io_uring: poll instead of waiting for interrupts or calls.", poll_names)
        .explain(poll_help)
        .defaults("none")
        .group("Tuning")
        .example("iopoll"),
};
static_assert(std::size(options) == option_count);

} // namespace assay::block
