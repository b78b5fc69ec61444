// The numbers of measured operations as reports show them: the result's own, chosen but never averaged. Any thread.
#pragma once

#include "core/result/model.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

// What is shown of one operation; what was not measured is absent.
struct Numbers {
    double iops = 0;
    std::optional<double> bytes_per_s;
    std::optional<double> mean_ns, p50_ns, p99_ns, p999_ns, max_ns;
    std::optional<double> in_flight;
    std::optional<double> response_p50_ns, response_p99_ns, response_max_ns; // of an open loop, from the intended start
};

// Of an operation of the phase, by index.
Numbers numbers_of(const result::Phase& phase, std::size_t operation_index);
// The least and the most of each number; `all` is not empty.
Numbers least_of(const std::vector<Numbers>& all);
Numbers most_of(const std::vector<Numbers>& all);

// Something completed or failed.
bool shown(const result::Operation& operation);

// A measured phase of one repeat.
struct Measured {
    std::size_t repeat = 0; // from 1
    const result::Job* job = nullptr;
    const result::Phase* phase = nullptr;
    const result::Repeat* of = nullptr;
};

// The repeat in the middle by rate (the lower of two), so that a row is one run's numbers and not a mixture. Sorts.
const Measured& median_of(std::vector<Measured>& repeats);

// The worst level, suspect or invalid, that any verdict gives the numbers of this operation; pass if none does.
result::Level level_of(const std::vector<result::Verdict>& verdicts, const std::string& job, const std::string& phase,
                       const std::string& operation);
std::string_view mark_of(result::Level level); // "!", "?", ""

// "12 x EIO (Input/output error), 3 x short transfer" over a phase's operations; empty without errors.
std::string errors_text(const result::Phase& phase);

} // namespace assay::report
