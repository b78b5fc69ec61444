// This host takes plugins from before, and from after, the fields that it knows.
#include "assay/abi/workload.h"
#include "core/loader/contract.hpp"
#include "core/record/region.hpp"
#include "core/schema/schema.hpp"
#include "tests/unit/sdk/guarded.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using assay::test::Guarded;
using assay::test::Truncated;

const char* const engine_names[] = {"psync", "io_uring"};
const char* const engine_help[] = {"one at a time", "many at a time"};
const char* const histogram_names[] = {"completion", "submission"};

std::vector<assay_option> options() {
    assay_option size{};
    size.struct_size = sizeof size;
    size.type = ASSAY_TYPE_SIZE;
    size.key = "block_size";
    size.help = "Bytes.";
    size.default_text = "4KiB";
    size.min_text = "512B";
    size.max_text = "1MiB";
    size.unit = "B";
    size.group = "I/O";
    size.example = "64KiB";
    assay_option engine = size;
    engine.type = ASSAY_TYPE_ENUM;
    engine.enum_count = 2;
    engine.key = "engine";
    engine.default_text = "psync";
    engine.min_text = engine.max_text = nullptr;
    engine.example = "io_uring";
    engine.enum_names = engine_names;
    engine.enum_help = engine_help;
    return {size, engine};
}
std::vector<assay_operation> operations() {
    return {{sizeof(assay_operation), ASSAY_OP_READ, 1, 0, "read", "Reads.", histogram_names},
            {sizeof(assay_operation), ASSAY_OP_WRITE, 2, 0, "write", "Writes.", histogram_names}};
}
std::vector<assay_metric> metrics() {
    return {{sizeof(assay_metric), ASSAY_METRIC_COUNTER, ASSAY_ROLE_IN_FLIGHT_TIME, 0, "in_flight_ns", "ns", "Sum."},
            {sizeof(assay_metric), ASSAY_METRIC_GAUGE, ASSAY_ROLE_NONE, 0, "depth", "requests", "Now."}};
}
assay_workload workload() {
    assay_workload table{};
    table.struct_size = sizeof table;
    table.create = [](const assay_host*, void**) { return ASSAY_OK + 0; };
    table.destroy = [](void*) {};
    table.configure = [](void*, const assay_job*) { return ASSAY_OK + 0; };
    table.phases = [](void*, const assay_phase_list**) { return ASSAY_OK + 0; };
    table.prepare = [](void*) { return ASSAY_OK + 0; };
    table.run = [](void*, assay_worker*, uint32_t) { return ASSAY_OK + 0; };
    table.finish = [](void*) { return ASSAY_OK + 0; };
    return table;
}

// A table of structs as another version lays it out: each element `stride` bytes, the part that these headers know
// copied, anything beyond all ones, and nothing readable after the end.
template <class T>
std::unique_ptr<Guarded> table_of(const std::vector<T>& items, std::size_t stride) {
    std::vector<char> bytes(items.size() * stride, '\xff');
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::memcpy(bytes.data() + i * stride, &items[i], std::min(stride, sizeof(T)));
        const auto size = static_cast<std::uint32_t>(stride);
        std::memcpy(bytes.data() + i * stride, &size, sizeof size);
    }
    return std::make_unique<Guarded>(bytes.data(), bytes.size());
}

// A plugin whose tables have these strides and whose structs end `extra` bytes after what these headers know.
class Plugin {
public:
    Plugin(std::size_t option_stride, std::size_t operation_stride, std::size_t metric_stride)
        : options_(table_of(options(), option_stride)),
          operations_(table_of(operations(), operation_stride)),
          metrics_(table_of(metrics(), metric_stride)) {
        known_.struct_size = sizeof known_;
        known_.kind = ASSAY_KIND_WORKLOAD;
        known_.id = "org.example.disk";
        known_.name = "disk";
        known_.version = "1.2.3";
        known_.summary = "Moves.";
        known_.help = known_.privileges = known_.example = "";
        known_.operation_count = 2;
        known_.operation_stride = static_cast<std::uint32_t>(operation_stride);
        known_.metric_count = 2;
        known_.metric_stride = static_cast<std::uint32_t>(metric_stride);
        known_.options = {sizeof(assay_option_table), 2, static_cast<std::uint32_t>(option_stride), 0,
                          options_->as<assay_option>()};
        known_.operations = operations_->as<assay_operation>();
        known_.metrics = metrics_->as<assay_metric>();
        known_.interface = &workload_;
    }
    assay_descriptor known_{};
    assay_workload workload_ = workload();

private:
    std::unique_ptr<Guarded> options_;
    std::unique_ptr<Guarded> operations_;
    std::unique_ptr<Guarded> metrics_;
};

// What the core makes of the tables, the same whatever their strides are.
void expect_known_content(const assay_descriptor& descriptor) {
    const auto checked = assay::check_descriptor(&descriptor);
    ASSERT_TRUE(checked.ok()) << checked.status().message();
    ASSERT_EQ(checked->schema->options().size(), 2u);
    EXPECT_EQ(checked->schema->options()[1].key, "engine");
    const auto shape = assay::recorder_shape(descriptor, 1);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    ASSERT_EQ(shape->operations.size(), 2u);
    EXPECT_EQ(shape->operations[1].name, "write");
    EXPECT_EQ(shape->operations[1].histograms, (std::vector<std::string>{"completion", "submission"}));
    ASSERT_EQ(shape->metrics.size(), 2u);
    EXPECT_EQ(shape->metrics[0].role, ASSAY_ROLE_IN_FLIGHT_TIME);
    EXPECT_EQ(shape->metrics[1].key, "depth");
}

TEST(SamePlugin, IsReadAsItIs) {
    const Plugin plugin(sizeof(assay_option), sizeof(assay_operation), sizeof(assay_metric));
    expect_known_content(plugin.known_);
    const auto checked = assay::check_descriptor(&plugin.known_);
    EXPECT_EQ(checked->schema->options()[1].enum_help, (std::vector<std::string>{engine_help[0], engine_help[1]}));
    EXPECT_EQ(checked->schema->options()[0].example, "64KiB");
}

TEST(NewerPlugin, TablesWithFieldsNobodyKnowsAreReadByTheirStride) {
    const Plugin plugin(sizeof(assay_option) + 24, sizeof(assay_operation) + 8, sizeof(assay_metric) + 64);
    expect_known_content(plugin.known_);
}

TEST(NewerPlugin, ALargerDescriptorEntryAndInterfaceAreFine) {
    struct NewerDescriptor {
        assay_descriptor known;
        std::uint64_t unknown[8];
    };
    struct NewerWorkload {
        assay_workload known;
        std::uint64_t unknown[2];
    };
    Plugin plugin(sizeof(assay_option), sizeof(assay_operation), sizeof(assay_metric));
    NewerWorkload interface {
        plugin.workload_, { UINT64_MAX, UINT64_MAX }
    };
    interface.known.struct_size = sizeof interface;
    NewerDescriptor newer{plugin.known_, {}};
    std::memset(newer.unknown, 0xff, sizeof newer.unknown);
    newer.known.struct_size = sizeof newer;
    newer.known.interface = &interface;
    expect_known_content(newer.known);

    struct NewerEntry {
        assay_entry known;
        std::uint64_t unknown[4];
    } entry{};
    entry.known.struct_size = sizeof entry;
    entry.known.abi_major = ASSAY_ABI_MAJOR;
    entry.known.abi_minor = ASSAY_ABI_MINOR;
    entry.known.descriptor_count = 1;
    entry.known.descriptor = [](uint32_t) -> const assay_descriptor* { return nullptr; };
    EXPECT_TRUE(assay::check_entry(&entry.known).ok());
}

TEST(OlderPlugin, AnOptionTableFromBeforeTheLaterFieldsReadsThemAsAbsent) {
    const Plugin without_enum_help(offsetof(assay_option, enum_help), sizeof(assay_operation), sizeof(assay_metric));
    expect_known_content(without_enum_help.known_);
    const auto checked = assay::check_descriptor(&without_enum_help.known_);
    EXPECT_TRUE(checked->schema->options()[1].enum_help.empty());
    EXPECT_EQ(checked->schema->options()[1].enum_names.size(), 2u);

    // Without its names an enum cannot be: a table that ends before them must say so and not read on.
    const Plugin without_names(offsetof(assay_option, enum_names), sizeof(assay_operation), sizeof(assay_metric));
    const auto refused = assay::check_descriptor(&without_names.known_);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().message().find("engine"), std::string::npos) << refused.status().message();
}

TEST(OlderPlugin, OptionsEndWhereTheirOwnStructSizeSays) {
    assay_option option = options()[0];
    for (const std::size_t bytes : {offsetof(assay_option, default_text), offsetof(assay_option, max_text),
                                    offsetof(assay_option, unit), offsetof(assay_option, example)}) {
        const auto memory = table_of(std::vector{option}, bytes);
        const assay_option_table table{sizeof table, 1, static_cast<std::uint32_t>(bytes), 0,
                                       memory->as<assay_option>()};
        const auto schema = assay::Schema::from_table("disk", table);
        ASSERT_TRUE(schema.ok()) << schema.status().message();
        const assay::OptionSpec& spec = schema->options()[0];
        EXPECT_EQ(spec.default_text.has_value(), bytes > offsetof(assay_option, default_text)) << bytes;
        EXPECT_EQ(spec.max_text.has_value(), bytes > offsetof(assay_option, max_text)) << bytes;
        EXPECT_EQ(spec.example, "") << bytes;
    }
}

TEST(OlderPlugin, ADescriptorWithoutAnInterfaceIsRefusedAndNotReadBeyondItsEnd) {
    const Plugin plugin(sizeof(assay_option), sizeof(assay_operation), sizeof(assay_metric));
    for (std::size_t bytes = 8; bytes < sizeof(assay_descriptor); bytes += 8) {
        Truncated<assay_descriptor> truncated(plugin.known_, bytes);
        const auto checked = assay::check_descriptor(truncated.get());
        ASSERT_FALSE(checked.ok()) << bytes;
        EXPECT_NE(checked.status().message().find("the descriptor has struct_size " + std::to_string(bytes)),
                  std::string::npos)
            << checked.status().message();
    }
}

TEST(OlderPlugin, AnInterfaceOrAnEntryWithoutTheOptionalFunctionsIsTakenAndNotReadBeyondItsEnd) {
    Plugin plugin(sizeof(assay_option), sizeof(assay_operation), sizeof(assay_metric));
    Truncated<assay_workload> interface(plugin.workload_, offsetof(assay_workload, get_extension));
    plugin.known_.interface = interface.get();
    EXPECT_TRUE(assay::check_descriptor(&plugin.known_).ok());
    for (std::size_t bytes = 8; bytes < offsetof(assay_workload, get_extension); bytes += 8) {
        Truncated<assay_workload> too_small(plugin.workload_, bytes);
        plugin.known_.interface = too_small.get();
        EXPECT_FALSE(assay::check_descriptor(&plugin.known_).ok()) << bytes;
    }

    assay_entry whole{};
    whole.abi_major = ASSAY_ABI_MAJOR;
    whole.abi_minor = ASSAY_ABI_MINOR;
    whole.descriptor_count = 1;
    whole.descriptor = [](uint32_t) -> const assay_descriptor* { return nullptr; };
    for (std::size_t bytes = 8; bytes <= sizeof whole; bytes += 8) {
        Truncated<assay_entry> entry(whole, bytes);
        EXPECT_EQ(assay::check_entry(entry.get()).ok(), bytes >= offsetof(assay_entry, get_extension)) << bytes;
    }
}

} // namespace
