// Makes a C++ class a sampler. The class has, and nothing else is asked of it:
//
//   explicit Mine(sdk::Host host);
//   sdk::Status configure(const sdk::Values& values);
//   sdk::Status list(sdk::SeriesList& list);       // adds to an empty list everything there is now
//   sdk::Status read(const sdk::Reading& reading); // raw values in the order of the last list(), never a rate
//
// read() returns series_changed() when the list no longer fits what is there: the host then asks for a new one. A
// source that vanished needs no new list, its values are simply not set.
//
// Nothing thrown leaves the plugin: the trampolines turn exceptions into ASSAY_RESOURCE (bad_alloc) or ASSAY_INTERNAL.
#pragma once

#include "assay/abi/sampler.h"
#include "assay/sdk/guarded.hpp"
#include "assay/sdk/host.hpp"
#include "assay/sdk/series.hpp"
#include "assay/sdk/status.hpp"
#include "assay/sdk/values.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace assay::sdk::inline v0 {

inline Status series_changed() { return {ASSAY_CANCELLED, "the list of series changed"}; }

template <class T>
class SamplerAdapter {
public:
    static constexpr assay_sampler table() {
        assay_sampler sampler{};
        sampler.struct_size = sizeof(assay_sampler);
        sampler.create = &create;
        sampler.destroy = &destroy;
        sampler.configure = &configure;
        sampler.list = &list;
        sampler.read = &read;
        return sampler;
    }

private:
    struct Instance {
        explicit Instance(const assay_host* raw) : host(raw), mine(host) {}
        Host host;
        T mine;
        SeriesList list;
        assay_series_list table{};
        std::uint64_t generation = 0; // 0: no list yet
        bool stale = true;
    };

    static Instance& self(void* instance) { return *static_cast<Instance*>(instance); }

    static assay_status create(const assay_host* host, void** instance) noexcept {
        return guarded(Host(host), [&] {
            *instance = new Instance(host);
            return Status();
        });
    }
    static void destroy(void* instance) noexcept { delete static_cast<Instance*>(instance); }
    static assay_status configure(void* instance, const assay_option_value* values, std::uint32_t count,
                                  std::uint32_t stride) noexcept {
        return guarded(self(instance).host,
                       [&] { return self(instance).mine.configure(Values(values, count, stride)); });
    }
    // A list that still fits is given again as it is, so its texts stay where they are.
    static assay_status list(void* instance, const assay_series_list** list) noexcept {
        return guarded(self(instance).host, [&] {
            Instance& me = self(instance);
            if (me.stale) {
                SeriesList fresh;
                if (Status bad = me.mine.list(fresh); !bad.ok()) return bad;
                me.list = std::move(fresh);
                const auto series = me.list.series();
                me.table = {sizeof(assay_series_list), static_cast<std::uint32_t>(series.size()),
                            sizeof(assay_series),      me.list.groups(),
                            ++me.generation,           series.data()};
                me.stale = false;
            }
            *list = &me.table;
            return Status();
        });
    }
    static assay_status read(void* instance, assay_reading* reading) noexcept {
        Instance& me = self(instance);
        if (reading == nullptr || !ASSAY_HAS(reading, assay_reading, group_ns))
            return me.host.fail(ASSAY_UNSUPPORTED, "this host is older than the plugin: its readings lack fields");
        // Arrays of another size were made for another list.
        if (me.stale || reading->value_count != me.table.count || reading->group_count != me.table.group_count)
            return ASSAY_CANCELLED;
        return guarded(me.host, [&] {
            const std::span values(reading->values, reading->value_count);
            std::fill(values.begin(), values.end(), assay_sample_value{});
            Status status = me.mine.read(Reading(values, {reading->group_ns, reading->group_count}));
            me.stale = status.code() == ASSAY_CANCELLED;
            return status;
        });
    }
};

template <class T>
inline constexpr assay_sampler sampler_of = SamplerAdapter<T>::table();

} // namespace assay::sdk::inline v0
