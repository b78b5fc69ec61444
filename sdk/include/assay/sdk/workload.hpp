// Makes a C++ class a workload. The class has, and nothing else is asked of it:
//
//   explicit Mine(sdk::Host host);
//   sdk::Status configure(const sdk::Job& job);
//   const std::vector<assay_phase>& phases() const;       // alive until destruction; see phase()
//   sdk::Status prepare();
//   sdk::Status run(sdk::Worker worker, std::uint32_t phase); // one call a worker and phase, on its thread
//   sdk::Status finish();
// and, if it needs them:
//   std::uint32_t lanes_per_worker() const;
//   void interrupt();
//
// Nothing thrown leaves the plugin: the trampolines turn exceptions into ASSAY_RESOURCE (bad_alloc) or ASSAY_INTERNAL.
#pragma once

#include "assay/abi/workload.h"
#include "assay/sdk/guarded.hpp"
#include "assay/sdk/host.hpp"
#include "assay/sdk/job.hpp"
#include "assay/sdk/status.hpp"
#include "assay/sdk/worker.hpp"

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace assay::sdk::inline v0 {

inline assay_phase phase(assay_phase_kind kind, const char* name, std::uint64_t total_bytes = 0) {
    return {sizeof(assay_phase), kind, name, total_bytes};
}

template <class T>
class WorkloadAdapter {
public:
    static constexpr assay_workload table() {
        assay_workload workload{};
        workload.struct_size = sizeof(assay_workload);
        workload.create = &create;
        workload.destroy = &destroy;
        workload.configure = &configure;
        workload.phases = &phases;
        workload.prepare = &prepare;
        workload.run = &run;
        workload.interrupt = &interrupt;
        workload.finish = &finish;
        return workload;
    }

private:
    struct Instance {
        explicit Instance(const assay_host* raw) : host(raw), mine(host) {}
        Host host;
        T mine;
        assay_phase_list list{};
    };

    static Instance& self(void* instance) { return *static_cast<Instance*>(instance); }

    static assay_status create(const assay_host* host, void** instance) noexcept {
        return guarded(Host(host), [&] {
            *instance = new Instance(host);
            return Status();
        });
    }
    static void destroy(void* instance) noexcept { delete static_cast<Instance*>(instance); }
    static assay_status configure(void* instance, const assay_job* job) noexcept {
        return guarded(self(instance).host, [&] { return self(instance).mine.configure(Job(*job)); });
    }
    static assay_status phases(void* instance, const assay_phase_list** list) noexcept {
        return guarded(self(instance).host, [&] {
            Instance& me = self(instance);
            const auto& phases = me.mine.phases();
            std::uint32_t lanes = 1;
            if constexpr (requires { me.mine.lanes_per_worker(); }) lanes = me.mine.lanes_per_worker();
            me.list = {sizeof(assay_phase_list), static_cast<std::uint32_t>(phases.size()), sizeof(assay_phase), lanes,
                       phases.data()};
            *list = &me.list;
            return Status();
        });
    }
    static assay_status prepare(void* instance) noexcept {
        return guarded(self(instance).host, [&] { return self(instance).mine.prepare(); });
    }
    static assay_status run(void* instance, assay_worker* worker, std::uint32_t phase) noexcept {
        if (!Worker::usable(worker))
            return self(instance).host.fail(ASSAY_UNSUPPORTED,
                                            "this host is older than the plugin: its worker memory lacks fields");
        return guarded(self(instance).host, [&] { return self(instance).mine.run(Worker(worker), phase); });
    }
    static void interrupt(void* instance) noexcept {
        if constexpr (requires { self(instance).mine.interrupt(); }) {
            try {
                self(instance).mine.interrupt();
            } catch (...) { // a worker that was not woken shows up as hung, with a report
                self(instance).host.log(ASSAY_LOG_ERROR, "interrupt() threw");
            }
        }
    }
    static assay_status finish(void* instance) noexcept {
        return guarded(self(instance).host, [&] { return self(instance).mine.finish(); });
    }
};

template <class T>
inline constexpr assay_workload workload_of = WorkloadAdapter<T>::table();

} // namespace assay::sdk::inline v0
