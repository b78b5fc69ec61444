#include "core/sample/sampler_host.hpp"

#include "core/base/clock.hpp"
#include "core/record/plugin_text.hpp"

#include <algorithm>
#include <utility>

namespace assay::sample {
namespace {

constexpr std::size_t text_bytes_max = 4096;
constexpr std::size_t key_bytes_max = 256;
constexpr std::uint32_t lines_a_second_max = 100;
constexpr std::int64_t second_ns = 1'000'000'000;

} // namespace

SamplerHost::SamplerHost(Log log) : log_(std::move(log)) {
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
    abi_.report_target = [](const assay_host*, const assay_target*) noexcept {};
    abi_.report_fact = [](const assay_host*, const assay_fact*) noexcept {};
    abi_.report_progress = [](const assay_host*, std::uint64_t, std::uint64_t) noexcept {};
}

std::string SamplerHost::take_error() {
    const std::lock_guard lock(mutex_);
    return std::exchange(error_, {});
}

void SamplerHost::warn(const std::string& text) {
    if (log_) log_(ASSAY_LOG_WARNING, text);
}

void SamplerHost::set_error(const char* option, const char* text) {
    const std::string key = plugin_text(option, key_bytes_max);
    std::string reason = plugin_text(text, text_bytes_max);
    if (!key.empty()) reason = "option " + key + ": " + reason;
    const std::lock_guard lock(mutex_);
    error_ = std::move(reason);
}

void SamplerHost::log(assay_severity severity, const char* text) {
    if (!log_) return;
    const std::string line = plugin_text(text, text_bytes_max);
    const std::int64_t now_ns = monotonic_ns();
    {
        const std::lock_guard lock(mutex_);
        if (now_ns - second_start_ns_ >= second_ns) {
            second_start_ns_ = now_ns;
            lines_ = 0;
        }
        if (++lines_ > lines_a_second_max) return;
    }
    log_(std::clamp<assay_severity>(severity, ASSAY_LOG_DEBUG, ASSAY_LOG_ERROR), line);
}

} // namespace assay::sample
