#include "tools/assay/dialects/fio/files.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::cli::fio {
namespace {

constexpr std::size_t targets_max = 1024; // of a plan's job

struct Existing {
    std::uint64_t bytes = 0;
    bool device = false;
};

// Nothing if it is not there or is neither a file nor a block device.
std::optional<Existing> look_at(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return std::nullopt;
    if (S_ISREG(info.st_mode)) return Existing{static_cast<std::uint64_t>(info.st_size), false};
    if (!S_ISBLK(info.st_mode)) return std::nullopt;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return std::nullopt;
    std::uint64_t bytes = 0;
    const bool known = ioctl(fd, BLKGETSIZE64, &bytes) == 0;
    close(fd);
    return known ? std::optional(Existing{bytes, true}) : std::nullopt;
}

// The pieces between ':', of which "\:" is none.
std::vector<std::string> colon_list(std::string_view text) {
    std::vector<std::string> pieces(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ':') {
            pieces.back() += ':';
            ++i;
        } else if (text[i] == ':') {
            pieces.emplace_back();
        } else {
            pieces.back() += text[i];
        }
    }
    return pieces;
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string in_directory(const std::string& directory, const std::string& name) {
    if (directory.empty()) return name;
    return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

void set_named(Settings& settings, const std::string& names, const std::vector<std::string>& directories,
               FileSet& set) {
    if (directories.size() > 1)
        settings.fail("directory", "with filename takes one directory: list the paths in filename");
    for (const std::string& name : colon_list(names)) {
        if (name.empty() || name == "-")
            settings.fail("filename",
                          fmt::format("{}: a name is empty or '-'; name files or devices", in_quotes(names)));
        set.targets.push_back(in_directory(directories.front(), name));
    }
    set.shared = true;
    set.files_per_clone = set.targets.size();
    if (settings.given("nrfiles") && settings.count("nrfiles", 1, 1, targets_max) != set.files_per_clone)
        settings.note("nrfiles is ignored: filename says which files there are");
}

// As fio calls them. Worker w of a plan job gets the targets w, w + numjobs, ..: first the first file of every clone.
void set_default(Settings& settings, const std::vector<std::string>& directories, unsigned numjobs, FileSet& set) {
    const std::string format = settings.text("filename_format").value_or("$jobname.$jobnum.$filenum");
    set.files_per_clone = settings.count("nrfiles", 1, 1, targets_max);
    if (set.files_per_clone * numjobs > targets_max)
        return settings.fail(
            "nrfiles", fmt::format("{} of {} jobs are more than {} files", set.files_per_clone, numjobs, targets_max));
    for (std::size_t file = 0; file < set.files_per_clone; ++file) {
        for (unsigned clone = 0; clone < numjobs; ++clone) {
            std::string name = replaced(format, "$jobname", settings.section().name);
            name = replaced(replaced(name, "$jobnum", std::to_string(clone)), "$filenum", std::to_string(file));
            if (name.find('$') != std::string::npos)
                return settings.fail("filename_format", fmt::format("{}: it knows $jobname, $jobnum and $filenum only",
                                                                    in_quotes(format)));
            set.targets.push_back(in_directory(directories[clone % directories.size()], name));
        }
    }
}

class Sizes {
public:
    Sizes(Settings& settings, const Shape& shape, FileSet& set, unsigned numjobs)
        : settings_(settings), shape_(shape), set_(set), step_(set.shared ? 1 : numjobs) {
        for (const std::string& target : set.targets) {
            existing_.push_back(look_at(target));
            if (existing_.back() && existing_.back()->device) set.devices = true;
        }
    }

    void run() {
        set_.offset_bytes = settings_.bytes("offset").value_or(0);
        if (settings_.share("offset")) return settings_.fail("offset", "as a percentage is not supported: give bytes");
        const auto file_bytes = filesize();
        // All of it is what a job without size works on, also where the files differ in length.
        const auto percent = settings_.share("size");
        const auto total = percent && *percent < 100 ? share_of_existing(*percent) : settings_.bytes("size");
        if (total && *total == 0) return settings_.fail("size", "0 is no size");
        if (!settings_.status().ok()) return;
        if (file_bytes) {
            set_.region_bytes = file_bytes;
            if (total && *total < *file_bytes * set_.files_per_clone) set_.limit_bytes = total;
        } else if (total) {
            set_.region_bytes = *total / set_.files_per_clone;
        }
        if (!settings_.status().ok()) return;
        clamp_to_devices();
        set_pass();
    }

private:
    std::optional<std::uint64_t> filesize() {
        const auto text = settings_.text("filesize");
        if (!text) return std::nullopt;
        if (text->find('-') != std::string::npos)
            settings_.fail("filesize", "as a range is not supported: give one size");
        const std::uint64_t bytes = settings_.take("filesize", parse_bytes(*text, settings_.kb_base()));
        if (bytes > region_bytes_max / set_.files_per_clone)
            settings_.fail("filesize",
                           fmt::format("{} and {} files are more than 1 EiB", in_quotes(*text), set_.files_per_clone));
        return bytes;
    }

    std::optional<std::uint64_t> share_of_existing(unsigned percent) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < existing_.size(); i += step_) {
            if (!existing_[i]) {
                settings_.fail("size", fmt::format("{}% of {}, which is not there yet: give bytes", percent,
                                                   in_quotes(set_.targets[i])));
                return std::nullopt;
            }
            sum += existing_[i]->bytes;
        }
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(sum) * percent / 100);
    }

    // A device cannot grow; fio cuts the region without a word.
    void clamp_to_devices() {
        if (!set_.region_bytes) return;
        for (std::size_t i = 0; i < set_.targets.size(); ++i) {
            if (!existing_[i] || !existing_[i]->device) continue;
            const std::uint64_t device = existing_[i]->bytes;
            if (set_.offset_bytes >= device)
                return settings_.fail("offset", fmt::format("{} lies behind the end of {}", set_.offset_bytes,
                                                            in_quotes(set_.targets[i])));
            if (*set_.region_bytes <= device - set_.offset_bytes) continue;
            set_.region_bytes = device - set_.offset_bytes;
            settings_.note(
                fmt::format("size is more than {} has: cut to the device's end, as fio does", set_.targets[i]));
        }
    }

    void set_pass() {
        const std::uint64_t block = shape_.block_bytes;
        if (set_.region_bytes) {
            if (*set_.region_bytes < block)
                return settings_.fail("size", fmt::format("gives each file {} bytes, less than one block of {}",
                                                          *set_.region_bytes, block));
            set_.pass_bytes = *set_.region_bytes / block * block * set_.files_per_clone;
            return;
        }
        for (std::size_t i = 0; i < existing_.size(); i += step_) {
            if (!existing_[i] || existing_[i]->bytes == 0)
                return settings_.fail("size", fmt::format("is needed: {} is no file or device with a length yet",
                                                          in_quotes(set_.targets[i])));
            const std::uint64_t bytes = existing_[i]->bytes;
            set_.pass_bytes += bytes > set_.offset_bytes ? (bytes - set_.offset_bytes) / block * block : 0;
        }
    }

    Settings& settings_;
    const Shape& shape_;
    FileSet& set_;
    std::vector<std::optional<Existing>> existing_;
    const std::size_t step_; // from one target of a clone to its next
};

} // namespace

FileSet files_of(Settings& settings, const Shape& shape, unsigned numjobs) {
    FileSet set;
    const std::vector<std::string> directories = colon_list(settings.text("directory").value_or(""));
    if (const auto names = settings.text("filename"))
        set_named(settings, *names, directories, set);
    else
        set_default(settings, directories, numjobs, set);
    if (settings.status().ok()) Sizes(settings, shape, set, numjobs).run();
    return set;
}

} // namespace assay::cli::fio
