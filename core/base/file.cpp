#include "core/base/file.hpp"

#include "core/base/fd.hpp"
#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

namespace assay {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

Status write_all(const Fd& fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(fd.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return run_error(reason(errno));
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(fd.get()) == 0 ? Status() : run_error(reason(errno));
}

// The rename itself must survive a crash too. A file system that cannot sync a directory has nothing to sync.
void sync_directory(const std::string& directory) {
    const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.valid()) ::fsync(fd.get());
}

} // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
    // Non-blocking, so that a FIFO without a writer cannot hold us here.
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.valid()) return usage_error(fmt::format("cannot read {}: {}", in_quotes(path), reason(errno)));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) {
        return usage_error(fmt::format("cannot read {}: {}", in_quotes(path), reason(errno)));
    }
    if (S_ISDIR(info.st_mode)) return usage_error(fmt::format("cannot read {}: it is a directory", in_quotes(path)));
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);

    std::string content;
    std::array<char, 16384> chunk;
    for (;;) {
        const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return usage_error(fmt::format("cannot read {}: {}", in_quotes(path), reason(errno)));
        if (count == 0) return content;
        content.append(chunk.data(), static_cast<std::size_t>(count));
        if (content.size() > bytes_max) {
            return usage_error(fmt::format("cannot read {}: it holds more than the {} bytes allowed here",
                                           in_quotes(path), bytes_max));
        }
    }
}

Status write_file_atomically(const std::string& path, std::string_view content) {
    static std::atomic<unsigned> counter{0};
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    const std::string temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), counter++);
    const auto failed = [&](const std::string& why) {
        return run_error(fmt::format("cannot write {}: {}", in_quotes(path), why));
    };
    Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.valid()) return failed(reason(errno));
    Status status = write_all(fd, content);
    fd.reset();
    if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) status = run_error(reason(errno));
    if (!status.ok()) {
        ::unlink(temporary.c_str());
        return failed(status.message());
    }
    sync_directory(directory);
    return {};
}

} // namespace assay
