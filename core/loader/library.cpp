#include "core/loader/library.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>
#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

namespace assay {
namespace {

constexpr std::size_t text_bytes_max = 4096;

std::string bounded(const char* text) {
    return text == nullptr ? "" : std::string(text, ::strnlen(text, text_bytes_max));
}

// Boost says "boost::dll::... failed (dlerror system message: TEXT): Bad file descriptor"; only TEXT means something.
std::string loader_text(std::string_view what) {
    constexpr std::string_view start = "(dlerror system message: ";
    const std::size_t from = what.find(start);
    const std::size_t to = what.rfind("):");
    if (from == std::string_view::npos || to == std::string_view::npos || to < from) return std::string(what);
    return std::string(what.substr(from + start.size(), to - from - start.size()));
}

// What the dynamic linker mapped for `address`, compared with what was vetted. The path is the linker's own, so a path
// that it expanded ($LIB) or an entry function that comes from another library is noticed too.
Status check_same(const VettedFile& vetted, const void* address) {
    Dl_info where{};
    struct stat info {};
    if (::dladdr(address, &where) == 0 || where.dli_fname == nullptr)
        return usage_error("its entry function lies in no loaded file");
    if (::stat(where.dli_fname, &info) != 0)
        return usage_error(fmt::format("disappeared while it was loaded: {}", std::strerror(errno)));
    const FileIdentity loaded = FileIdentity::of(info);
    if (!loaded.same_file(vetted.identity))
        return usage_error(
            fmt::format("is not the file that was loaded: its entry function came from {}", where.dli_fname));
    if (loaded != vetted.identity) return usage_error("changed while it was loaded: try again when it is at rest");
    return {};
}

// Every library this process has loaded. Never destroyed: the code stays mapped until the process ends.
std::vector<Library*>& registry() {
    static auto* const libraries = new std::vector<Library*>;
    return *libraries;
}
// Their handles, whose destructors would unload: also of what was refused once it was in.
std::vector<boost::dll::shared_library*>& handles() {
    static auto* const open = new std::vector<boost::dll::shared_library*>;
    return *open;
}

} // namespace

// The services a plugin has in init() and deinit(). There is no instance yet, so targets, facts and progress have
// nobody to go to and are dropped.
struct Library::InitHost {
    assay_host abi{};
    std::string path;
    PluginLog log;
    std::mutex mutex;
    std::string error;

    static InitHost& of(const assay_host* host) { return *static_cast<InitHost*>(host->context); }
    InitHost(std::string its_path, PluginLog its_log) : path(std::move(its_path)), log(std::move(its_log)) {
        abi.struct_size = sizeof abi;
        abi.abi_major = ASSAY_ABI_MAJOR;
        abi.abi_minor = ASSAY_ABI_MINOR;
        abi.name = "assay";
        abi.version = ASSAY_VERSION;
        abi.context = this;
        abi.get_extension = [](const assay_host*, const char*) -> const void* { return nullptr; };
        abi.log = [](const assay_host* host, assay_severity severity, const char* text) {
            InitHost& me = of(host);
            if (me.log) me.log(severity, me.path, bounded(text));
        };
        abi.set_error = [](const assay_host* host, const char* /*option_key*/, const char* text) {
            InitHost& me = of(host);
            const std::lock_guard lock(me.mutex);
            me.error = bounded(text);
        };
        abi.report_target = [](const assay_host*, const assay_target*) {};
        abi.report_fact = [](const assay_host*, const assay_fact*) {};
        abi.report_progress = [](const assay_host*, uint64_t, uint64_t) {};
    }
};

Library::Library(std::string path, const FileIdentity& identity) : path_(std::move(path)), identity_(identity) {}

Result<Library*> Library::load(const VettedFile& vetted) {
    const auto known = std::find_if(registry().begin(), registry().end(), [&](const Library* library) {
        return library->identity_.same_file(vetted.identity);
    });
    if (known != registry().end()) {
        if ((*known)->identity_ == vetted.identity) return *known;
        return usage_error("changed after this process loaded it: start again");
    }
    try {
        auto* const handle = new boost::dll::shared_library;
        handles().push_back(handle);
        handle->load(vetted.path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
        if (!handle->has(ASSAY_ENTRY_SYMBOL))
            return usage_error(fmt::format("has no function {} once loaded", ASSAY_ENTRY_SYMBOL));
        auto& entry_function = handle->get<const assay_entry*()>(ASSAY_ENTRY_SYMBOL);
        if (Status bad = check_same(vetted, reinterpret_cast<const void*>(&entry_function)); !bad.ok()) return bad;
        auto* const library = new Library(vetted.path, vetted.identity);
        library->entry_ = entry_function();
        registry().push_back(library);
        return library;
    } catch (const std::exception& error) {
        return usage_error(fmt::format("cannot be loaded: {}", loader_text(error.what())));
    }
}

Status Library::start(const PluginLog& log) {
    if (users_++ > 0 || entry_->init == nullptr) return {};
    host_ = std::make_unique<InitHost>(path_, log);
    const assay_status status = entry_->init(&host_->abi);
    if (status == ASSAY_OK) return {};
    --users_;
    const std::string why = host_->error.empty() ? "it gave no reason" : host_->error;
    host_.reset();
    return usage_error(fmt::format("its init() failed with status {}: {}", status, why));
}

void Library::stop() {
    if (users_ == 0 || --users_ > 0) return;
    if (entry_->deinit != nullptr) entry_->deinit();
    host_.reset();
}

} // namespace assay
