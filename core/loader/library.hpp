// A plugin file as code in this process: loaded once, RTLD_NOW | RTLD_LOCAL, and never unloaded.
//
// Unloading is what goes wrong in plugin systems (thread_local destructors, STB_GNU_UNIQUE symbols, callbacks that
// outlive the code), so the process keeps one registry of what it has loaded, by device and inode. Loading the same
// file again gives the same library. The only file that includes Boost.DLL is library.cpp. Control thread only; a
// plugin may log from any thread.
#pragma once

#include "assay/abi/entry.h"
#include "core/base/status.hpp"
#include "core/loader/vet.hpp"

#include <functional>
#include <memory>
#include <string>

namespace assay {

// Where the log lines of a plugin's init() and deinit() go: severity, the file's path, text. Called from any thread.
using PluginLog = std::function<void(assay_severity, const std::string&, const std::string&)>;

class Library {
public:
    // Loads a vetted file whose own symbols hold the entry function, and makes sure that what is in memory now is the
    // file that was vetted, unchanged. The pointer is valid until the process ends.
    static Result<Library*> load(const VettedFile& vetted);

    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() = delete;

    // As the entry function returned it: unchecked (see contract.hpp).
    [[nodiscard]] const assay_entry* entry() const { return entry_; }
    [[nodiscard]] const FileIdentity& identity() const { return identity_; }

    // init() for the first user and deinit() after the last. A plugin whose init() failed is not started.
    Status start(const PluginLog& log);
    void stop();

private:
    struct InitHost;
    Library(std::string path, const FileIdentity& identity);

    std::string path_;
    FileIdentity identity_;
    const assay_entry* entry_ = nullptr;
    unsigned users_ = 0;
    std::unique_ptr<InitHost> host_; // given to init(); lives until deinit() returned
};

} // namespace assay
