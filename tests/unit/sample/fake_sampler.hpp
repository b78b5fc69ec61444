// A sampler in this process that lists and reads what the test says, through the real table of C functions.
#pragma once

#include "assay/abi/descriptor.h"
#include "assay/abi/sampler.h"
#include "core/base/clock.hpp"
#include "core/sample/sampler.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay::sample {

struct Fake {
    std::vector<assay_series> series;
    assay_series_list list{};
    std::function<assay_status(assay_reading&)> read = [](assay_reading&) { return ASSAY_OK; };
    assay_status configure_status = ASSAY_OK;
    const assay_host* host = nullptr;
    int created = 0;
    int destroyed = 0;
    int listed = 0;
    std::deque<std::string> texts;

    void add(const char* metric, const char* labels, std::uint32_t group = 0,
             assay_series_kind kind = ASSAY_SERIES_COUNTER) {
        series.push_back({sizeof(assay_series), kind, ASSAY_VALUE_U64, ASSAY_OVERFLOW_WRAPS, 64, group, metric, "B",
                          labels, "", 1, 0});
        publish();
    }
    void publish() {
        list = {sizeof(assay_series_list), static_cast<std::uint32_t>(series.size()),
                sizeof(assay_series),      1,
                list.generation + 1,       series.data()};
    }
    // Reads these values, now.
    void show(std::vector<std::uint64_t> values) {
        read = [values = std::move(values)](assay_reading& reading) {
            if (reading.value_count != values.size()) return assay_status{ASSAY_CANCELLED};
            for (std::size_t i = 0; i < values.size(); ++i) {
                reading.values[i].as.u64 = values[i];
                reading.values[i].present = 1;
            }
            reading.group_ns[0] = monotonic_ns();
            return assay_status{ASSAY_OK};
        };
    }
    Result<std::unique_ptr<Sampler>> open(Log log = {});
};

inline Fake* fake = nullptr; // of the test that runs

inline const assay_sampler fake_functions = {
    sizeof(assay_sampler),
    0,
    [](const assay_host* host, void** instance) -> assay_status {
        fake->host = host;
        ++fake->created;
        *instance = fake;
        return ASSAY_OK;
    },
    [](void* instance) { ++static_cast<Fake*>(instance)->destroyed; },
    [](void* instance, const assay_option_value*, std::uint32_t, std::uint32_t) {
        auto& me = *static_cast<Fake*>(instance);
        if (me.configure_status != ASSAY_OK) me.host->set_error(me.host, "groups", "'x' is no group");
        return me.configure_status;
    },
    [](void* instance, const assay_series_list** list) -> assay_status {
        auto& me = *static_cast<Fake*>(instance);
        ++me.listed;
        *list = &me.list;
        return ASSAY_OK;
    },
    [](void* instance, assay_reading* reading) { return static_cast<Fake*>(instance)->read(*reading); },
    nullptr,
};

inline assay_descriptor fake_descriptor() {
    assay_descriptor descriptor{};
    descriptor.struct_size = sizeof(assay_descriptor);
    descriptor.kind = ASSAY_KIND_SAMPLER;
    descriptor.name = "fake";
    descriptor.interface = &fake_functions;
    return descriptor;
}

inline OptionSet no_options() {
    Result<Schema> schema =
        Schema::from_table("fake", {sizeof(assay_option_table), 0, sizeof(assay_option), 0, nullptr});
    return *OptionSet::defaults(std::make_shared<const Schema>(*schema));
}

inline Result<std::unique_ptr<Sampler>> Fake::open(Log log) {
    fake = this;
    const assay_descriptor descriptor = fake_descriptor();
    return Sampler::create(descriptor, no_options(), std::move(log));
}

} // namespace assay::sample
