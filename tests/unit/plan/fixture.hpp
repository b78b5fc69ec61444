// Two workloads as option tables, and short ways to say "this plan is refused with these words".
#pragma once

#include "assay/sdk/option.hpp"
#include "core/plan/plan.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace assay::test {

inline Result<std::shared_ptr<const Schema>> schema_of(const std::string& workload) {
    static constexpr const char* kEngines[] = {"psync", "libaio", "io_uring"};
    static const assay_option kBlock[] = {
        sdk::size_option("block_size", "h").defaults("4KiB").range("512B", "64MiB"),
        sdk::int_option("queue_depth", "h").defaults("1").range("1", "4096"),
        sdk::enum_option("engine", "h", kEngines).defaults("io_uring"),
        sdk::string_option("title", "h"),
        sdk::size_option("mix", "h").flag(ASSAY_OPTION_WEIGHTED),
        sdk::duration_option("think", "h"),
    };
    static const assay_option kObject[] = {
        sdk::size_option("object_size", "h").defaults("1MiB"),
        sdk::int_option("queue_depth", "h").defaults("1"),
        sdk::string_option("bucket", "h").flag(ASSAY_OPTION_REQUIRED).example("bench"),
        sdk::string_option("secret_key", "h").flag(ASSAY_OPTION_SECRET),
    };
    if (workload == "block")
        return std::make_shared<const Schema>(*Schema::from_table("block", sdk::option_table(kBlock)));
    if (workload == "object")
        return std::make_shared<const Schema>(*Schema::from_table("object", sdk::option_table(kObject)));
    return usage_error("there is no workload \"" + workload + "\"; known: block, object");
}

inline Result<Plan> parse(const std::string& yaml, const std::vector<std::string>& sets = {}) {
    return parse_plan(yaml, "p.yaml", sets);
}

inline Result<CheckedPlan> check(const std::string& yaml, const std::vector<std::string>& sets = {}) {
    const Result<Plan> plan = parse(yaml, sets);
    if (!plan) return plan.status();
    return check_plan(*plan, schema_of);
}

// `position` is what the message begins with.
inline void expect_message(const Status& status, const std::string& position, const std::vector<std::string>& parts) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.failure(), Failure::usage);
    EXPECT_EQ(status.message().rfind(position, 0), 0u) << status.message() << "\n does not begin with " << position;
    EXPECT_EQ(status.message().find(":0:"), std::string::npos) << status.message();
    EXPECT_LT(status.message().size(), 800u) << status.message();
    for (const std::string& part : parts) {
        EXPECT_NE(status.message().find(part), std::string::npos) << status.message() << "\n lacks " << part;
    }
}

inline void expect_refused(const std::string& yaml, const std::string& position, const std::vector<std::string>& parts,
                           const std::vector<std::string>& sets = {}) {
    SCOPED_TRACE(yaml.substr(0, 500));
    expect_message(check(yaml, sets).status(), position, parts);
}

// A refused value where everything before it is fine: `line` is the third line of a stage.
inline std::string stage_with(const std::string& line) { return "stages:\n- workload: block\n  " + line + "\n"; }

} // namespace assay::test
