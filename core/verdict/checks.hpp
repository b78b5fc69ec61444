// The checks, one file each, and what they share. Pure functions of the result; any thread.
#pragma once

#include "core/result/model.hpp"
#include "core/verdict/check.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::verdict {

extern const Check cache_client;
extern const Check odirect_dropped;
extern const Check data_unwritten;
extern const Check phase_empty;
extern const Check phase_short;
extern const Check depth_inert;
extern const Check little_law;
extern const Check cpu_hot;
extern const Check cpu_client;
extern const Check cpu_wait;
extern const Check cpu_steal;
extern const Check cgroup_limit;
extern const Check noise_background;
extern const Check closed_loop;
extern const Check run_stopped;
extern const Check trim_empty;
extern const Check workers_partial;

// A verdict of `check` with its scope filled in: the job, and the phase unless nullptr.
result::Verdict make_verdict(const Check& check, const JobView& view, const result::Phase* phase);
void add_evidence(result::Verdict& verdict, std::string_view name, result::Value value, std::string_view unit,
                  std::string_view source);

// Phases whose numbers are results and whose window opened and closed.
std::vector<const result::Phase*> measured_phases(const result::Job& job);

// A fact's value if it is there and of that type.
std::optional<std::int64_t> integer_fact(const result::Job& job, const char* key);
std::optional<double> real_fact(const result::Job& job, const char* key);
std::optional<bool> bool_fact(const result::Job& job, const char* key);

bool is_path(const result::Target& target); // a file or a block device: something the kernel counts below

std::string workers_text(double workers); // "1 worker", "8 workers"

// "99.5 %"; never "100 %" or "0 %" of what is only nearly all or nothing.
std::string percent_text(double share);

} // namespace assay::verdict
