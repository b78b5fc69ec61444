// The shared memory, written through the ABI's inline functions as a plugin writes it.
#include "core/record/region.hpp"

#include "assay/sdk/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

RecorderShape two_operations(std::uint32_t lanes = 1) {
    return {{{"read", ASSAY_OP_READ, {"latency", "submit"}}, {"write", ASSAY_OP_WRITE, {"latency"}}},
            {{"in_flight_ns", "ns", ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME},
             {"window_bytes", "B", ASSAY_METRIC_GAUGE, ASSAY_ROLE_NONE}},
            lanes};
}

Region region_of(const RecorderShape& shape, std::uint32_t workers) {
    Result<Region> region = Region::create(shape, workers);
    EXPECT_TRUE(region.ok()) << region.status().message();
    for (std::uint32_t worker = 0; worker < workers; ++worker)
        region->touch(worker);
    return std::move(*region);
}

assay_worker handle(Region& region, std::uint32_t worker) {
    return {sizeof(assay_worker), -1, &region.block(worker), region.base(), nullptr, nullptr};
}

TEST(region, a_counter_written_through_the_abi_is_read_back_in_the_right_place) {
    Region region = region_of(two_operations(3), 2);
    std::uint64_t expected_reads = 0;
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
        assay_worker raw = handle(region, worker);
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            sdk::Recorder recorder = sdk::Worker(&raw).recorder(0, lane);
            for (std::uint32_t times = 0; times <= worker * 3 + lane; ++times)
                recorder.complete(1'000, 4096);
            recorder.add(1, 70);
            recorder.publish();
            expected_reads += worker * 3 + lane + 1;
            assay_counter_add(assay_worker_metric(&raw, lane, 0), 100);
            assay_counter_add(assay_worker_metric(&raw, lane, 1), 7);
        }
    }
    const Snapshot snapshot = region.snapshot();
    EXPECT_EQ(snapshot.operations[0].operations, expected_reads);
    EXPECT_EQ(snapshot.operations[0].bytes, expected_reads * 4096);
    EXPECT_EQ(snapshot.operations[0].histograms[0].count(), expected_reads);
    EXPECT_EQ(snapshot.operations[0].histograms[0].sum_ns(), expected_reads * 1'000);
    EXPECT_EQ(snapshot.operations[0].histograms[1].count(), 6U);
    EXPECT_EQ(snapshot.operations[1].operations, 0U);
    EXPECT_EQ(snapshot.operations[1].histograms.size(), 1U);
    EXPECT_EQ(snapshot.worker_operations[0], 1U + 2U + 3U);
    EXPECT_EQ(snapshot.worker_operations[1], 4U + 5U + 6U);
    EXPECT_EQ(snapshot.worker_bytes[1], 15U * 4096U);
    EXPECT_EQ(snapshot.worker_metrics[1][0], 300U);
    EXPECT_EQ(snapshot.worker_metrics[1][1], 21U);
}

TEST(region, lanes_of_different_workers_share_no_page_and_lanes_no_cache_line) {
    Region region = region_of(two_operations(2), 3);
    std::set<std::uint64_t> pages;
    for (std::uint32_t worker = 0; worker < 3; ++worker) {
        const assay_worker_block& block = region.block(worker);
        EXPECT_EQ(block.lanes_offset % 4096, 0U);
        EXPECT_EQ(block.lane_stride % 64, 0U);
        EXPECT_EQ(block.op_stride % 64, 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&block) % 64, 0U);
        const std::uint64_t end = block.lanes_offset + block.lane_count * block.lane_stride;
        for (std::uint64_t page = block.lanes_offset / 4096; page <= (end - 1) / 4096; ++page)
            EXPECT_TRUE(pages.insert(page).second) << "page " << page << " is shared with worker " << worker;
    }
}

TEST(region, the_layout_can_be_followed_by_another_process_from_the_memfd_alone) {
    Region region = region_of(two_operations(), 2);
    struct stat about {};
    ASSERT_EQ(fstat(region.memfd(), &about), 0);
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region.memfd(), 0);
    ASSERT_NE(mapped, MAP_FAILED);
    char* base = static_cast<char*>(mapped);
    const auto* header = reinterpret_cast<const assay_region*>(base);
    EXPECT_EQ(header->magic, ASSAY_REGION_MAGIC);
    EXPECT_EQ(header->region_bytes, bytes);
    ASSERT_EQ(header->worker_count, 2U);
    auto* block = reinterpret_cast<assay_worker_block*>(base + header->workers_offset + header->worker_stride);
    assay_worker elsewhere{sizeof(assay_worker), -1, block, base, nullptr, nullptr};
    sdk::Recorder recorder = sdk::Worker(&elsewhere).recorder(1);
    recorder.complete(250, 512);
    recorder.publish();
    munmap(mapped, bytes);
    EXPECT_EQ(region.snapshot().operations[1].bytes, 512U);
    EXPECT_EQ(region.snapshot().worker_operations[1], 1U);
    EXPECT_EQ(region.snapshot().worker_operations[0], 0U);
}

TEST(region, the_memfd_can_neither_shrink_nor_grow_nor_be_unsealed) {
    Region region = region_of(two_operations(), 1);
    struct stat about {};
    ASSERT_EQ(fstat(region.memfd(), &about), 0);
    EXPECT_NE(ftruncate(region.memfd(), 0), 0);
    EXPECT_NE(ftruncate(region.memfd(), about.st_size + 4096), 0);
    EXPECT_NE(fcntl(region.memfd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(region, clearing_forgets_everything_but_the_layout) {
    Region region = region_of(two_operations(), 1);
    assay_worker raw = handle(region, 0);
    {
        sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
        recorder.complete(5, 1);
        recorder.error(ASSAY_ERROR_DOMAIN_ERRNO, 5);
        recorder.publish();
    }
    region.clear();
    Snapshot snapshot = region.snapshot();
    EXPECT_EQ(snapshot.operations[0].operations, 0U);
    EXPECT_EQ(snapshot.operations[0].errors, 0U);
    EXPECT_TRUE(snapshot.operations[0].error_counts.empty());
    sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
    recorder.complete(9'000, 1);
    recorder.publish();
    snapshot = region.snapshot();
    EXPECT_EQ(snapshot.operations[0].histograms[0].min_ns(), 9'000U);
    EXPECT_EQ(snapshot.operations[0].histograms[0].max_ns(), 9'000U);
}

TEST(region, a_moved_region_keeps_its_memory) {
    Region first = region_of(two_operations(), 1);
    Region second = std::move(first);
    assay_worker raw = handle(second, 0);
    sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
    recorder.complete(5, 1);
    recorder.publish();
    first = region_of(two_operations(), 2);
    EXPECT_EQ(second.snapshot().operations[0].operations, 1U);
    EXPECT_EQ(first.workers(), 2U);
}

TEST(region, more_memory_than_the_machine_can_give_is_refused_naming_the_bytes) {
    const RecorderShape shape = two_operations(1024);
    const Result<Region> region = Region::create(shape, 1'000'000);
    ASSERT_FALSE(region.ok());
    EXPECT_NE(region.status().message().find("1000000 workers"), std::string::npos) << region.status().message();
    EXPECT_NE(region.status().message().find("bytes"), std::string::npos) << region.status().message();
}

TEST(snapshot, the_difference_of_two_cuts_out_what_came_before) {
    const RecorderShape shape = two_operations();
    Region region = region_of(shape, 1);
    assay_worker raw = handle(region, 0);
    sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
    std::uint64_t* gauge = assay_worker_metric(&raw, 0, 1);
    for (int times = 0; times < 10; ++times)
        recorder.complete(1'000'000, 100);
    recorder.error(ASSAY_ERROR_DOMAIN_ERRNO, 5);
    recorder.publish();
    assay_counter_add(assay_worker_metric(&raw, 0, 0), 1'000);
    *gauge = 900;
    const Snapshot warm = region.snapshot();
    for (int times = 0; times < 4; ++times)
        recorder.complete(2'000, 100);
    recorder.error(ASSAY_ERROR_DOMAIN_ERRNO, 5);
    recorder.error(ASSAY_ERROR_DOMAIN_ERRNO, 28);
    recorder.publish();
    assay_counter_add(assay_worker_metric(&raw, 0, 0), 234);
    *gauge = 300;
    const Snapshot end = region.snapshot();
    const Snapshot between = difference(end, warm, shape);
    EXPECT_EQ(between.at_ns, end.at_ns - warm.at_ns);
    EXPECT_EQ(between.operations[0].operations, 4U);
    EXPECT_EQ(between.operations[0].bytes, 400U);
    EXPECT_EQ(between.operations[0].errors, 2U);
    ASSERT_EQ(between.operations[0].error_counts.size(), 2U);
    EXPECT_EQ(between.operations[0].error_counts[0].code, 5U);
    EXPECT_EQ(between.operations[0].error_counts[0].count, 1U);
    EXPECT_EQ(between.operations[0].error_counts[1].code, 28U);
    EXPECT_EQ(between.operations[0].histograms[0].count(), 4U);
    EXPECT_EQ(between.operations[0].histograms[0].sum_ns(), 8'000U);
    EXPECT_EQ(between.worker_metrics[0][0], 234U);
    EXPECT_EQ(between.worker_metrics[0][1], 300U) << "a gauge is its last value";
    EXPECT_EQ(between.worker_operations[0], 4U);
}

TEST(snapshot, the_shares_of_the_workers_are_told_apart_where_asked_for) {
    const RecorderShape shape = two_operations(2);
    Region region = region_of(shape, 2);
    const Snapshot start = region.snapshot(Region::Shares::each_worker);
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
        assay_worker raw = handle(region, worker);
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            sdk::Recorder recorder = sdk::Worker(&raw).recorder(0, lane);
            for (std::uint32_t times = 0; times <= worker; ++times) // 2 operations of worker 0, 4 of worker 1
                recorder.complete(10 * (worker + 1), 100);
            if (worker == 1) recorder.error(ASSAY_ERROR_DOMAIN_ERRNO, 5);
            recorder.publish();
        }
    }
    const Snapshot end = region.snapshot(Region::Shares::each_worker);
    const Snapshot between = difference(end, start, shape);
    ASSERT_EQ(between.worker_shares.size(), 2U);
    const OperationSnapshot& first = between.worker_shares[0][0];
    const OperationSnapshot& second = between.worker_shares[1][0];
    EXPECT_EQ(first.operations, 2U);
    EXPECT_EQ(first.bytes, 200U);
    EXPECT_EQ(first.errors, 0U);
    EXPECT_EQ(first.histograms[0].sum_ns(), 20U);
    EXPECT_EQ(first.histograms[0].max_ns(), 10U);
    EXPECT_EQ(second.operations, 4U);
    EXPECT_EQ(second.errors, 2U);
    ASSERT_EQ(second.error_counts.size(), 1U);
    EXPECT_EQ(second.error_counts[0].count, 2U);
    EXPECT_EQ(second.histograms[0].sum_ns(), 80U);
    EXPECT_EQ(second.histograms[0].min_ns(), 20U);
    EXPECT_EQ(between.operations[0].operations, 6U);
    EXPECT_EQ(between.operations[0].histograms[0].sum_ns(), 100U);
    EXPECT_EQ(between.worker_operations[1], 4U);

    EXPECT_TRUE(region.snapshot().worker_shares.empty());
    EXPECT_TRUE(difference(region.snapshot(), start, shape).worker_shares.empty());
}

TEST(snapshot, errors_past_the_slots_of_a_lane_are_summed_as_other) {
    Region region = region_of(two_operations(), 2);
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
        assay_worker raw = handle(region, worker);
        for (std::uint32_t code = 1; code <= 10; ++code)
            assay_op_error(assay_worker_op(&raw, 0, 0), ASSAY_ERROR_DOMAIN_ERRNO, code);
    }
    const OperationSnapshot operation = region.snapshot().operations[0];
    EXPECT_EQ(operation.errors, 20U);
    ASSERT_EQ(operation.error_counts.size(), 8U);
    for (std::uint32_t at = 0; at < 7; ++at) {
        EXPECT_EQ(operation.error_counts[at].code, at + 1);
        EXPECT_EQ(operation.error_counts[at].count, 2U);
    }
    EXPECT_EQ(operation.error_counts[7].domain, ASSAY_ERROR_DOMAIN_OTHER);
    EXPECT_EQ(operation.error_counts[7].count, 6U);
}

TEST(snapshot, taken_while_a_worker_writes_it_never_goes_backwards) {
    Region region = region_of(two_operations(), 1);
    std::atomic<bool> over = false;
    std::thread writer([&] {
        assay_worker raw = handle(region, 0);
        sdk::Recorder recorder = sdk::Worker(&raw).recorder(0);
        for (std::uint64_t value = 1; !over.load(std::memory_order_relaxed); ++value) {
            recorder.complete(value % 5'000'000, 512);
            if (value % 64 == 0) recorder.publish();
        }
        recorder.publish();
    });
    std::uint64_t operations = 0;
    std::uint64_t values = 0;
    while (operations < 200'000) {
        const Snapshot snapshot = region.snapshot();
        EXPECT_GE(snapshot.operations[0].operations, operations);
        EXPECT_GE(snapshot.operations[0].histograms[0].count(), values);
        operations = snapshot.operations[0].operations;
        values = snapshot.operations[0].histograms[0].count();
    }
    over = true;
    writer.join();
    const Snapshot end = region.snapshot();
    EXPECT_EQ(end.operations[0].operations, end.operations[0].histograms[0].count());
    EXPECT_EQ(end.operations[0].bytes, end.operations[0].operations * 512);
}

} // namespace
} // namespace assay
