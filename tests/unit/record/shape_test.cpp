// Reading a plugin's tables: bounds, strides, and a plugin that was compiled with other headers.
#include "core/record/plugin_text.hpp"
#include "core/record/region.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace assay {
namespace {

constexpr const char* names[] = {"latency", "submit"};

assay_operation operation(const char* name, std::uint32_t histograms = 1) {
    return {sizeof(assay_operation), ASSAY_OP_READ, histograms, 0, name, "", names};
}

assay_descriptor descriptor_of(const std::vector<assay_operation>& operations) {
    assay_descriptor descriptor{};
    descriptor.struct_size = sizeof(assay_descriptor);
    descriptor.name = "sample";
    descriptor.operation_count = static_cast<std::uint32_t>(operations.size());
    descriptor.operation_stride = sizeof(assay_operation);
    descriptor.operations = operations.data();
    return descriptor;
}

void expect_refused(const assay_descriptor& descriptor, std::uint32_t lanes, const std::string& what) {
    const Result<RecorderShape> shape = recorder_shape(descriptor, lanes);
    ASSERT_FALSE(shape.ok()) << what;
    EXPECT_NE(shape.status().message().find("'sample'"), std::string::npos) << shape.status().message();
    EXPECT_NE(shape.status().message().find(what), std::string::npos) << shape.status().message();
}

TEST(recorder_shape, holds_what_the_descriptor_declares) {
    const std::vector<assay_operation> operations{operation("read", 2), operation("fsync")};
    assay_descriptor descriptor = descriptor_of(operations);
    const assay_metric metric{
        sizeof(assay_metric), ASSAY_METRIC_COUNTER, ASSAY_ROLE_GENERATOR_TIME, 0, "generator_ns", "ns", ""};
    descriptor.metric_count = 1;
    descriptor.metric_stride = sizeof(assay_metric);
    descriptor.metrics = &metric;
    const Result<RecorderShape> shape = recorder_shape(descriptor, 4);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    ASSERT_EQ(shape->operations.size(), 2U);
    EXPECT_EQ(shape->operations[0].histograms, (std::vector<std::string>{"latency", "submit"}));
    EXPECT_EQ(shape->operations[1].name, "fsync");
    ASSERT_EQ(shape->metrics.size(), 1U);
    EXPECT_EQ(shape->metrics[0].role, ASSAY_ROLE_GENERATOR_TIME);
    EXPECT_EQ(shape->lanes_per_worker, 4U);
}

TEST(recorder_shape, strides_over_fields_that_a_newer_plugin_appended) {
    struct Newer {
        assay_operation known;
        std::uint64_t appended;
    };
    std::array<Newer, 2> table{{{operation("first"), 1}, {operation("second"), 2}}};
    for (Newer& entry : table)
        entry.known.struct_size = sizeof(Newer);
    assay_descriptor descriptor = descriptor_of({});
    descriptor.operation_count = 2;
    descriptor.operation_stride = sizeof(Newer);
    descriptor.operations = &table[0].known;
    const Result<RecorderShape> shape = recorder_shape(descriptor, 1);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    EXPECT_EQ(shape->operations[1].name, "second");
}

TEST(recorder_shape, ignores_tables_past_the_size_an_older_plugin_declared) {
    const std::vector<assay_operation> operations{operation("read")};
    assay_descriptor descriptor = descriptor_of(operations);
    descriptor.struct_size = offsetof(assay_descriptor, metrics);
    descriptor.metric_count = 5;
    descriptor.metrics = reinterpret_cast<const assay_metric*>(8); // must not be read
    const Result<RecorderShape> shape = recorder_shape(descriptor, 1);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    EXPECT_TRUE(shape->metrics.empty());
}

TEST(recorder_shape, refuses_what_exceeds_the_limits_naming_the_plugin) {
    const std::vector<assay_operation> one{operation("read")};
    expect_refused(descriptor_of(std::vector<assay_operation>(17, operation("x"))), 1, "17 operations");
    expect_refused(descriptor_of({operation("x", 9)}), 1, "9 histograms");
    expect_refused(descriptor_of({operation("x", 0)}), 1, "0 histograms");
    expect_refused(descriptor_of(one), 1025, "1025 lanes");
    expect_refused(descriptor_of(one), 0, "0 lanes");
    assay_descriptor metrics = descriptor_of(one);
    metrics.metric_count = 65;
    expect_refused(metrics, 1, "65 metrics");
    expect_refused(descriptor_of({operation(nullptr)}), 1, "without a name");
    assay_operation small = operation("x");
    small.struct_size = 8;
    expect_refused(descriptor_of({small}), 1, "struct_size 8");
    assay_descriptor overlapping = descriptor_of(one);
    overlapping.operation_stride = 4;
    expect_refused(overlapping, 1, "stride 4");
}

TEST(plugin_text, is_bounded_and_stays_one_line_of_valid_utf_8) {
    EXPECT_EQ(plugin_text(nullptr, 10), "");
    EXPECT_EQ(plugin_text("two\nlines\t\x7f", 64), "two lines  ");
    EXPECT_EQ(plugin_text("abcdef", 3), "abc");
    EXPECT_EQ(plugin_text("caf\xc3\xa9", 64), "caf\xc3\xa9");
    EXPECT_EQ(plugin_text("caf\xe9 ol\xe9", 64), "caf? ol?");
    EXPECT_EQ(plugin_text("caf\xc3\xa9", 4), "caf") << "no half character at the cut";
    EXPECT_EQ(plugin_text("caf\xc3\xa9", 5), "caf\xc3\xa9");
}

} // namespace
} // namespace assay
