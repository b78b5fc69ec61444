#include "tests/unit/loader/support.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::test {

TempDir::TempDir() {
    ::umask(022); // what others may write is what these tests are about: not left to who runs them
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-loader-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = std::filesystem::canonical(pattern).string();
    ::chmod(path_.c_str(), 0755);
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::directory(const std::string& name, unsigned mode) const {
    std::filesystem::create_directories(path_ + "/" + name);
    ::chmod((path_ + "/" + name).c_str(), mode);
    return path_ + "/" + name;
}

std::string TempDir::plugin(const std::string& which, const std::string& as) const {
    const std::string to = path_ + "/" + (as.empty() ? which + ".so" : as);
    std::filesystem::create_directories(std::filesystem::path(to).parent_path());
    std::filesystem::copy_file(test_plugin(which), to, std::filesystem::copy_options::overwrite_existing);
    ::chmod(to.c_str(), 0755);
    return to;
}

std::string TempDir::file(const std::string& name, const std::string& text, unsigned mode) const {
    const std::string to = path_ + "/" + name;
    std::ofstream(to) << text;
    ::chmod(to.c_str(), mode);
    return to;
}

std::string test_plugin(const std::string& which) { return std::string(ASSAY_TEST_PLUGINS) + "/" + which + ".so"; }

std::string read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string output_of(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "";
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        text += static_cast<char>(c);
    return ::pclose(pipe) == 0 ? text : "";
}

bool holds_as_nobody(const std::function<bool()>& check) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool changed = ::setgroups(0, nullptr) == 0 && ::setresgid(65534, 65534, 65534) == 0 &&
                             ::setresuid(65534, 65534, 65534) == 0;
        ::_exit(changed && check() ? 0 : 1);
    }
    int status = -1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

bool is_mapped(const std::string& path) { return read_all("/proc/self/maps").find(path + "\n") != std::string::npos; }

} // namespace assay::test
