#include "core/loader/contract.hpp"

#include "assay/abi/sampler.h"
#include "assay/abi/workload.h"

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

// A descriptor that keeps every rule, whose parts a test then spoils.
struct Sample {
    std::array<const char*, 2> histograms{"completion", "submission"};
    std::vector<assay_operation> operations;
    std::vector<assay_metric> metrics;
    std::vector<assay_option> options;
    assay_workload workload{};
    assay_sampler sampler{};
    assay_descriptor descriptor{};

    Sample() {
        for (const char* name : {"read", "write"})
            operations.push_back({sizeof(assay_operation), ASSAY_OP_READ, 2, 0, name, "Moves.", histograms.data()});
        for (const char* key : {"in_flight_ns", "free_ns"})
            metrics.push_back({sizeof(assay_metric), ASSAY_METRIC_COUNTER, ASSAY_ROLE_NONE, 0, key, "ns", "Grows."});
        for (const char* key : {"block_size", "region"}) {
            assay_option option{};
            option.struct_size = sizeof option;
            option.type = ASSAY_TYPE_SIZE;
            option.key = key;
            option.help = "Bytes.";
            option.default_text = "4KiB";
            option.unit = "B";
            option.group = "General";
            option.example = "4KiB";
            options.push_back(option);
        }
        workload.struct_size = sizeof workload;
        workload.create = [](const assay_host*, void**) { return ASSAY_OK + 0; };
        workload.destroy = [](void*) {};
        workload.configure = [](void*, const assay_job*) { return ASSAY_OK + 0; };
        workload.phases = [](void*, const assay_phase_list**) { return ASSAY_OK + 0; };
        workload.prepare = [](void*) { return ASSAY_OK + 0; };
        workload.run = [](void*, assay_worker*, uint32_t) { return ASSAY_OK + 0; };
        workload.finish = [](void*) { return ASSAY_OK + 0; };
        sampler.struct_size = sizeof sampler;
        sampler.create = workload.create;
        sampler.destroy = workload.destroy;
        sampler.configure = [](void*, const assay_option_value*, uint32_t, uint32_t) { return ASSAY_OK + 0; };
        sampler.list = [](void*, const assay_series_list**) { return ASSAY_OK + 0; };
        sampler.read = [](void*, assay_reading*) { return ASSAY_OK + 0; };

        descriptor.struct_size = sizeof descriptor;
        descriptor.kind = ASSAY_KIND_WORKLOAD;
        descriptor.id = "org.example.disk";
        descriptor.name = "disk";
        descriptor.version = "1.2.3";
        descriptor.summary = "Moves.";
        descriptor.help = "Moves\nmore.";
        descriptor.privileges = "";
        descriptor.example = "run disk";
        descriptor.interface = &workload;
        descriptor.operation_count = 2;
        descriptor.operation_stride = sizeof(assay_operation);
        descriptor.operations = operations.data();
        descriptor.metric_count = 2;
        descriptor.metric_stride = sizeof(assay_metric);
        descriptor.metrics = metrics.data();
        descriptor.options = {sizeof(assay_option_table), 2, sizeof(assay_option), 0, options.data()};
    }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
};

std::string refusal_of(const Sample& sample) {
    const auto checked = check_descriptor(&sample.descriptor);
    return checked ? "" : checked.status().message();
}
std::string refusal_after(const std::function<void(Sample&)>& spoil) {
    Sample sample;
    spoil(sample);
    return refusal_of(sample);
}
#define EXPECT_SAYS(spoil, words)                                                    \
    do {                                                                             \
        const std::string message = refusal_after([](Sample& s) { spoil; });         \
        EXPECT_NE(message.find(words), std::string::npos) << #spoil ": " << message; \
    } while (false)

std::string version(unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); }

assay_entry good_entry() {
    assay_entry entry{};
    entry.struct_size = sizeof entry;
    entry.abi_major = ASSAY_ABI_MAJOR;
    entry.abi_minor = ASSAY_ABI_MINOR;
    entry.descriptor_count = 1;
    entry.descriptor = [](uint32_t) -> const assay_descriptor* { return nullptr; };
    return entry;
}

TEST(Contract, AcceptsADescriptorThatKeepsTheRules) {
    const Sample sample;
    const auto checked = check_descriptor(&sample.descriptor);
    ASSERT_TRUE(checked.ok()) << checked.status().message();
    EXPECT_EQ(checked->name, "disk");
    EXPECT_EQ(checked->id, "org.example.disk");
    EXPECT_EQ(checked->descriptor, &sample.descriptor);
    EXPECT_EQ(checked->schema->options().size(), 2u);
}

TEST(Contract, AnEntryOfAnotherDraftIsRefusedWithBothVersionsAndTheRemedy) {
    assay_entry entry = good_entry();
    EXPECT_TRUE(check_entry(&entry).ok());
    entry.abi_minor = ASSAY_ABI_MINOR + 1;
    EXPECT_EQ(check_entry(&entry).message(),
              "was built for plugin ABI " + version(ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR + 1) + ", and this assay has " +
                  version(ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR) +
                  " (a draft: both numbers must be equal); rebuild the plugin with this version's headers");
    entry = good_entry();
    entry.abi_major = 7;
    EXPECT_NE(check_entry(&entry).message().find("ABI " + version(7, ASSAY_ABI_MINOR)), std::string::npos);
}

TEST(Contract, TheVersionIsLookedAtBeforeAnythingThatAnotherVersionMayHaveMoved) {
    assay_entry entry = good_entry();
    entry.abi_minor = 99;
    entry.struct_size = 12;
    EXPECT_NE(check_entry(&entry).message().find("ABI " + version(ASSAY_ABI_MAJOR, 99)), std::string::npos);
}

TEST(Contract, AnEntryMustBeThereWholeAndPointToDescriptors) {
    EXPECT_NE(check_entry(nullptr).message().find("null pointer"), std::string::npos);
    assay_entry entry = good_entry();
    entry.struct_size = 8;
    EXPECT_NE(check_entry(&entry).message().find("the entry has struct_size 8"), std::string::npos);
    entry.struct_size = offsetof(assay_entry, descriptor);
    EXPECT_NE(check_entry(&entry).message().find("struct_size 32, and this ABI needs 40"), std::string::npos)
        << check_entry(&entry).message();
    entry.struct_size = offsetof(assay_entry, get_extension);
    EXPECT_TRUE(check_entry(&entry).ok()) << "a plugin from before get_extension";
    entry = good_entry();
    entry.descriptor_count = 0;
    EXPECT_NE(check_entry(&entry).message().find("declares 0 plugins"), std::string::npos);
    entry.descriptor_count = descriptors_max + 1;
    EXPECT_NE(check_entry(&entry).message().find("declares 65 plugins"), std::string::npos);
    entry = good_entry();
    entry.descriptor = nullptr;
    EXPECT_NE(check_entry(&entry).message().find("no descriptor() function"), std::string::npos);
}

TEST(Contract, EveryTextMustBeThereBoundedAndPrintable) {
    EXPECT_SAYS(s.descriptor.name = nullptr, "the name is a null pointer");
    EXPECT_SAYS(s.descriptor.name = "Disk", "the name is 'Disk', which must be a lower-case letter");
    EXPECT_SAYS(s.descriptor.id = "disk", "the id is 'disk', which must be reverse DNS");
    EXPECT_SAYS(s.descriptor.id = nullptr, "the id is a null pointer");
    EXPECT_SAYS(s.descriptor.version = "", "the version is empty");
    EXPECT_SAYS(s.descriptor.version = nullptr, "the version is a null pointer");
    EXPECT_SAYS(s.descriptor.summary = "two\nlines", "the summary has a control character at byte 3");
    EXPECT_SAYS(s.descriptor.summary = nullptr, "the summary is a null pointer");
    EXPECT_SAYS(s.descriptor.help = nullptr, "the help is a null pointer");
    EXPECT_SAYS(s.descriptor.help = "\x1b]0;owned\a", "the help has a control character");
    EXPECT_SAYS(s.descriptor.privileges = nullptr, "the privileges text is a null pointer");
    EXPECT_SAYS(s.descriptor.example = nullptr, "the example is a null pointer");
    EXPECT_SAYS(s.descriptor.example = "\xff", "the example is not UTF-8");
    static const std::string long_help(16385, 'x');
    EXPECT_SAYS(s.descriptor.help = long_help.c_str(), "the help is longer than 16384 bytes");
}

TEST(Contract, TheKindMustBeKnownAndBringItsInterface) {
    EXPECT_SAYS(s.descriptor.kind = 0, "plugin 'disk' is of kind 0, and this assay knows 1 (workload) and 2 (sampler)");
    EXPECT_SAYS(s.descriptor.kind = ASSAY_KIND_CLUSTER, "is of kind 3");
    EXPECT_SAYS(s.descriptor.interface = nullptr, "plugin 'disk' has no interface");
    EXPECT_EQ(check_descriptor(nullptr).status().message(), "descriptor() returned a null pointer");
}

TEST(Contract, AWorkloadNeedsEveryFunctionButTheOptionalOnes) {
    EXPECT_SAYS(s.workload.create = nullptr, "the workload interface has no create()");
    EXPECT_SAYS(s.workload.destroy = nullptr, "has no destroy()");
    EXPECT_SAYS(s.workload.configure = nullptr, "has no configure()");
    EXPECT_SAYS(s.workload.phases = nullptr, "has no phases()");
    EXPECT_SAYS(s.workload.prepare = nullptr, "has no prepare()");
    EXPECT_SAYS(s.workload.run = nullptr, "has no run()");
    EXPECT_SAYS(s.workload.finish = nullptr, "has no finish()");
    EXPECT_SAYS(s.workload.struct_size = offsetof(assay_workload, finish),
                "the workload interface has struct_size 64, and this ABI needs 72");
    EXPECT_EQ(refusal_after([](Sample& s) {
                  s.workload.interrupt = nullptr;
                  s.workload.struct_size = offsetof(assay_workload, get_extension);
              }),
              "");
}

TEST(Contract, ASamplerNeedsEveryFunctionButTheOptionalOnes) {
    const auto as_sampler = [](const std::function<void(assay_sampler&)>& spoil) {
        return refusal_after([&](Sample& s) {
            s.descriptor.kind = ASSAY_KIND_SAMPLER;
            s.descriptor.interface = &s.sampler;
            spoil(s.sampler);
        });
    };
    EXPECT_EQ(as_sampler([](assay_sampler& s) { s.struct_size = offsetof(assay_sampler, get_extension); }), "");
    const std::function<void(assay_sampler&)> spoilers[] = {
        [](assay_sampler& s) { s.create = nullptr; }, [](assay_sampler& s) { s.destroy = nullptr; },
        [](assay_sampler& s) { s.configure = nullptr; }, [](assay_sampler& s) { s.list = nullptr; },
        [](assay_sampler& s) { s.read = nullptr; }};
    const char* const names[] = {"create()", "destroy()", "configure()", "list()", "read()"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        EXPECT_NE(as_sampler(spoilers[i]).find(names[i]), std::string::npos) << as_sampler(spoilers[i]);
    EXPECT_NE(as_sampler([](assay_sampler& s) { s.struct_size = 40; }).find("struct_size 40"), std::string::npos);
}

TEST(Contract, TablesAreBoundedAndTheirStridesSane) {
    EXPECT_SAYS(s.descriptor.operation_count = 17, "17 operations are declared, and at most 16 are allowed");
    EXPECT_SAYS(s.descriptor.metric_count = 65, "65 metrics are declared, and at most 64");
    EXPECT_SAYS(s.descriptor.options.count = 513, "513 options are more than 512");
    EXPECT_SAYS(s.descriptor.operations = nullptr, "2 operations are declared at a null pointer");
    EXPECT_SAYS(s.descriptor.metrics = nullptr, "2 metrics are declared at a null pointer");
    EXPECT_SAYS(s.descriptor.options.options = nullptr, "the table has no options");
    EXPECT_SAYS(s.descriptor.operation_stride = 0, "the operation table has stride 0");
    EXPECT_SAYS(s.descriptor.operation_stride = 44, "must be a multiple of 8 from 40 to 4096");
    EXPECT_SAYS(s.descriptor.metric_stride = 1 << 20, "the metric table has stride 1048576");
    EXPECT_SAYS(s.descriptor.options.stride = 16, "a stride of 16 bytes");
    EXPECT_SAYS(s.descriptor.options.struct_size = 16, "the table is 16 bytes");
    EXPECT_SAYS(s.operations[1].struct_size = 48,
                "operation 1 has struct_size 48, which must be from 40 to the table's");
    EXPECT_SAYS(s.operations[0].struct_size = 0, "operation 0 has struct_size 0");
    EXPECT_SAYS(s.options[1].struct_size = 4, "option 1 is 4 bytes");
    EXPECT_EQ(refusal_after([](Sample& s) {
                  s.descriptor.operation_count = 0;
                  s.descriptor.operations = nullptr;
                  s.descriptor.metric_count = 0;
                  s.descriptor.metrics = nullptr;
                  s.descriptor.options.count = 0;
                  s.descriptor.options.options = nullptr;
              }),
              "")
        << "empty tables need no pointer";
}

TEST(Contract, OperationsAndMetricsAreNamedOnceAndOfAKnownKind) {
    EXPECT_SAYS(s.operations[1].name = "read", "two operations are named 'read'");
    EXPECT_SAYS(s.operations[1].name = nullptr, "operation 1's name is a null pointer");
    EXPECT_SAYS(s.operations[0].help = nullptr, "operation 0's help is a null pointer");
    EXPECT_SAYS(s.operations[0].kind = 4, "operation 'read' has the unknown kind 4");
    EXPECT_SAYS(s.operations[0].histogram_count = 0, "operation 'read' has 0 histograms, and 1 to 8");
    EXPECT_SAYS(s.operations[0].histogram_count = 9, "operation 'read' has 9 histograms");
    EXPECT_SAYS(s.operations[0].histogram_names = nullptr, "operation 'read' names no histograms");
    EXPECT_SAYS(s.histograms[1] = nullptr, "histogram 1 of operation 'read' is a null pointer");
    EXPECT_SAYS(s.histograms[1] = "completion", "operation 'read' has two histograms named 'completion'");
    EXPECT_SAYS(s.metrics[1].key = "in_flight_ns", "two metrics have the key 'in_flight_ns'");
    EXPECT_SAYS(s.metrics[0].unit = nullptr, "the unit of metric 'in_flight_ns' is a null pointer");
    EXPECT_SAYS(s.metrics[0].help = nullptr, "the help of metric 'in_flight_ns' is a null pointer");
    EXPECT_SAYS(s.metrics[0].kind = 0, "metric 'in_flight_ns' has the unknown kind 0");
}

TEST(Contract, ABadOptionTableIsRefusedWithTheOption) {
    EXPECT_SAYS(s.options[1].key = "block_size", "block_size");
    EXPECT_SAYS(s.options[1].default_text = "4", "region");
    EXPECT_SAYS(s.options[1].type = 99, "region");
    EXPECT_SAYS(s.options[1].help = "\x1b[2J", "a text of option 'region' has a control character at byte 0");
}

} // namespace
} // namespace assay
