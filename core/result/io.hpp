// The result bundle on disk: result.json (schema: core/result/io/result.schema.json) and series.csv.
//
// Written to a temporary name and renamed, so a reader never sees half a file. Control thread.
#pragma once

#include "core/base/fd.hpp"
#include "core/base/status.hpp"
#include "core/result/model.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::result {

std::string to_json(const Run& run);
// Hostile input: sizes, types and ranges are checked; errors name the JSON path.
Result<Run> from_json(const std::string& json);

// One row an interval, operation, job, phase, repeat, point and stage; RFC 4180; units in the column names.
std::string to_series_csv(const Run& run);

// Makes `directory` (which must not exist, or be empty, or hold an earlier bundle only if `replace`) and writes into
// it.
//
// The claim keeps other invocations out (a lock on the directory) until it is destroyed.
class BundleClaim {
public:
    BundleClaim() = default;
    BundleClaim(Fd lock, std::vector<std::string> made) : lock_(std::move(lock)), made_(std::move(made)) {}
    // Removes the directories that were made for it, if nothing is in them.
    void abandon();

private:
    Fd lock_;
    std::vector<std::string> made_; // innermost first
};
Result<BundleClaim> prepare_bundle(const std::string& directory, bool replace);
Status write_bundle(const Run& run, const std::string& directory);

} // namespace assay::result
