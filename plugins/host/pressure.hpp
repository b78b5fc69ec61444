// One file of pressure stall information, of the machine or of a cgroup. Used as sources are (source.hpp).
#pragma once

#include "plugins/host/source.hpp"

#include <string>

namespace assay::host {

class PressureFile {
public:
    explicit PressureFile(std::string path) : file_(std::move(path)) {}
    // Lists nothing if the file is not there.
    void discover(sdk::SeriesList& list, std::uint32_t group, const char* labels, Buffer& buffer);
    void read(const sdk::Reading& reading, Buffer& buffer);

private:
    KernelFile file_;
    std::size_t some_ = npos;
    std::size_t full_ = npos;
};

} // namespace assay::host
