// What a sampler instance may ask of the host: log lines and the reason of a failure. Targets, facts and progress mean
// nothing for a sampler and are dropped.
//
// The C functions behind abi() may be called from any thread of the plugin. Everything handed over is copied and
// bounded; log lines beyond 100 a second are left out.
#pragma once

#include "assay/abi/host.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace assay::sample {

using Log = std::function<void(assay_severity, const std::string&)>; // any thread

class SamplerHost {
public:
    explicit SamplerHost(Log log);
    SamplerHost(const SamplerHost&) = delete;
    SamplerHost& operator=(const SamplerHost&) = delete;

    [[nodiscard]] const assay_host* abi() const { return &abi_; }
    // "option groups: TEXT" or "TEXT" of the last set_error(), which is forgotten; "" if there was none.
    std::string take_error();
    // One line of the core's own, to the same place.
    void warn(const std::string& text);

private:
    static SamplerHost& self(const assay_host* host) { return *static_cast<SamplerHost*>(host->context); }
    void log(assay_severity severity, const char* text);
    void set_error(const char* option, const char* text);

    assay_host abi_{};
    std::mutex mutex_;
    const Log log_;
    std::string error_;
    std::int64_t second_start_ns_ = 0;
    std::uint32_t lines_ = 0;
};

} // namespace assay::sample
