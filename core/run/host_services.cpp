#include "core/run/host_services.hpp"

#include "core/base/clock.hpp"
#include "core/record/plugin_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr std::size_t text_bytes_max = 64 * 1024;
constexpr std::size_t key_bytes_max = 256;
constexpr std::size_t targets_max = 65'536;
constexpr std::size_t facts_max = 1'024;
constexpr std::uint32_t log_lines_a_second_max = 100;
constexpr std::int64_t second_ns = 1'000'000'000;

thread_local HostServices::Call* current_call = nullptr;

const char* target_kind_name(assay_target_kind kind) {
    switch (kind) {
        case ASSAY_TARGET_FILE:
            return "file";
        case ASSAY_TARGET_BLOCK_DEVICE:
            return "block device";
        case ASSAY_TARGET_ENDPOINT:
            return "endpoint";
        case ASSAY_TARGET_PORT:
            return "port";
        default:
            return "other";
    }
}

result::Value fact_value(const assay_fact& fact) {
    switch (fact.kind) {
        case ASSAY_FACT_INTEGER:
            return fact.integer;
        case ASSAY_FACT_REAL:
            // JSON has no way to write infinity or NaN.
            if (!std::isfinite(fact.real)) return std::string("not a finite number");
            return fact.real;
        case ASSAY_FACT_BOOL:
            return fact.integer != 0;
        default:
            return plugin_text(fact.text, text_bytes_max);
    }
}

} // namespace

HostServices::HostServices(std::string job, RunHooks& hooks) : job_(std::move(job)), hooks_(&hooks) {
    abi_.struct_size = sizeof(assay_host);
    abi_.abi_major = ASSAY_ABI_MAJOR;
    abi_.abi_minor = ASSAY_ABI_MINOR;
    abi_.name = "assay";
    abi_.version = ASSAY_VERSION;
    abi_.context = this;
    abi_.get_extension = [](const assay_host*, const char*) noexcept -> const void* { return nullptr; };
    abi_.log = [](const assay_host* host, assay_severity severity, const char* text) noexcept {
        self(host).log(severity, text);
    };
    abi_.set_error = [](const assay_host* host, const char* option, const char* text) noexcept {
        self(host).set_error(option, text);
    };
    abi_.report_target = [](const assay_host* host, const assay_target* target) noexcept {
        if (target != nullptr) self(host).report_target(*target);
    };
    abi_.report_fact = [](const assay_host* host, const assay_fact* fact) noexcept {
        if (fact != nullptr) self(host).report_fact(*fact);
    };
    abi_.report_progress = [](const assay_host* host, std::uint64_t done, std::uint64_t total) noexcept {
        self(host).done_bytes_.store(done, std::memory_order_relaxed);
        self(host).total_bytes_.store(total, std::memory_order_relaxed);
    };
}

HostServices::Call::Call(HostServices& services) : services_(services), outer_(current_call) { current_call = this; }

HostServices::Call::~Call() { current_call = outer_; }

CallError HostServices::Call::take_error() {
    if (!error_.text.empty() || !error_.option.empty()) return std::move(error_);
    const std::lock_guard lock(services_.mutex_);
    return std::exchange(services_.stray_error_, {});
}

void HostServices::set_error(const char* option, const char* text) {
    CallError error{plugin_text(option, key_bytes_max), plugin_text(text, text_bytes_max)};
    if (current_call != nullptr && &current_call->services_ == this) {
        current_call->error_ = std::move(error);
        return;
    }
    const std::lock_guard lock(mutex_);
    stray_error_ = std::move(error);
}

void HostServices::accept_targets(bool accept) {
    const std::lock_guard lock(mutex_);
    accepts_targets_ = accept;
}

void HostServices::report_target(const assay_target& target) {
    if (!ASSAY_HAS(&target, assay_target, name)) return;
    result::Target copy;
    copy.name = plugin_text(target.name, text_bytes_max);
    copy.kind = target_kind_name(target.kind);
    copy.reads = (target.flags & ASSAY_TARGET_READS) != 0;
    copy.writes = (target.flags & ASSAY_TARGET_WRITES) != 0;
    copy.direct = (target.flags & ASSAY_TARGET_DIRECT) != 0;
    if (ASSAY_HAS(&target, assay_target, offset_bytes)) copy.offset_bytes = target.offset_bytes;
    if (ASSAY_HAS(&target, assay_target, length_bytes)) copy.length_bytes = target.length_bytes;
    if (ASSAY_HAS(&target, assay_target, unique_bytes)) copy.unique_bytes = target.unique_bytes;
    const std::lock_guard lock(mutex_);
    if (!accepts_targets_ || targets_.size() == targets_max) {
        if (!std::exchange(told_of_limit_, true))
            emit(ASSAY_LOG_WARNING,
                 accepts_targets_
                     ? fmt::format("more than {} targets were reported; the rest is not recorded", targets_max)
                     : fmt::format("target '{}' was reported outside configure() and is not recorded", copy.name));
        return;
    }
    targets_.push_back(std::move(copy));
}

void HostServices::report_fact(const assay_fact& fact) {
    if (!ASSAY_HAS(&fact, assay_fact, real)) return;
    result::Fact copy{plugin_text(fact.key, key_bytes_max), fact_value(fact), plugin_text(fact.unit, key_bytes_max),
                      plugin_text(fact.source, text_bytes_max)};
    if (copy.key.empty()) return;
    const std::lock_guard lock(mutex_);
    if (const auto known = fact_index_.find(copy.key); known != fact_index_.end()) {
        facts_[known->second] = std::move(copy);
        return;
    }
    if (facts_.size() == facts_max) {
        if (!std::exchange(told_of_limit_, true))
            emit(ASSAY_LOG_WARNING,
                 fmt::format("more than {} facts were reported; the rest is not recorded", facts_max));
        return;
    }
    fact_index_.emplace(copy.key, facts_.size());
    facts_.push_back(std::move(copy));
}

std::vector<result::Target> HostServices::targets() const {
    const std::lock_guard lock(mutex_);
    return targets_;
}

std::vector<result::Fact> HostServices::facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
}

void HostServices::reset_progress() {
    done_bytes_.store(0, std::memory_order_relaxed);
    total_bytes_.store(0, std::memory_order_relaxed);
}

void HostServices::log(assay_severity severity, const char* text) {
    const std::string line = plugin_text(text, text_bytes_max);
    const std::lock_guard lock(mutex_);
    end_log_second(monotonic_ns());
    if (log_lines_ == log_lines_a_second_max) {
        ++log_suppressed_;
        return;
    }
    ++log_lines_;
    emit(severity, line);
}

void HostServices::end_log_second(std::int64_t now_ns) {
    if (now_ns - log_second_start_ns_ < second_ns) return;
    if (log_suppressed_ > 0)
        emit(ASSAY_LOG_WARNING, fmt::format("{} more log lines suppressed (more than {} in a second)", log_suppressed_,
                                            log_lines_a_second_max));
    log_suppressed_ = 0;
    log_lines_ = 0;
    log_second_start_ns_ = now_ns;
}

void HostServices::flush_log(std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    end_log_second(now_ns);
}

void HostServices::emit(assay_severity severity, const std::string& text) {
    if (hooks_ != nullptr)
        hooks_->log(std::clamp<assay_severity>(severity, ASSAY_LOG_DEBUG, ASSAY_LOG_ERROR), job_, text);
}

void HostServices::detach() {
    const std::lock_guard lock(mutex_);
    end_log_second(INT64_MAX);
    hooks_ = nullptr;
}

} // namespace assay
