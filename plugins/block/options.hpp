// What can be said about a block workload: one record an option. Parsing, ranges, help and docs all come from here.
//
// Static data. The enumerators of Option are the indices into `options`, those of the others into their names.
#pragma once

#include "assay/sdk/option.hpp"

#include <cstddef>
#include <iterator>

namespace assay::block {

enum class Engine { psync, libaio, io_uring };
enum class Pattern { read, write, randread, randwrite, readwrite, randrw };
enum class RandomMap { once, free };
enum class Share { split, shared };
enum class SyncCallName { fsync, fdatasync };
enum class LayoutRule { automatic, always, never };

inline constexpr const char* engine_names[] = {"psync", "libaio", "io_uring"};
inline constexpr const char* engine_help[] = {
    "pread and pwrite: one request at a time for each worker, whatever the queue depth",
    "Linux AIO; asynchronous with direct I/O only: buffered requests finish inside the submission",
    "io_uring: batched, with registered buffers and files where the limits allow"};
inline constexpr const char* pattern_names[] = {"read", "write", "randread", "randwrite", "readwrite", "randrw"};
inline constexpr const char* pattern_help[] = {
    "ascending reads",
    "ascending writes",
    "random reads",
    "random writes",
    "ascending reads and writes, mixed by read_share; each direction keeps a position of its own",
    "random reads and writes, mixed by read_share"};
inline constexpr const char* random_map_names[] = {"once", "free"};
inline constexpr const char* random_map_help[] = {"every block exactly once a pass, in an order that changes each pass",
                                                  "every block equally likely every time; some come twice, some never"};
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
    option_queue_depth,
    option_offset,
    option_size,
    option_amount,
    option_random_map,
    option_share,
    option_seed,
    option_layout,
    option_unlink,
    option_sync_every,
    option_sync_call,
    option_sync_at_end,
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
    sdk::int_option("queue_depth",
                    "Requests that each worker keeps in flight. Inert with psync, and with libaio without direct.")
        .defaults("1")
        .range("1", "65536")
        .unit("requests")
        .group("Requests")
        .example("32"),
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
    sdk::enum_option("share", "How several workers divide the targets.", share_names)
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
    sdk::int_option("reap_batch",
                    "Completions to wait for once the queue is full. 0 adapts: as many as keep nine tenths of the "
                    "depth in flight. More costs less CPU a request, but leaves fewer in flight and blurs latency.")
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
