// What a plugin instance may ask of the host, and what it told the host: targets, facts, progress, errors, log lines.
//
// One an instance. The C functions behind abi() may be called from any thread of the plugin, also from one that the
// host gave up on: after detach() nothing leaves this object any more. Everything a plugin hands over is copied and
// bounded.
#pragma once

#include "assay/abi/host.h"
#include "core/result/model.hpp"
#include "core/run/run.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// What set_error() said about a call that failed.
struct CallError {
    std::string option; // empty: none named
    std::string text;   // empty: set_error() was not called
};

class HostServices {
public:
    HostServices(std::string job, RunHooks& hooks);
    HostServices(const HostServices&) = delete;
    HostServices& operator=(const HostServices&) = delete;

    [[nodiscard]] const assay_host* abi() const { return &abi_; }

    // Encloses one call into the plugin on this thread; its error is what set_error() last said in there.
    class Call {
    public:
        explicit Call(HostServices& services);
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        ~Call();
        // The error of this call, or what a thread of the plugin's own said last.
        CallError take_error();

    private:
        friend class HostServices;
        HostServices& services_;
        Call* outer_;
        CallError error_;
    };

    // Targets are accepted only while configure() runs.
    void accept_targets(bool accept);
    [[nodiscard]] std::vector<result::Target> targets() const;
    [[nodiscard]] std::vector<result::Fact> facts() const;
    [[nodiscard]] std::uint64_t done_bytes() const { return done_bytes_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_.load(std::memory_order_relaxed); }
    void reset_progress();
    // Says how many log lines were left out, once their second is over. [control thread]
    void flush_log(std::int64_t now_ns);
    void detach();

private:
    static HostServices& self(const assay_host* host) { return *static_cast<HostServices*>(host->context); }
    void log(assay_severity severity, const char* text);
    void set_error(const char* option, const char* text);
    void report_target(const assay_target& target);
    void report_fact(const assay_fact& fact);
    void emit(assay_severity severity, const std::string& text); // with mutex_ held
    void end_log_second(std::int64_t now_ns);                    // with mutex_ held

    assay_host abi_{};
    const std::string job_;
    mutable std::mutex mutex_;
    RunHooks* hooks_;
    bool accepts_targets_ = false;
    bool told_of_limit_ = false;
    std::vector<result::Target> targets_;
    std::vector<result::Fact> facts_;
    std::map<std::string, std::size_t> fact_index_;
    CallError stray_error_; // from a thread that is in no call of ours
    std::int64_t log_second_start_ns_ = 0;
    std::uint32_t log_lines_ = 0;
    std::uint64_t log_suppressed_ = 0;
    std::atomic<std::uint64_t> done_bytes_ = 0;
    std::atomic<std::uint64_t> total_bytes_ = 0;
};

} // namespace assay
