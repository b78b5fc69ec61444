// What every trampoline of the comfort layer runs its call in: nothing thrown leaves the plugin. For the adapters only.
#pragma once

#include "assay/sdk/host.hpp"

#include <exception>
#include <new>
#include <utility>

namespace assay::sdk::inline v0 {

template <class Call>
assay_status guarded(const Host& host, Call&& call) noexcept {
    try {
        return host.hand_over(std::forward<Call>(call)());
    } catch (const std::bad_alloc&) {
        return host.fail(ASSAY_RESOURCE, "out of memory");
    } catch (const std::exception& error) {
        return host.fail(ASSAY_INTERNAL, error.what());
    } catch (...) {
        return host.fail(ASSAY_INTERNAL, "an exception of unknown type");
    }
}

} // namespace assay::sdk::inline v0
