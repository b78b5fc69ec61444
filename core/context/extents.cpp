#include "core/base/fd.hpp"
#include "core/context/target.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace assay {
namespace {

constexpr std::uint32_t extents_per_call = 512;
constexpr std::uint64_t max_extents = 16 * 1024 * 1024; // minutes of reading; a file this scattered is not judged

result::Extents unknown(std::string why) {
    result::Extents extents;
    extents.why_unknown = std::move(why);
    return extents;
}

std::string error_words(int error) { return std::strerror(error); }

// A request with room for its answers behind it, as the kernel wants it.
class FiemapRequest {
public:
    FiemapRequest() : words_((sizeof(fiemap) + extents_per_call * sizeof(fiemap_extent)) / sizeof(std::uint64_t)) {}

    // 0 or errno.
    int ask(int fd, std::uint64_t start, std::uint64_t length) {
        std::fill(words_.begin(), words_.end(), 0);
        header().fm_start = start;
        header().fm_length = length;
        header().fm_flags = FIEMAP_FLAG_SYNC;
        header().fm_extent_count = extents_per_call;
        return ::ioctl(fd, FS_IOC_FIEMAP, &header()) == 0 ? 0 : errno;
    }
    [[nodiscard]] std::uint32_t count() { return std::min(header().fm_mapped_extents, extents_per_call); }
    [[nodiscard]] const fiemap_extent& at(std::uint32_t index) { return header().fm_extents[index]; }

private:
    fiemap& header() { return *reinterpret_cast<fiemap*>(words_.data()); }

    std::vector<std::uint64_t> words_;
};

// Adds up extents in ascending order, each byte of the region at most once whatever the file system answers.
class Tally {
public:
    Tally(std::uint64_t start, std::uint64_t end) : at_(start), end_(end) {}

    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[nodiscard]] bool done() const { return at_ >= end_; }

    // False if the extent does not lead any further.
    bool add(const fiemap_extent& extent, result::Extents& sum) {
        std::uint64_t extent_end = 0;
        if (__builtin_add_overflow(extent.fe_logical, extent.fe_length, &extent_end))
            extent_end = std::numeric_limits<std::uint64_t>::max();
        if (extent_end <= at_) return false;
        const std::uint64_t from = std::clamp<std::uint64_t>(extent.fe_logical, at_, end_);
        const std::uint64_t to = std::min(extent_end, end_);
        const bool unwritten = (extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0;
        (unwritten ? sum.unwritten_bytes : sum.written_bytes) += to - from;
        at_ = to;
        return true;
    }

private:
    std::uint64_t at_;
    std::uint64_t end_;
};

} // namespace

result::Extents read_extents(const std::string& path, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) return unknown("cannot open it: " + error_words(errno));
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return unknown("cannot stat it: " + error_words(errno));
    if (!S_ISREG(status.st_mode)) return unknown("not a regular file, so it has no extents");
    std::uint64_t end = 0;
    if (__builtin_add_overflow(offset_bytes, length_bytes, &end)) return unknown("the region ends past 2^64 bytes");

    result::Extents sum;
    sum.region_bytes = length_bytes;
    // Some file systems tell an extent that reaches past the end of the file; what is there cannot be read.
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t readable_end = std::min(end, size);
    Tally tally(std::min(offset_bytes, readable_end), readable_end);
    FiemapRequest request;
    std::uint64_t seen = 0;
    bool last = false;
    while (!tally.done() && !last) {
        const int error = request.ask(fd.get(), tally.at(), readable_end - tally.at());
        if (error == EOPNOTSUPP || error == ENOTTY)
            return unknown("its file system does not tell extents (FIEMAP): " + error_words(error));
        if (error != 0) return unknown("FIEMAP failed: " + error_words(error));
        if (request.count() == 0) break; // nothing but a hole up to the end
        bool advanced = false;
        for (std::uint32_t index = 0; index < request.count(); ++index) {
            advanced = tally.add(request.at(index), sum) || advanced;
            last = (request.at(index).fe_flags & FIEMAP_EXTENT_LAST) != 0;
        }
        seen += request.count();
        if (!advanced) return unknown("FIEMAP answered the same extents again");
        if (seen > max_extents) return unknown("it has more than 16 million extents");
    }
    sum.hole_bytes = length_bytes - sum.written_bytes - sum.unwritten_bytes;
    sum.known = true;
    return sum;
}

} // namespace assay
