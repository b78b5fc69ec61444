// What the loader's tests share: real files in a directory of their own, another user, and peer tools.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace assay::test {

// A fresh directory of mode 0755, removed with all it holds.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] std::string path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    // A subdirectory; returns its path.
    std::string directory(const std::string& name, unsigned mode = 0755) const;
    // A copy of one of the test plugins; returns its path.
    std::string plugin(const std::string& which, const std::string& as = "") const;
    // A file with this text; returns its path.
    std::string file(const std::string& name, const std::string& text, unsigned mode = 0644) const;

private:
    std::string path_;
};

// A built test plugin ("alpha" -> .../alpha.so).
std::string test_plugin(const std::string& which);

std::string read_all(const std::string& path);

// Standard output of a shell command, or "" if it failed.
std::string output_of(const std::string& command);

// Runs `check` in a child process as user 65534 (nobody) without groups; true if it returned true. Root only.
bool holds_as_nobody(const std::function<bool()>& check);

// Whether a file is mapped into this process.
bool is_mapped(const std::string& path);

} // namespace assay::test
