#include "core/record/plugin_text.hpp"
#include "core/record/region.hpp"

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::uint32_t operations_max = 16;
constexpr std::uint32_t histograms_max = 8;
constexpr std::uint32_t metrics_max = 64;
constexpr std::uint32_t lanes_max = 1024;
constexpr std::size_t name_bytes_max = 64;
constexpr std::size_t unit_bytes_max = 32;

Status broken(const std::string& plugin, const std::string& what) {
    return run_error(fmt::format("plugin '{}' {}; this is a defect of the plugin", plugin, what));
}

// Element `index` of a table whose elements lie `stride` bytes apart.
template <class Element>
const Element& element(const Element* table, std::uint32_t stride, std::uint32_t index) {
    const char* base = reinterpret_cast<const char*>(table);
    return *reinterpret_cast<const Element*>(base + static_cast<std::size_t>(index) * stride);
}

Status read_operations(const std::string& plugin, const assay_descriptor& descriptor, RecorderShape& shape) {
    if (!ASSAY_HAS(&descriptor, assay_descriptor, operations) || descriptor.operation_count == 0) return {};
    if (descriptor.operation_count > operations_max)
        return broken(plugin, fmt::format("declares {} operations; at most {} are allowed", descriptor.operation_count,
                                          operations_max));
    if (descriptor.operations == nullptr) return broken(plugin, "declares operations but has no table of them");
    for (std::uint32_t index = 0; index < descriptor.operation_count; ++index) {
        const assay_operation& declared = element(descriptor.operations, descriptor.operation_stride, index);
        if (!ASSAY_HAS(&declared, assay_operation, histogram_names) ||
            descriptor.operation_stride < declared.struct_size)
            return broken(
                plugin, fmt::format("declares operation {} with struct_size {} and stride {}; at least {} "
                                    "and a stride that holds it are needed",
                                    index, declared.struct_size, descriptor.operation_stride, sizeof(assay_operation)));
        OperationShape operation{plugin_text(declared.name, name_bytes_max), declared.kind, {}};
        if (operation.name.empty()) return broken(plugin, fmt::format("declares operation {} without a name", index));
        if (declared.histogram_count == 0 || declared.histogram_count > histograms_max ||
            declared.histogram_names == nullptr)
            return broken(plugin, fmt::format("declares operation '{}' with {} histograms; 1 to {} with names are "
                                              "allowed, the first is completion latency",
                                              operation.name, declared.histogram_count, histograms_max));
        for (std::uint32_t at = 0; at < declared.histogram_count; ++at) {
            operation.histograms.push_back(plugin_text(declared.histogram_names[at], name_bytes_max));
            if (operation.histograms.back().empty())
                return broken(plugin,
                              fmt::format("declares a histogram without a name for operation '{}'", operation.name));
        }
        shape.operations.push_back(std::move(operation));
    }
    return {};
}

Status read_metrics(const std::string& plugin, const assay_descriptor& descriptor, RecorderShape& shape) {
    if (!ASSAY_HAS(&descriptor, assay_descriptor, metrics) || descriptor.metric_count == 0) return {};
    if (descriptor.metric_count > metrics_max)
        return broken(plugin,
                      fmt::format("declares {} metrics; at most {} are allowed", descriptor.metric_count, metrics_max));
    if (descriptor.metrics == nullptr) return broken(plugin, "declares metrics but has no table of them");
    for (std::uint32_t index = 0; index < descriptor.metric_count; ++index) {
        const assay_metric& declared = element(descriptor.metrics, descriptor.metric_stride, index);
        if (!ASSAY_HAS(&declared, assay_metric, unit) || descriptor.metric_stride < declared.struct_size)
            return broken(plugin, fmt::format("declares metric {} with struct_size {} and stride {}; a whole metric "
                                              "and a stride that holds it are needed",
                                              index, declared.struct_size, descriptor.metric_stride));
        MetricShape metric{plugin_text(declared.key, name_bytes_max), plugin_text(declared.unit, unit_bytes_max),
                           declared.kind, declared.role};
        if (metric.key.empty()) return broken(plugin, fmt::format("declares metric {} without a key", index));
        shape.metrics.push_back(std::move(metric));
    }
    return {};
}

} // namespace

Result<RecorderShape> recorder_shape(const assay_descriptor& descriptor, std::uint32_t lanes_per_worker) {
    const std::string plugin = plugin_text(descriptor.name, name_bytes_max);
    if (lanes_per_worker == 0 || lanes_per_worker > lanes_max)
        return broken(plugin,
                      fmt::format("asks for {} lanes a worker; 1 to {} are allowed", lanes_per_worker, lanes_max));
    RecorderShape shape;
    shape.lanes_per_worker = lanes_per_worker;
    if (Status read = read_operations(plugin, descriptor, shape); !read.ok()) return read;
    if (Status read = read_metrics(plugin, descriptor, shape); !read.ok()) return read;
    return shape;
}

} // namespace assay
