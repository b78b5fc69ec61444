// One file of a control group that counts I/O by device. Used as sources are (source.hpp).
#pragma once

#include "plugins/host/source.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::host {

enum class CgroupIoForm {
    unified, // io.stat: "8:0 rbytes=1 wbytes=2 rios=3 wios=4 ..."
    bytes,   // blkio.throttle.io_service_bytes: "8:0 Read 1"
    requests // blkio.throttle.io_serviced: the same form
};

class CgroupIoFile {
public:
    CgroupIoFile(std::string path, CgroupIoForm form);

    // `labels` are those of the group; each device adds its own. Lists nothing if the file is not there.
    void discover(sdk::SeriesList& list, const std::string& sys, const std::string& labels, Buffer& buffer);
    void read(const sdk::Reading& reading, Buffer& buffer);
    // A device came that is not listed.
    [[nodiscard]] bool changed() const { return changed_; }

private:
    KernelFile file_;
    bool unified_;
    std::span<const assay_series> rows_; // of each device, in the order they are listed
    NameOrder devices_;                  // "8:0"
    std::vector<std::size_t> first_;     // series of device i
    bool changed_ = false;
};

} // namespace assay::host
