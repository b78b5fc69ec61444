// The host's services in C++. A copyable handle; any thread, as host.h says for each.
//
// A service that an older host does not have is skipped: nothing here is needed for a correct run.
#pragma once

#include "assay/abi/host.h"
#include "assay/sdk/status.hpp"

#include <cstdint>
#include <string>

namespace assay::sdk::inline v0 {

class Host {
public:
    explicit Host(const assay_host* host) : host_(host) {}

    void log(assay_severity severity, const std::string& text) const {
        if (ASSAY_HAS(host_, assay_host, log) && host_->log != nullptr) host_->log(host_, severity, text.c_str());
    }
    void target(assay_target target) const {
        target.struct_size = sizeof(assay_target);
        if (ASSAY_HAS(host_, assay_host, report_target) && host_->report_target != nullptr)
            host_->report_target(host_, &target);
    }
    void fact(const char* key, const std::string& text, const char* source) const {
        report({0, ASSAY_FACT_TEXT, key, "", text.c_str(), source, 0, 0});
    }
    void fact(const char* key, std::int64_t integer, const char* unit, const char* source) const {
        report({0, ASSAY_FACT_INTEGER, key, unit, "", source, integer, 0});
    }
    void fact(const char* key, double real, const char* unit, const char* source) const {
        report({0, ASSAY_FACT_REAL, key, unit, "", source, 0, real});
    }
    void fact_bool(const char* key, bool value, const char* source) const {
        report({0, ASSAY_FACT_BOOL, key, "", "", source, value ? 1 : 0, 0});
    }
    void progress(std::uint64_t done_bytes, std::uint64_t total_bytes) const {
        if (ASSAY_HAS(host_, assay_host, report_progress) && host_->report_progress != nullptr)
            host_->report_progress(host_, done_bytes, total_bytes);
    }
    // An extension of the host by id, or nullptr.
    [[nodiscard]] const void* extension(const char* id) const {
        const bool has = ASSAY_HAS(host_, assay_host, get_extension) && host_->get_extension != nullptr;
        return has ? host_->get_extension(host_, id) : nullptr;
    }
    // Hands the status over: sets the error where there is one, and returns the code for the ABI.
    assay_status hand_over(const Status& status) const {
        if (status.ok()) return ASSAY_OK;
        return fail(status.code(), status.text().c_str(), status.option().empty() ? nullptr : status.option().c_str());
    }
    // The same without allocating: for what is caught on the way out.
    assay_status fail(assay_status code, const char* text, const char* option = nullptr) const {
        if (ASSAY_HAS(host_, assay_host, set_error) && host_->set_error != nullptr)
            host_->set_error(host_, option, text);
        return code;
    }

private:
    void report(assay_fact fact) const {
        fact.struct_size = sizeof(assay_fact);
        if (ASSAY_HAS(host_, assay_host, report_fact) && host_->report_fact != nullptr)
            host_->report_fact(host_, &fact);
    }
    const assay_host* host_;
};

} // namespace assay::sdk::inline v0
